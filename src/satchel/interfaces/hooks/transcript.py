"""Read a host's transcript: a file of JSON lines, of which only the end is read.

Claude Code gives the hook at the end of a turn the answer, but not the prompt, which only the transcript has. Codex gives the
hook after a tool its output, but not the exit code of a command, which only the transcript has.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from satchel.domain.text import replace_undecodable
from satchel.os_calls import READ_NOW

MAX_BYTES = 2_000_000
# The end of a transcript in which the command that just ran is found.
MAX_COMMAND_BYTES = 500_000
# Blocks that a host writes into a transcript in the name of the user.
NOT_TYPED = ("<command-", "<local-command-", "<environment_context>", "<user_instructions>", "<system-reminder>")
_NOT_BY_USER = ("isMeta", "isSidechain", "isCompactSummary", "isSynthetic")
# Lines of Claude Code and OpenClaw with a message. Others repeat what was sent to the model.
_MESSAGE_TYPES = (None, "user", "assistant", "message")
_CODEX_ROLES = {
    "user_message": "user",
    "agent_message": "assistant",
    "UserMessage": "user",
    "AgentMessage": "assistant",
}
_COMMAND_ITEM = "CommandExecution"

Turn = list[dict[str, Any]]
"""The messages of a turn: the user's prompt, then the answers."""


class NewTurns(NamedTuple):
    """The turns after a position of a transcript."""

    turns: list[Turn]
    """Oldest first."""
    ends: list[int]
    """Where the next reading begins once a turn is done, for each turn."""
    end: int
    """Where the next reading begins once all are."""


def last_turn(path: str) -> Turn:
    """Return the messages from the user's last prompt on, oldest first; none if the file has no prompt.

    Raises OSError or ValueError if it is not a plain file that can be read.
    """
    turn: Turn = []
    for line in reversed(_read_end(path, MAX_BYTES)[0].splitlines()):
        message = _message(line)
        if message is None:
            continue
        turn.append(message)
        if message["role"] == "user":
            return turn[::-1]
    return []


def turns_after(path: str, position: int) -> NewTurns:
    """Return the turns from a position on, within the last bytes of the file. Raises OSError or ValueError.

    A file that is shorter than the position was replaced, and is read from its start.
    """
    data, start = _read_end(path, MAX_BYTES, position)
    if not data.endswith(b"\n"):
        # The host may still be writing the last line.
        whole, _, rest = data.rpartition(b"\n")
        data = data if _entry(rest) is not None else whole + b"\n" if whole else b""
    turns, starts, place = list[Turn](), list[int](), start
    for line in data.splitlines(keepends=True):
        message = _message(line)
        if message is not None and message["role"] == "user":
            turns.append([message])
            starts.append(place)
        elif message is not None and turns:
            turns[-1].append(message)
        place += len(line)
    return NewTurns(turns, [*starts[1:], place][: len(turns)], place)


def exit_code_of(path: str, call: str) -> int | None:
    """Return the exit code of a command that Codex ran, by the id of the call; None if the transcript does not say."""
    for line in reversed(_read_end(path, MAX_COMMAND_BYTES)[0].splitlines()):
        if _COMMAND_ITEM.encode() not in line:
            continue
        item = _codex_item(_entry(line) or {})
        code = item.get("exit_code")
        if item.get("type") == _COMMAND_ITEM and item.get("id") == call:
            return code if isinstance(code, int) and not isinstance(code, bool) else None
    return None


def _read_end(path: str, most: int, position: int = 0) -> tuple[bytes, int]:
    """Return the end of a file from a position on, and where it begins."""
    descriptor = os.open(path, READ_NOW)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("not a plain file")
        start = max(0, found.st_size - most, position if position <= found.st_size else 0)
        file.seek(start)
        # The first line may be cut; it is then no JSON and skipped.
        return file.read(most), start


def _entry(line: bytes) -> Mapping[str, Any] | None:
    try:
        entry = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, Mapping) else None


def _message(line: bytes) -> dict[str, Any] | None:
    entry = _entry(line)
    if entry is None or any(entry.get(mark) for mark in _NOT_BY_USER):
        return None
    role, content = _role_and_content(entry)
    texts = [text for text in _texts(content) if not text.lstrip().startswith(NOT_TYPED)]
    return {"role": role, "content": "\n".join(texts)} if role in ("user", "assistant") and texts else None


def _role_and_content(entry: Mapping[str, Any]) -> tuple[object, object]:
    """Return who said what, in a line of Claude Code or OpenClaw, or in one of Codex."""
    if entry.get("type") == "event_msg":
        item = _codex_item(entry)
        return _CODEX_ROLES.get(str(item.get("type"))), item.get("message", item.get("content"))
    message = entry.get("message")
    if not isinstance(message, Mapping) or entry.get("type") not in _MESSAGE_TYPES:
        return None, None
    return message.get("role"), message.get("content")


def _codex_item(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an event of Codex is about: the completed item of newer versions, or the event itself."""
    payload = entry.get("payload")
    found = payload.get("item", payload) if isinstance(payload, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def _texts(content: object) -> Iterator[str]:
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and str(part.get("type")).lower() == "text":
            part = part.get("text")
        if isinstance(part, str) and part.strip():
            yield replace_undecodable(part)
