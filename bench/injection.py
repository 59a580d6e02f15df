"""Measure the rules against injected orders: `python -m bench.injection FILE…`, each a file of {"text", "label", "source"} rows.

Recall is given per source and never averaged: a jailbreak in the wild and an order hidden in an e-mail are different
things. Of harmless rows ("benign", "clean"), the share that would be quarantined is what counts.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

from satchel.capture.injection import injections

HARMLESS = frozenset({"benign", "clean"})


def main() -> None:
    """Print the table, and on request every harmless text that was caught."""
    parser = argparse.ArgumentParser("python -m bench.injection", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--depth", type=int, default=2, help="how many parts of a source's name are told apart (2)")
    parser.add_argument(
        "--show", action="store_true", help="also print which harmless texts were caught, by which rule"
    )
    given = parser.parse_args()
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    caught = list[str]()
    for path in given.files:
        for line in path.read_text(encoding="utf-8").strip().split("\n"):
            row = json.loads(line)
            found = injections(row["text"])
            source = "/".join(row["source"].split("/")[: given.depth])
            tally = counts[path.stem, source, row["label"]]
            tally[0] += 1
            tally[1] += bool(found)
            if found and row["label"] in HARMLESS:
                caught.append(f"{path.stem} {', '.join(found)}: {row['text'][:100]!r}")
    _print(counts)
    if given.show:
        print(*caught, sep="\n")


def _print(counts: dict[tuple[str, str, str], list[int]]) -> None:
    print("| file | source | label | rows | caught | share |\n|---|---|---|---|---|---|")
    for (name, source, label), (rows, found) in sorted(counts.items()):
        print(f"| {name} | {source} | {label} | {rows} | {found} | {found / rows:.3f} |")
    rows, found = (sum(tally[place] for key, tally in counts.items() if key[2] in HARMLESS) for place in (0, 1))
    print(f"\nHarmless texts caught: {found} of {rows} ({100 * found / max(1, rows):.2f} %)")


if __name__ == "__main__":
    main()
