"""How well recall finds what answers a question, on a set of your own or a published one: `python -m bench.retrieval FILE`.

FILE is JSON: {"units": [{"id", "scope", "text"}], "questions": [{"scope", "question", "gold": [id]}]}. Each way of
recalling is asked the same questions of the same store; differences are given with a paired bootstrap interval.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

from msgspec import Struct

from bench.progress import show
from satchel.bootstrap import Satchel
from satchel.config import load
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId, Trust
from satchel.ports import Change

DEPTH = 10
BATCH = 500
RESAMPLES = 2_000
# The first is what the others are compared with.
WAYS: dict[str, dict[str, str]] = {
    "hybrid, rrf": {"mode": "hybrid", "fusion": "rrf"},
    "lexical": {"mode": "lexical"},
    "vector": {"mode": "vector"},
    "hybrid, scores": {"mode": "hybrid", "fusion": "scores"},
}


class Question(Struct, frozen=True):
    """A question, where it is asked, and what answers it."""

    scope: str
    text: str
    gold: frozenset[str]


class Score(Struct, frozen=True):
    """How one question was answered: share of the gold among the first five and ten, and the first hit's reciprocal rank."""

    at_5: float
    at_10: float
    reciprocal: float


def main() -> None:
    """Measure every way of recalling on one file."""
    given = _parser().parse_args()
    data = json.loads(given.file.read_text(encoding="utf-8"))
    questions = [Question(one["scope"], one["question"], frozenset(one["gold"])) for one in data["questions"]]
    with tempfile.TemporaryDirectory() as home:
        fill(home, data["units"])
        scores = {name: _asked(home, questions, way) for name, way in WAYS.items()}
    print(_table(given.file.name, len(data["units"]), scores))


def fill(home: str, units: Sequence[dict[str, str]]) -> None:
    """Make a store of units, with their vectors and its index."""
    with Satchel.open(settings=load({}, home=home, models=load().models or None)) as memory:
        for start in range(0, len(units), BATCH):
            changes = [_stored(unit, start + place) for place, unit in enumerate(units[start : start + BATCH])]
            memory._ledger.memories.commit(changes, Receipt("fill", {}))
        memory.index_build(progress=show)


def _stored(unit: dict[str, str], at: int) -> Change:
    memory = Memory(
        id=MemoryId(unit["id"]),
        text=unit["text"],
        scope=unit["scope"],
        created_at=at,
        updated_at=at,
        trust=Trust.TRUSTED,
    )
    return Change(memory, None, "store", "bench")


def _asked(home: str, questions: Sequence[Question], way: dict[str, str]) -> list[Score]:
    fusion = {"fusion": way.get("fusion")}
    with Satchel.open(settings=load({}, home=home, models=load().models or None, recall=fusion)) as memory:
        return [_score(memory, one, way["mode"]) for one in questions]


def _score(memory: Satchel, one: Question, mode: str) -> Score:
    hits = memory.recall(one.text, scope=one.scope, limit=DEPTH, mode=mode).result.hits
    found = [str(hit.memory.id) in one.gold for hit in hits]
    first = next((1 / rank for rank, good in enumerate(found, start=1) if good), 0.0)
    return Score(sum(found[:5]) / len(one.gold), sum(found) / len(one.gold), first)


def _table(name: str, units: int, scores: dict[str, list[Score]]) -> str:
    plain = next(iter(scores.values()))
    lines = [
        f"{name}: {units} units, {len(plain)} questions",
        "",
        "| way | R@5 | R@10 | MRR | R@10 against the first, 95 % |",
        "| --- | --- | --- | --- | --- |",
    ]
    for way, found in scores.items():
        low, high = _interval([one.at_10 - other.at_10 for one, other in zip(found, plain, strict=True)])
        against = "" if found is plain else f"{100 * low:+.1f} to {100 * high:+.1f}"
        figures = [_mean(found, lambda one: one.at_5), _mean(found, lambda one: one.at_10)]
        reciprocal = mean(one.reciprocal for one in found)
        lines.append(f"| {way} | {figures[0]:.1f} | {figures[1]:.1f} | {reciprocal:.3f} | {against} |")
    return "\n".join(lines)


def _mean(scores: Sequence[Score], part: Callable[[Score], float]) -> float:
    return 100 * mean(map(part, scores))


def _interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the middle 95 % of the mean difference over resampled questions."""
    chance = random.Random(20261115)
    means = sorted(mean(chance.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.retrieval", description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="units and questions, as the module's docstring says")
    return parser


if __name__ == "__main__":
    main()
