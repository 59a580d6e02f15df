"""What the tests of the graph share: a sample project, and short ways to say what a source says."""

import json
from collections.abc import Iterable
from pathlib import Path

from satchel.app import Satchel
from satchel.domain.graph import Extract

DATA = Path(__file__).parents[1] / "data" / "graph"
Triple = tuple[str, str, str]


def unpacked(folder: Path) -> Path:
    """Write the sample project to a folder: a line that begins with === names the file that follows."""
    root = folder / "harbor"
    for part in (DATA / "harbor.txt").read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, text = part.partition("\n")
        path = root / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def remembered(memory: Satchel) -> None:
    """Store the sample memories."""
    for line in (DATA / "memories.jsonl").read_text(encoding="utf-8").splitlines():
        memory.store(**json.loads(line))


def cases(name: str) -> list[dict[str, object]]:
    """Return labelled questions."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def triples(extract: Extract, rules: Iterable[str] = ("",)) -> set[Triple]:
    """Return the claims of an extract as plain words."""
    return {
        (one.tail.name, one.relation.value, one.head.name)
        for one in extract.claims
        if any(one.rule.startswith(rule) for rule in rules)
    }
