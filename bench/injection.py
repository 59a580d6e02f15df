"""The injection rules on published samples: lines of {"text", "label", "source"}.

Recall is per source and never averaged: a jailbreak in the wild and an order hidden in an e-mail are different things. For
harmless rows ("benign", "clean"), it is the share that would be quarantined.
`python -m bench.injection FILE…` lists every harmless text that is caught.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.report.results import Result, machine
from satchel.domain.safety.injection import injections

HARMLESS = frozenset({"benign", "clean"})
# Samples of secrets are measured by another benchmark.
OTHERS = "secrets"


def measure(files: Sequence[Path]) -> Result:
    """Count the caught rows of each source, attacks and harmless rows separately."""
    counts: dict[tuple[str, str], list[int]] = {}
    for path in files:
        for row in rows(path):
            sort = "harmless" if row["label"] in HARMLESS else "attack"
            tally = counts.setdefault((path.stem, sort), [0, 0])
            tally[0] += 1
            tally[1] += bool(injections(row["text"]))
    found = [{"source": name, "sort": sort, "n": n, "caught": caught} for (name, sort), (n, caught) in counts.items()]
    return {"machine": machine(), "rows": found}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Return the samples of a file."""
    if path.name.startswith(OTHERS):
        return
    for line in path.read_text(encoding="utf-8").strip().split("\n"):
        yield json.loads(line)


def main() -> None:
    """Print every harmless text that is caught, with the rule."""
    for path in map(Path, sys.argv[1:]):
        for row in rows(path):
            found = injections(row["text"])
            if found and row["label"] in HARMLESS:
                print(f"{path.stem} {', '.join(found)}: {row['text'][:100]!r}")


if __name__ == "__main__":
    main()
