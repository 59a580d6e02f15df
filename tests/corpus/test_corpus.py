"""A fixed corpus of commands answers today what it answered when it was recorded.

`operations/` holds the scripts, `expected/` what they answered, `replay.py` says how scripts are written and
`reduce.py` what is compared. After a deliberate change, record again: see `record.py`.
"""

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from .record import laid_out
from .replay import Replay

HERE = Path(__file__).parent
AREAS = sorted(path.stem for path in (HERE / "operations").glob("*.txt"))


@pytest.mark.parametrize("area", AREAS)
def test_every_command_of_an_area_answers_as_recorded(area: str, tmp_path: Path) -> None:
    script = (HERE / "operations" / f"{area}.txt").read_text(encoding="utf-8")
    recorded: list[dict[str, Any]] = json.loads((HERE / "expected" / f"{area}.json").read_text(encoding="utf-8"))
    entries = Replay(tmp_path.resolve()).run(script)
    assert [entry["run"] for entry in entries] == [entry["run"] for entry in recorded]
    for entry, expected in zip(entries, recorded, strict=True):
        assert entry == expected, _difference(expected, entry)


def _difference(expected: Any, entry: Any) -> str:
    was, now = laid_out(expected).splitlines(), laid_out(entry).splitlines()
    return "\n".join([f"{entry['run']}:", *difflib.unified_diff(was, now, "recorded", "now", n=1, lineterm="")])
