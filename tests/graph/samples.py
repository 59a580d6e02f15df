"""A sample project, sample memories and labelled questions."""

import json
from collections.abc import Iterable
from pathlib import Path

from satchel.app import Satchel
from satchel.domain.graph import Extract

DATA = Path(__file__).parents[1] / "data" / "graph"
Triple = tuple[str, str, str]


def write_project(folder: Path) -> Path:
    """Write the sample project to a folder: a line that starts with === names the next file."""
    root = folder / "harbor"
    for part in (DATA / "harbor.txt").read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, text = part.partition("\n")
        path = root / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def store_memories(memory: Satchel) -> None:
    """Store the sample memories."""
    for line in (DATA / "memories.jsonl").read_text(encoding="utf-8").splitlines():
        memory.store(**json.loads(line))


def labelled_questions(name: str) -> list[dict[str, object]]:
    """Return labelled questions."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def triples(extract: Extract, rules: Iterable[str] = ("",)) -> set[Triple]:
    """Return the relations of an extract as strings, of some rules only."""
    return {
        (one.tail.name, one.relation.value, one.head.name)
        for one in extract.relations
        if any(one.rule.startswith(rule) for rule in rules)
    }
