"""The examples of the page about turns run, and print what it shows."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

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
    assert len(COMMANDS) == 7
    for given, which, filter, expected in COMMANDS:
        words = [sys.executable, "-m", "satchel", "turn", which]
        done = subprocess.run(words, input=given, capture_output=True, text=True, check=True)
        assert _undated(_picked(json.loads(done.stdout)["result"], filter)) == _undated(expected.strip())


def _in_page(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


def _shell(command: str, given: str, folder: Path, home: Path) -> str:
    """Run a hook's command as its host does, and return what it prints."""
    program = folder / "satchel"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m satchel "$@"\n', encoding="utf-8")
    program.chmod(0o700)
    environment = {**os.environ, "SATCHEL_HOME": str(home), "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command], input=given, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.skipif(shutil.which("jq") is None, reason="the hooks of the page need jq")
def test_the_hooks_for_claude_code_capture_and_recall(home: Path, tmp_path: Path) -> None:
    hooks = json.loads(_in_page("json"))["hooks"]
    before, after, capture, failed = (hooks[name][0]["hooks"][0]["command"] for name in hooks)
    assert list(hooks) == ["UserPromptSubmit", "Stop", "PostToolUse", "PostToolUseFailure"]
    said = {"role": "user", "content": "From now on, always use tabs in Makefiles."}
    (tmp_path / "t.jsonl").write_text(json.dumps({"type": "user", "message": said}), encoding="utf-8")
    around = {"session_id": "1", "transcript_path": str(tmp_path / "t.jsonl"), "cwd": "/"}
    asked = {**around, "hook_event_name": "UserPromptSubmit", "prompt": "tabs or spaces in Makefiles?"}
    assert _shell(after, json.dumps({**around, "hook_event_name": "Stop"}), tmp_path, home) == ""
    assert "always use tabs in Makefiles" in _shell(before, json.dumps(asked), tmp_path, home)

    used: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "ok"}}
    assert _shell(capture, json.dumps({**around, "hook_event_name": "PostToolUse", **used}), tmp_path, home) == ""
    used = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Exit code 2"}
    assert _shell(failed, json.dumps({**around, "hook_event_name": "PostToolUseFailure", **used}), tmp_path, home) == ""
    assert "2 of 2 event" in _shell("satchel ingest", "", tmp_path, home)


def test_the_program_for_codex_takes_the_notice_as_an_argument(home: Path, tmp_path: Path) -> None:
    program = tomllib.loads(_in_page("toml"))["notify"]
    notice = {"type": "agent-turn-complete", "turn-id": "1", "input-messages": ["tabs"], "last-assistant-message": "ok"}
    assert _shell(f"{' '.join(program)} '{json.dumps(notice)}'", "", tmp_path, home) == ""
    assert "1 of 1 event" in _shell("satchel ingest", "", tmp_path, home)
