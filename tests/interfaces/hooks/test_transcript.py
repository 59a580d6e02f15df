"""Transcripts of hosts, as they write them."""

import json
from pathlib import Path
from typing import Any

from satchel.interfaces.hooks.transcript import MAX_BYTES, exit_code_of, last_turn, turns_after
from tests.tables import each_case


def said(role: str, text: str) -> dict[str, Any]:
    """Return a line of Claude Code."""
    return {"type": role, "isSidechain": False, "message": {"role": role, "content": [{"type": "text", "text": text}]}}


def codex(type: str, **item: Any) -> dict[str, Any]:
    """Return a line of Codex."""
    return {"type": "event_msg", "payload": {"type": "item_completed", "turn_id": "t", "item": {"type": type, **item}}}


def written(path: Path, *entries: object) -> str:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in entries)
    return str(path)


def prompts(found: list[list[dict[str, Any]]]) -> list[str]:
    return [turn[0]["content"] for turn in found]


class TestTurns:
    def test_only_what_was_said_since_the_last_reading_is_returned(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.jsonl", said("user", "one"), said("assistant", "a"), said("user", "two"))
        first = turns_after(path, 0)
        assert first.turns[0] == [{"role": "user", "content": "one"}, {"role": "assistant", "content": "a"}]
        assert prompts(first.turns) == ["one", "two"]
        assert turns_after(path, first.end) == ([], [], first.end)
        assert prompts(turns_after(path, first.ends[0]).turns) == ["two"]
        assert first.ends[-1] == first.end

        written(tmp_path / "t.jsonl", said("assistant", "b"), said("user", "three"))
        assert prompts(turns_after(path, first.end).turns) == ["three"]

    def test_a_line_that_is_still_written_is_read_the_next_time(self, tmp_path: Path) -> None:
        path = tmp_path / "t.jsonl"
        written(path, said("user", "one"))
        line = json.dumps(said("user", "two")) + "\n"
        path.write_text(path.read_text(encoding="utf-8") + line[:30], encoding="utf-8")
        first = turns_after(str(path), 0)
        assert prompts(first.turns) == ["one"]
        path.write_text(path.read_text(encoding="utf-8") + line[30:], encoding="utf-8")
        assert prompts(turns_after(str(path), first.end).turns) == ["two"]

    def test_a_file_that_was_replaced_is_read_from_its_start(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.jsonl", said("user", "one"))
        assert prompts(turns_after(path, 10_000_000).turns) == ["one"]

    def test_only_the_end_of_a_long_file_is_read(self, tmp_path: Path) -> None:
        path = written(
            tmp_path / "t.jsonl", said("user", "old"), said("assistant", "x" * MAX_BYTES), said("user", "new")
        )
        assert prompts(turns_after(path, 0).turns) == ["new"]

    @each_case(
        "entry",
        [
            {"type": "api-request-blob", "message": {"role": "user", "content": [{"type": "text", "text": "sent"}]}},
            {"type": "queue-operation", "content": "sent"},
            {"type": "attachment", "message": {"role": "user", "content": "sent"}},
            {**said("user", "sent"), "isMeta": True},
            {**said("user", "sent"), "isCompactSummary": True},
            {**said("user", "sent"), "isSidechain": True},
            said("user", "<command-name>/compact</command-name>"),
            codex("CommandExecution", aggregated_output="sent"),
            {"type": "event_msg", "payload": {"item": 5}},
            {"type": "event_msg", "payload": None},
            "sent",
            [[]],
        ],
    )
    def test_lines_that_the_user_did_not_type_are_skipped(self, tmp_path: Path, entry: object) -> None:
        path = tmp_path / "t.jsonl"
        path.unlink(missing_ok=True)
        written(path, said("user", "typed"), entry)
        assert prompts(turns_after(str(path), 0).turns) == ["typed"]
        assert last_turn(str(path)) == [{"role": "user", "content": "typed"}]

    @each_case(
        "entry",
        [
            said("user", "typed"),
            {"message": {"role": "user", "content": "typed"}},
            {"type": "message", "message": {"role": "user", "content": "typed"}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": "typed"}},
            codex("UserMessage", content=[{"type": "text", "text": "typed", "text_elements": []}]),
        ],
    )
    def test_prompts_of_every_host_are_read(self, tmp_path: Path, entry: object) -> None:
        path = tmp_path / "t.jsonl"
        path.unlink(missing_ok=True)
        assert prompts(turns_after(written(path, entry), 0).turns) == ["typed"]


class TestExitCodes:
    @each_case(
        ("call", "expected"), [("call_1", 3), ("call_2", 0), ("call_3", None), ("call_4", None), ("call_5", None)]
    )
    def test_codex_writes_them_into_its_transcript(self, tmp_path: Path, call: str, expected: int | None) -> None:
        path = tmp_path / "t.jsonl"
        path.unlink(missing_ok=True)
        written(
            path,
            codex("CommandExecution", id="call_1", exit_code=3, status="failed"),
            codex("CommandExecution", id="call_2", exit_code=0, status="completed"),
            codex("CommandExecution", id="call_3", exit_code=None),
            codex("AgentMessage", id="call_4", exit_code=7, text="CommandExecution"),
        )
        assert exit_code_of(str(path), call) == expected
