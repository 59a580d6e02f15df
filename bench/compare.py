"""Compare two rankings of the same questions: python -m bench.compare FIRST.jsonl SECOND.jsonl

Differences come with a paired bootstrap interval over questions: an interval that contains 0 means no difference.
"""

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bench.metrics import METRICS, Ranking

RESAMPLES = 2_000
SEED = 20_261_115
SHOWN = ("R@1", "R@5", "R@10", "all@5", "nDCG@10", "MRR")


def main() -> None:
    """Print the table."""
    first, second = (rankings(Path(name)) for name in sys.argv[1:3])
    common = [id for id in first if id in second]
    print(f"{len(common)} questions scored in both\n")
    print("| metric | first | second | second - first, 95 % |\n| --- | --- | --- | --- |")
    for name in SHOWN:
        before, after = ([METRICS[name](side[id].ranked, side[id].gold) for id in common] for side in (first, second))
        low, high = interval([new - old for old, new in zip(before, after, strict=True)])
        print(f"| {name} | {mean(before):.4f} | {mean(after):.4f} | {low:+.4f} to {high:+.4f} |")


def rankings(path: Path) -> dict[str, Ranking]:
    """Return the scored questions of a file of rankings."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {one["question_id"]: Ranking("", tuple(one["ranked"]), tuple(one["gold"])) for one in lines if one["gold"]}


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the middle 95 % of the mean difference over resampled questions."""
    chance = random.Random(SEED)
    means = sorted(mean(chance.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]


if __name__ == "__main__":
    main()
