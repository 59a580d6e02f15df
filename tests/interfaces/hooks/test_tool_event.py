"""What is kept of a tool call: what was done, and how it ended."""

import json
from pathlib import Path
from typing import Any

from satchel.interfaces.hooks.tool_event import MAX_DETAIL_CHARS, MAX_OUTPUT_CHARS, tool_event
from tests.tables import each_case

CLAUDE = {"session_id": "5b1c", "transcript_path": "/t.jsonl", "cwd": "/srv/shop", "permission_mode": "default"}
BASH = {"tool_name": "Bash", "tool_input": {"command": "make test", "description": "Test"}, "tool_use_id": "toolu_1"}


def kept(host: str, **event: Any) -> dict[str, Any]:
    found = tool_event(host, event)
    assert found is not None
    return found


def test_a_command_of_claude_code_is_kept_without_the_rest_of_the_input() -> None:
    answer = {"stdout": "12 passed", "stderr": "", "interrupted": False, "isImage": False}

    assert kept(
        "claude-code", **CLAUDE, **BASH, hook_event_name="PostToolUse", tool_response=answer, duration_ms=40
    ) == {
        "kind": "tool",
        "tool_name": "Bash",
        "summary": "Bash: make test",
        "text": "12 passed",
        "detail": {"outcome": "ok", "command": "make test", "description": "Test", "duration_ms": 40},
        "id": "claude-code:5b1c:toolu_1",
        "session_key": "5b1c",
        "tool_call_id": "toolu_1",
        "cwd": "/srv/shop",
    }


@each_case(
    ("host", "event", "summary", "outcome", "exit_code"),
    [
        (
            "claude-code",
            {"hook_event_name": "PostToolUseFailure", "error": "Exit code 2\nE  assert 1 == 2", "is_interrupt": False},
            "Bash: make test (failed, exit code 2)",
            "failed",
            2,
        ),
        ("codex", {"hook_event_name": "PostToolUse", "tool_response": "hello\n"}, "Bash: make test", "unknown", None),
        (
            "cursor",
            {"hook_event_name": "postToolUse", "tool_output": '{"exitCode":0,"stdout":"All tests passed"}'},
            "Bash: make test",
            "ok",
            0,
        ),
        (
            "cursor",
            {"hook_event_name": "postToolUse", "tool_output": '{"exitCode":1,"stderr":"no rule"}'},
            "Bash: make test (failed, exit code 1)",
            "failed",
            1,
        ),
        (
            "cursor",
            {"hook_event_name": "postToolUseFailure", "error_message": "timed out", "failure_type": "timeout"},
            "Bash: make test (failed)",
            "failed",
            None,
        ),
        (
            "gemini",
            {"hook_event_name": "AfterTool", "tool_response": {"llmContent": "Output: no rule\nExit Code: 2\n"}},
            "Bash: make test (failed, exit code 2)",
            "failed",
            2,
        ),
        (
            "gemini",
            {"hook_event_name": "AfterTool", "tool_response": {"llmContent": "Output: fine", "returnDisplay": "fine"}},
            "Bash: make test",
            "unknown",
            None,
        ),
        (
            "gemini",
            {"hook_event_name": "AfterTool", "tool_response": {"llmContent": "", "error": {"message": "denied"}}},
            "Bash: make test (failed)",
            "failed",
            None,
        ),
    ],
)
def test_each_host_says_how_a_command_ended(
    host: str, event: dict[str, Any], summary: str, outcome: str, exit_code: int | None
) -> None:
    found = kept(host, **CLAUDE, **BASH, **event)
    assert (found["summary"], found["detail"]["outcome"]) == (summary, outcome)
    assert found["detail"].get("exit_code") == exit_code


@each_case(
    ("code", "summary", "outcome"), [(3, " (failed, exit code 3)", "failed"), (0, "", "ok"), (None, "", "unknown")]
)
def test_the_exit_code_of_codex_is_in_its_transcript(
    tmp_path: Path, code: int | None, summary: str, outcome: str
) -> None:
    item = {"type": "CommandExecution", "id": "toolu_1", "exit_code": code}
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps({"type": "event_msg", "payload": {"item": item}}) + "\n", encoding="utf-8")
    event = {**CLAUDE, "transcript_path": str(path), "hook_event_name": "PostToolUse", "tool_response": "hello"}
    found = kept("codex", **event, **BASH)
    assert found["summary"] == f"Bash: make test{summary}"
    assert found["detail"] == {
        "outcome": outcome,
        **({} if code is None else {"exit_code": code}),
        "command": "make test",
        "description": "Test",
    }


@each_case(
    ("tool", "asked"),
    [
        ("Read", {"file_path": "/a"}),
        ("Grep", {"pattern": "a"}),
        ("read_file", {"path": "/a"}),
        ("mcp__satchel__memory_recall", {"query": "a"}),
        ("Bash", {"command": "satchel recall deploy"}),
        ("Bash", {"command": "/usr/local/bin/satchel list"}),
    ],
)
def test_what_can_be_had_again_and_our_own_output_are_not_kept(tool: str, asked: dict[str, Any]) -> None:
    event = {
        "tool_name": tool,
        "tool_input": asked,
        "tool_response": {"content": "x"},
        "hook_event_name": "PostToolUse",
    }
    assert tool_event("claude-code", {**CLAUDE, **event}) is None


def test_a_failed_read_is_kept() -> None:
    event = {"tool_name": "Read", "tool_input": {"file_path": "/a"}, "error": "no such file"}
    found = kept("claude-code", **CLAUDE, **event, hook_event_name="PostToolUseFailure")
    assert (found["summary"], found["text"]) == ("Read: /a (failed)", "no such file")


def test_of_an_edit_only_the_file_is_kept() -> None:
    asked = {"file_path": "/srv/shop/a.py", "old_string": "a", "new_string": "b"}
    event = {"tool_name": "Edit", "tool_input": asked, "tool_response": {"content": "the whole file"}}
    found = kept("claude-code", **CLAUDE, **event, hook_event_name="PostToolUse")
    assert (found["summary"], found["text"]) == ("Edit: /srv/shop/a.py", "")
    assert found["detail"] == {"outcome": "ok", "file_path": "/srv/shop/a.py"}


@each_case(
    "event",
    [
        {},
        {"tool_name": 5, "tool_input": [], "tool_response": None, "session_id": {}, "tool_use_id": []},
        {"tool_name": {"a": 1}, "tool_input": "x", "tool_response": [[[]]], "hook_event_name": []},
        {"tool_name": "x" * 10_000, "tool_input": {"command": "\ud800" * 9_000}, "cwd": "/" * 99_999},
        {"tool_name": "Bash", "tool_input": {"command": ["a"]}, "tool_response": {"stdout": {"a": [1]}}},
    ],
)
def test_any_event_gives_something_bounded(event: dict[str, Any]) -> None:
    found = kept("claude-code", **event)
    assert len(json.dumps(found["detail"])) <= 12 * MAX_DETAIL_CHARS
    assert "cwd" not in found or len(found["cwd"]) < 5_000


def test_the_end_of_a_huge_output_is_searched_from_a_whole_line_on() -> None:
    output = f"{'password=' + 'x' * MAX_OUTPUT_CHARS}\nlast line"
    found = kept("claude-code", **CLAUDE, **BASH, hook_event_name="PostToolUse", tool_response={"stdout": output})
    assert found["text"] == "last line"
