"""A fixed corpus of commands answers today what it answered when it was recorded.

`operations/` holds the scripts, `expected/` what they answered, `replay.py` says how scripts are written and
`reduce.py` what is compared. `store/` holds the ledger that an earlier version wrote, and what it is asked.
After a deliberate change, record again: see `record.py`.
"""

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from .record import AREAS, expected, laid_out, replayed


@pytest.mark.parametrize("area", AREAS)
def test_every_command_answers_as_recorded(area: str, tmp_path: Path) -> None:
    recorded: list[dict[str, Any]] = json.loads(expected(area).read_text(encoding="utf-8"))
    entries = replayed(area, tmp_path.resolve())
    assert [entry["run"] for entry in entries] == [entry["run"] for entry in recorded]
    for entry, one in zip(entries, recorded, strict=True):
        assert entry == one, _difference(one, entry)


def _difference(recorded: Any, entry: Any) -> str:
    was, now = laid_out(recorded).splitlines(), laid_out(entry).splitlines()
    return "\n".join([f"{entry['run']}:", *difflib.unified_diff(was, now, "recorded", "now", n=1, lineterm="")])
