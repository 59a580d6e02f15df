"""What hosts send to the hooks around a turn, as it is, and what people and faulty programs send."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from satchel.errors import InvalidRequest
from satchel.interfaces.hooks.host_input import turn_arguments
from satchel.interfaces.operations import operations_in
from tests.tables import each_case

OPERATIONS = {operation.name: operation for operation in operations_in("turns")}
CLAUDE = {
    "session_id": "5b1c",
    "transcript_path": "/nowhere/5b1c.jsonl",
    "cwd": "/srv/shop",
    "permission_mode": "default",
}
CODEX = {**CLAUDE, "model": "gpt-5", "turn_id": "t7"}
OPENCLAW = {
    "runId": "r1",
    "agentId": "main",
    "sessionKey": "agent:main:s1",
    "sessionId": "s1",
    "workspaceDir": "/srv/shop",
    "modelId": "mock",
}
USER = {"role": "user", "content": "We ship on Thursdays."}


def arguments(which: str, given: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    operation = OPERATIONS[f"turn {which}"]
    values = turn_arguments(operation, {one.name: one for one in operation.parameters}, given)
    warnings = [one.partition(":")[0] for one in values.pop("host_warnings")]
    return values, warnings


def refused(which: str, given: dict[str, Any]) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        arguments(which, given)
    return caught.value


@each_case(
    ("given", "expected"),
    [
        (
            {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "which day?"},
            {"prompt": "which day?", "cwd": "/srv/shop"},
        ),
        (
            {**CODEX, "hook_event_name": "UserPromptSubmit", "prompt": "哪天發布？"},
            {"prompt": "哪天發布？", "cwd": "/srv/shop"},
        ),
        (
            {**CLAUDE, "hook_event_name": "BeforeAgent", "prompt": "which day?", "timestamp": "2026-11-16T00:00:00Z"},
            {"prompt": "which day?", "cwd": "/srv/shop"},
        ),
        (
            {"event": {"prompt": "which day?", "messages": [USER]}, "ctx": OPENCLAW},
            {"prompt": "which day?", "messages": [USER], "cwd": "/srv/shop"},
        ),
        (
            {**OPENCLAW, "prompt": "which day?", "messages": [USER], "queuedInjections": []},
            {"prompt": "which day?", "messages": [USER], "cwd": "/srv/shop"},
        ),
        ({**OPENCLAW, "currentUserMessage": "which day?"}, {"prompt": "which day?", "cwd": "/srv/shop"}),
        (
            {**OPENCLAW, "currentUserMessage": {"role": "user", "content": "which day?"}},
            {"prompt": "which day?", "cwd": "/srv/shop"},
        ),
        ({"event": {"prompt": "a"}, "context": None}, {"prompt": "a"}),
        ({"prompt": "a", "scope": "auto", "cwd": None}, {"prompt": "a", "scope": "auto"}),
        (
            {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "a", "scope": "project/x", "mode": "lexical"},
            {"prompt": "a", "scope": "project/x", "mode": "lexical", "cwd": "/srv/shop"},
        ),
    ],
)
def test_the_prompt_of_every_host_is_found_without_a_warning(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert arguments("before", given) == (expected, [])


@each_case(
    ("given", "expected"),
    [
        (
            {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "Use tabs."},
            {"messages": [{"role": "user", "content": "Use tabs."}], "session": "5b1c", "cwd": "/srv/shop"},
        ),
        (
            {
                "type": "agent-turn-complete",
                "thread-id": "th1",
                "turn-id": "9",
                "cwd": "/srv/shop",
                "client": "codex-tui",
                "input-messages": ["Use tabs.", "And short lines."],
                "last-assistant-message": "Done.",
            },
            {
                "messages": [
                    {"role": "user", "content": "Use tabs."},
                    {"role": "user", "content": "And short lines."},
                ],
                "session": "th1",
                "cwd": "/srv/shop",
            },
        ),
        (
            {"event": {"messages": [USER], "success": True, "durationMs": 5}, "ctx": OPENCLAW},
            {"messages": [USER], "session": "agent:main:s1", "cwd": "/srv/shop"},
        ),
        (
            {**CLAUDE, "hook_event_name": "AfterAgent", "prompt": "Use tabs.", "prompt_response": "Done."},
            {"messages": [{"role": "user", "content": "Use tabs."}], "session": "5b1c", "cwd": "/srv/shop"},
        ),
        ({"messages": [USER], "session": 7}, {"messages": [USER], "session": "7"}),
        ({"messages": [], "prompt": "ignored"}, {"messages": []}),
    ],
)
def test_the_messages_of_every_host_are_found_without_a_warning(
    given: dict[str, Any], expected: dict[str, Any]
) -> None:
    if expected["messages"]:
        assert arguments("after", given) == (expected, [])
    else:
        assert arguments("after", given)[0] == expected


@each_case(
    ("which", "given", "named"),
    [
        ("before", {"prompt": "a", "promt": "b"}, "promt"),
        ("before", {"prompt": "a", "session_id": "s", "hookEventName": "x"}, "hookEventName, session_id"),
        ("before", {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "a", "new_key": 1}, "new_key"),
        ("before", {"prompt": "a", "b\u001b[31m\n": 1}, "b?[31m?"),
        ("before", {"prompt": "a", "日本": 1, "\ud800": 1}, "日本, ?"),
        ("before", {"prompt": "a", "x" * 10_000: 1}, "x" * 40),
        (
            "before",
            {"prompt": "a", **{f"k{n:04}": n for n in range(5_000)}},
            "k0000, k0001, k0002, k0003, k0004 and 4995 more",
        ),
        ("after", {"messages": [USER], "prompt_tokens": 5}, "prompt_tokens"),
    ],
)
def test_unknown_keys_are_named_in_one_warning(which: str, given: dict[str, Any], named: str) -> None:
    operation = OPERATIONS[f"turn {which}"]
    values = turn_arguments(operation, {one.name: one for one in operation.parameters}, given)
    assert values["host_warnings"] == (f"ignored_keys: keys of the input that mean nothing here: {named}",)


@each_case("folder", ["shop", "./shop", "~/shop", "", "/a\0b", 5, ["/work"], {"path": "/work"}])
def test_a_folder_that_is_no_path_is_ignored_with_a_warning(folder: object) -> None:
    assert arguments("before", {"prompt": "a", "cwd": folder}) == ({"prompt": "a"}, ["folder_ignored"])


@each_case(
    ("which", "given", "code", "message"),
    [
        ("before", {}, "missing_param", "prompt"),
        ("before", {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"}, "missing_param", "SessionStart"),
        ("before", {**CLAUDE, "hook_event_name": "Stop", "stop_hook_active": False}, "missing_param", "Stop"),
        ("before", {"prompt": 5}, "wrong_type", "prompt"),
        ("before", {"prompt": ["a"]}, "wrong_type", "prompt"),
        ("before", {"prompt": "a", "mode": "telepathic"}, "unknown_word", "mode"),
        ("before", {"prompt": "a", "scope": 5}, "wrong_type", "scope"),
        ("before", {"event": "prompt", "ctx": []}, "missing_param", "prompt"),
        ("after", {}, "missing_param", "messages"),
        ("after", {"messages": "hello"}, "wrong_type", "messages"),
        (
            "after",
            {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "clear"},
            "missing_param",
            "SessionEnd",
        ),
        ("after", {**CLAUDE, "hook_event_name": "SubagentStop"}, "not_a_turn", "SubagentStop"),
        ("after", {**CLAUDE, "hook_event_name": "Stop"}, "transcript_unreadable", "No such file"),
        ("after", {"transcript_path": "relative.jsonl"}, "transcript_unreadable", "absolute"),
        ("after", {"transcript_path": "/dev/zero"}, "transcript_unreadable", "plain file"),
        ("after", {"transcript_path": "/"}, "transcript_unreadable", "directory"),
        ("after", {"transcript_path": "/a\0b"}, "transcript_unreadable", "null"),
        ("after", {"transcript_path": 5}, "transcript_unreadable", "absolute"),
    ],
)
def test_what_cannot_be_a_turn_says_why(which: str, given: dict[str, Any], code: str, message: str) -> None:
    error = refused(which, given)
    assert (error.code, message in error.message) == (code, True), error.message


class TestTranscripts:
    def turn(self, path: Path, *lines: object) -> list[dict[str, Any]]:
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8", errors="surrogatepass")
        given = {**CLAUDE, "hook_event_name": "Stop", "transcript_path": str(path), "last_assistant_message": "Done."}
        messages: list[dict[str, Any]] = arguments("after", given)[0]["messages"]
        return messages

    def test_claude_code_the_last_turn_without_what_the_user_did_not_type(self, tmp_path: Path) -> None:
        def line(kind: str, content: object, **more: object) -> dict[str, object]:
            return {"type": kind, "message": {"role": kind, "content": content}, "sessionId": "5b1c", **more}

        result = [{"type": "tool_result", "tool_use_id": "t1", "content": "I prefer spaces."}]
        turn = self.turn(
            tmp_path / "claude.jsonl",
            line("user", "an earlier turn"),
            line("assistant", [{"type": "text", "text": "ok"}]),
            {"type": "file-history-snapshot", "snapshot": {}},
            line("user", "I prefer tabs."),
            line("user", "Summary: the user prefers rust.", isCompactSummary=True),
            line("user", "Caveat: from local commands.", isMeta=True),
            line("user", "Explore the code as an agent.", isSidechain=True),
            line("user", "<command-name>/compact</command-name>"),
            line("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."}]),
            line("user", result),
            "not json at all",
            "[1, 2]",
            '{"type": "user", "message": 5}',
        )
        assert turn == [{"role": "user", "content": "I prefer tabs."}, {"role": "assistant", "content": "Noted."}]

    def test_codex(self, tmp_path: Path) -> None:
        context = [{"type": "input_text", "text": "<environment_context>…"}]
        turn = self.turn(
            tmp_path / "rollout.jsonl",
            {"type": "session_meta", "payload": {"id": "x"}},
            {"type": "response_item", "payload": {"type": "message", "role": "user", "content": context}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": "以後都用 tabs"}},
            {"type": "event_msg", "payload": {"type": "token_count"}},
            {"type": "event_msg", "payload": {"type": "agent_message", "message": "好"}},
        )
        assert turn == [{"role": "user", "content": "以後都用 tabs"}, {"role": "assistant", "content": "好"}]

    def test_only_the_end_of_a_long_one_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "long.jsonl"
        filler = json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 1_000}}) + "\n"
        path.write_text(filler * 5_000, encoding="utf-8")
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": "user", "message": USER}) + "\n")
        given = {"hook_event_name": "Stop", "transcript_path": str(path)}
        assert arguments("after", given)[0]["messages"] == [USER]

    def test_one_without_a_prompt_or_a_pipe_says_so(self, tmp_path: Path) -> None:
        for content in ("", "\n\n", "{}", "[" * 50_000, '{"type": "user", "message": {"role": "user"}}', "\0" * 100):
            (tmp_path / "t.jsonl").write_text(content, encoding="utf-8")
            error = refused("after", {"hook_event_name": "Stop", "transcript_path": str(tmp_path / "t.jsonl")})
            assert error.code == "no_messages"
        os.mkfifo(tmp_path / "pipe")
        error = refused("after", {"hook_event_name": "Stop", "transcript_path": str(tmp_path / "pipe")})
        assert error.code == "transcript_unreadable"
