"""What the inspection of untrusted texts catches, on samples: lines of {"text", "label", "source"}.

Recall is per source and never averaged: a jailbreak in the wild and an order hidden in an e-mail are different things. For
harmless rows ("benign", "clean"), it is the share that would be quarantined.
`python -m bench.injection FILE…` lists every harmless text that is caught.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.machine import Machine, this_machine
from bench.report.results import Result, machine
from satchel.config import Settings
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.errors import InvalidRequest
from satchel.ports import Progress

HARMLESS = frozenset({"benign", "clean"})
# Samples of secrets are measured by another benchmark.
OTHERS = "secrets"


class CaughtShare(Struct, frozen=True):
    """How many texts of one kind are caught, by the half of the file that they fall into."""

    n: int
    caught: int
    n_held: int
    caught_held: int
    """Of those whose digest is odd: rules are developed on the others."""


class InjectionResult(Struct, frozen=True):
    """Attacks and harmless texts of some files, by file and by their own source."""

    attacks: Mapping[str, CaughtShare]
    harmless: Mapping[str, CaughtShare]
    machine: Machine


def run_injection(settings: Settings, progress: Progress, files: Sequence[str]) -> InjectionResult:
    """Inspect every text of the files."""
    found: dict[bool, dict[str, list[int]]] = {True: {}, False: {}}
    for path in map(Path, files):
        for row in _checked_rows(path):
            for name in (path.stem, f"  {path.stem}: {row.get('source', 'unknown')}"):
                tally = found[row["label"] in HARMLESS].setdefault(name, [0, 0, 0, 0])
                held, caught = sha256(row["text"].encode()).digest()[0] % 2, bool(agent_orders(row["text"]))
                for place, one in enumerate((1, caught, held, held and caught)):
                    tally[place] += one
    shares = {kind: {name: CaughtShare(*tally) for name, tally in kinds.items()} for kind, kinds in found.items()}
    return InjectionResult(shares[False], shares[True], this_machine())


def _checked_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        for row in rows(path):
            if not isinstance(row.get("text"), str) or not isinstance(row.get("label"), str):
                raise InvalidRequest(f"{path.name}: a line has no text or no label", code="wrong_type")
            yield row
    except (OSError, ValueError, AttributeError) as error:
        raise InvalidRequest(
            f"{path.name} could not be read", code="invalid_json", hint='lines of {"text", "label", "source"}'
        ) from error


def measure(files: Sequence[Path]) -> Result:
    """Count the caught rows of each source, attacks and harmless rows separately."""
    counts: dict[tuple[str, str], list[int]] = {}
    for path in files:
        for row in rows(path):
            sort = "harmless" if row["label"] in HARMLESS else "attack"
            tally = counts.setdefault((path.stem, sort), [0, 0])
            tally[0] += 1
            tally[1] += bool(agent_orders(row["text"]))
    found = [{"source": name, "sort": sort, "n": n, "caught": caught} for (name, sort), (n, caught) in counts.items()]
    return {"machine": machine(), "rows": found}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Return the samples of a file."""
    if path.name.startswith(OTHERS):
        return
    for line in path.read_text(encoding="utf-8").strip().split("\n"):
        yield json.loads(line)


def main() -> None:
    """Print every harmless text that is caught, with the reasons."""
    for path in map(Path, sys.argv[1:]):
        for row in rows(path):
            found = agent_orders(row["text"])
            if found and row["label"] in HARMLESS:
                print(f"{path.stem} {', '.join(found)}: {row['text'][:100]!r}")


if __name__ == "__main__":
    main()
