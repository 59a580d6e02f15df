"""The examples of the page about turns run, and print what it shows."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.domain.hosts import CLAUDE_CODE, CODEX, CODEX_NOTIFY, CURSOR, GEMINI, HOOK_EVENTS

PAGE = (Path(__file__).parents[2] / "docs" / "turns.md").read_text(encoding="utf-8")
COMMANDS = [
    found
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for found in re.findall(
        r"^\$ echo '(.*)' \| satchel turn (\w+) \| jq -r '(.*)'\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE
    )
]

HOOKS = re.findall(r"^\$ echo '(.*)' \| satchel hook (\S+) (\w+)\n((?:(?!```).*\n)*)", PAGE, re.MULTILINE)
HOSTS_OF_PAGE = (CLAUDE_CODE, CODEX, GEMINI, CURSOR)


def _picked(result: dict[str, object], filter: str) -> str:
    """Apply one of the page's jq filters, without jq."""
    if filter == ".result.block":
        return str(result["block"])
    if filter == ".result.skip_reason":
        return str(result["skip_reason"])
    captured = result["captured"]
    assert isinstance(captured, list)
    if ".replaced" in filter:
        return "\n".join(f"{one['cue']} · {json.dumps(one['replaced'] is not None)}" for one in captured)
    return "\n".join(" · ".join(one[name] for name in ("action", "kind", "cue")) for one in captured)


def _undated(text: str) -> str:
    return re.sub(r"\|\d{4}-\d\d-\d\d\]", "|DATE]", text)


def test_commands_print_what_the_page_shows(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    assert len(COMMANDS) == 8
    for given, which, filter, expected in COMMANDS:
        words = [sys.executable, "-m", "satchel", "turn", which]
        done = subprocess.run(words, input=given, capture_output=True, text=True, check=True)
        assert _undated(_picked(json.loads(done.stdout)["result"], filter)) == _undated(expected.strip())
    ((given, host, event, expected),) = HOOKS
    words = [sys.executable, "-m", "satchel", "hook", host, event]
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=True)
    assert (_undated(done.stdout), done.stderr) == (_undated(expected), "")


def test_the_page_names_every_event_of_every_host() -> None:
    (table,) = re.findall(r"^\| \| Claude Code \|.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    columns = zip(*(row.split(" | ")[1:] for row in table.strip().split("\n")[2:]), strict=True)
    named = [set(re.findall(r"`(\w+)`", " ".join(cells))) - {"turn after"} for cells in columns]
    assert named == [{*HOOK_EVENTS[host], *([CODEX_NOTIFY] if host == CODEX else [])} for host in HOSTS_OF_PAGE]
