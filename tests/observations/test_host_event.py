"""Events of hosts, as their capture hooks receive them."""

import json
from typing import Any

from satchel.observations.event import CaptureContext, CapturedEvent, parse_event
from tests.tables import each_case

CLAUDE = {"session_id": "5b1c", "transcript_path": "/t.jsonl", "cwd": "/srv/shop", "permission_mode": "default"}
OPENCLAW = {"runId": "r1", "sessionKey": "agent:main:s1", "workspaceDir": "/srv/shop"}


def seen(event: dict[str, Any], **context: Any) -> CapturedEvent:
    parsed = parse_event(event, CaptureContext(5_000, "global", **context))
    assert parsed is not None
    return parsed


@each_case(
    ("event", "summary", "text", "outcome", "exit_code"),
    [
        (
            {
                **CLAUDE,
                "hook_event_name": "PostToolUse",
                "tool_name": "Bash",
                "tool_input": {"command": "make test", "description": "Run the tests"},
                "tool_response": {"stdout": "12 passed", "stderr": "", "interrupted": False, "isImage": False},
                "tool_use_id": "toolu_1",
            },
            "Bash: make test",
            "12 passed",
            "ok",
            None,
        ),
        (
            {
                **CLAUDE,
                "hook_event_name": "PostToolUseFailure",
                "tool_name": "Bash",
                "tool_input": {"command": "make test"},
                "error": "Exit code 2\nmake: *** No rule",
                "is_interrupt": False,
                "tool_use_id": "toolu_1",
            },
            "Bash: make test (failed, exit code 2)",
            "Exit code 2\nmake: *** No rule",
            "failed",
            2,
        ),
        (
            {
                **CLAUDE,
                "hook_event_name": "PostToolUse",
                "tool_name": "mcp__satchel__memory_recall",
                "tool_input": {"query": "release day"},
                "tool_response": [{"type": "text", "text": "1. Thursdays"}],
                "tool_use_id": "toolu_1",
            },
            "mcp__satchel__memory_recall: release day",
            "1. Thursdays",
            "ok",
            None,
        ),
        (
            {
                **CLAUDE,
                "model": "gpt-5",
                "hook_event_name": "PostToolUse",
                "tool_name": "Bash",
                "tool_input": {"command": "false"},
                "tool_response": "",
                "tool_use_id": "toolu_1",
            },
            "Bash: false",
            "",
            "unknown",
            None,
        ),
        (
            {
                "event": {
                    "toolName": "exec",
                    "params": {"command": "ls /x"},
                    "toolCallId": "toolu_1",
                    "result": {
                        "content": [{"type": "text", "text": "ls: /x: not found"}],
                        "details": {"status": "completed", "exitCode": 1},
                    },
                },
                "ctx": OPENCLAW,
            },
            "exec: ls /x (failed, exit code 1)",
            "ls: /x: not found",
            "failed",
            1,
        ),
        (
            {**OPENCLAW, "toolName": "exec", "toolCallId": "toolu_1", "result": {"details": {"exitCode": 0}}},
            "exec called",
            "",
            "ok",
            0,
        ),
        (
            {**OPENCLAW, "toolName": "read", "toolCallId": "toolu_1", "params": {"path": "a.py"}, "error": "ENOENT"},
            "read: a.py (failed)",
            "ENOENT",
            "failed",
            None,
        ),
        (
            {
                **CLAUDE,
                "hook_event_name": "AfterTool",
                "tool_name": "read_file",
                "tool_input": {"path": "a.py"},
                "tool_response": {"llmContent": "print(1)", "returnDisplay": ""},
                "tool_use_id": "toolu_1",
            },
            "read_file: a.py",
            "print(1)",
            "unknown",
            None,
        ),
    ],
)
def test_a_tool_call_is_kept_with_its_output_and_its_end(
    event: dict[str, Any], summary: str, text: str, outcome: str, exit_code: int | None
) -> None:
    one = seen(event)
    detail = json.loads(one.detail or "{}")
    assert (one.kind, one.summary, one.text, one.tool_call_id) == ("tool", summary, text, "toolu_1")
    assert (detail["outcome"], detail.get("exit_code")) == (outcome, exit_code)
    assert one.session_key in ("5b1c", "agent:main:s1")


@each_case(
    ("event", "kind", "text"),
    [
        ({**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "發布日？"}, "message", "發布日？"),
        ({**CLAUDE, "hook_event_name": "Stop", "last_assistant_message": "Done."}, "message", "Done."),
        (
            {
                "type": "agent-turn-complete",
                "thread-id": "5b1c",
                "input-messages": ["a", "b"],
                "last-assistant-message": "c",
            },
            "message",
            "a\nb\nc",
        ),
        ({**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"}, "event", ""),
        ({**CLAUDE, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}, "tool", ""),
        ({**CLAUDE, "hook_event_name": "X", "prompt": {"deep": [{"er": 5}]}}, "event", ""),
        ({"hook_event_name": "X", "session_id": "5b1c", "text": "ours", "kind": "note"}, "note", "ours"),
        ({**OPENCLAW, "sessionKey": "5b1c", "toolName": "exec", "text": "ours"}, "tool", "ours"),
    ],
)
def test_other_events_are_kept_too(event: dict[str, Any], kind: str, text: str) -> None:
    one = seen(event)
    assert (one.kind, one.text, one.session_key) == (kind, text, "5b1c")


def test_private_and_injected_text_is_found_under_the_keys_of_hosts() -> None:
    prompt = {**CLAUDE, "hook_event_name": "UserPromptSubmit"}
    assert parse_event({**prompt, "prompt": "<private> my salary"}, CaptureContext(5, "global")) is None
    block = "<relevant-memories>\n1. [fact] x\n</relevant-memories>which day?"
    assert seen({**prompt, "prompt": block}).text == "which day?"
    masked = seen({**prompt, "prompt": "use ghp_Zk3Qw8Rt5Yp2Lm9Xc4Vb7Nj1Hg6Fd0SaTeUi"})
    assert "ghp_" not in masked.text + (masked.detail or "")


@each_case(
    ("event", "expected"),
    [
        ({"text": "x", "cwd": "/srv/shop"}, "at /srv/shop"),
        ({**CLAUDE, "hook_event_name": "Stop", "last_assistant_message": "x"}, "at /srv/shop"),
        ({"event": {"toolName": "exec", "result": "x"}, "ctx": OPENCLAW}, "at /srv/shop"),
        ({"text": "x"}, "at None"),
        ({"text": "x", "cwd": "relative"}, "at None"),
        ({"text": "x", "cwd": "/a\0b"}, "at None"),
        ({"text": "x", "cwd": ["/a"]}, "at None"),
        ({"text": "x", "cwd": "/srv/shop", "scope": "project/b"}, "project/b"),
    ],
)
def test_the_scope_auto_is_the_project_of_each_events_folder(event: dict[str, Any], expected: str) -> None:
    context = CaptureContext(5_000, "auto", project_scope=lambda folder: f"at {folder}")
    parsed = parse_event(event, context)
    assert parsed is not None
    assert parsed.scope == expected
    fixed = parse_event({**event, "scope": "auto"}, context._replace(default_scope="global"))
    assert fixed is not None
    assert fixed.scope == (expected if expected.startswith("at ") else "at /srv/shop")
