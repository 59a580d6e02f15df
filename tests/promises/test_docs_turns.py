"""The page about turns shows what the hooks do."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "turns.md").read_text(encoding="utf-8")
COMMANDS = [
    found
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for found in re.findall(
        r"^\$ echo '(.*)' \| satchel turn (\w+) \| jq -r '(.*)'\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE
    )
]


def _picked(result: dict[str, object], filter: str) -> str:
    """Do what the page's few jq filters do, so that nobody needs jq to test."""
    if filter == ".result.block":
        return str(result["block"])
    if filter == ".result.skip_reason":
        return str(result["skip_reason"])
    captured = result["captured"]
    assert isinstance(captured, list)
    return "\n".join(" · ".join(one[name] for name in ("action", "kind", "cue")) for one in captured)


def test_its_commands_print_what_it_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    assert len(COMMANDS) == 4
    for given, which, filter, expected in COMMANDS:
        words = [sys.executable, "-m", "satchel", "turn", which]
        done = subprocess.run(words, input=given, capture_output=True, text=True, check=True)
        assert _picked(json.loads(done.stdout)["result"], filter) == expected.strip()
