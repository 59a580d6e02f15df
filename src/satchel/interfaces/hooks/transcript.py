"""Read the last turn of a host's transcript: a file of JSON lines, of which only the end is read.

Claude Code gives the hook at the end of a turn the answer, but not the prompt, which only the transcript has.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any

from satchel.os_calls import READ_NOW

MAX_BYTES = 2_000_000
# Blocks that a host writes into a transcript in the name of the user.
NOT_TYPED = ("<command-", "<local-command-", "<environment_context>", "<user_instructions>", "<system-reminder>")
_NOT_BY_USER = ("isMeta", "isSidechain", "isCompactSummary", "isSynthetic")


def last_turn(path: str) -> list[dict[str, Any]]:
    """Return the messages from the user's last prompt on, oldest first; none if the file has no prompt.

    Raises OSError or ValueError if it is not a plain file that can be read.
    """
    turn: list[dict[str, Any]] = []
    for line in reversed(_last_lines(path)):
        message = _message(line)
        if message is None:
            continue
        turn.append(message)
        if message["role"] == "user":
            return turn[::-1]
    return []


def _last_lines(path: str) -> list[bytes]:
    descriptor = os.open(path, READ_NOW)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("not a plain file")
        file.seek(max(0, found.st_size - MAX_BYTES))
        # The first line may be cut; it is then no JSON and skipped.
        return file.read(MAX_BYTES).splitlines()


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, Mapping) or any(entry.get(mark) for mark in _NOT_BY_USER):
        return None
    role, content = _role_and_content(entry)
    texts = [text for text in _texts(content) if not text.lstrip().startswith(NOT_TYPED)]
    return {"role": role, "content": "\n".join(texts)} if role in ("user", "assistant") and texts else None


def _role_and_content(entry: Mapping[str, Any]) -> tuple[object, object]:
    """Return who said what, in a line of Claude Code or OpenClaw, or in one of Codex."""
    payload = entry.get("payload")
    if entry.get("type") == "event_msg" and isinstance(payload, Mapping):
        roles = {"user_message": "user", "agent_message": "assistant"}
        return roles.get(str(payload.get("type"))), payload.get("message")
    message = entry.get("message")
    if not isinstance(message, Mapping):
        return None, None
    return message.get("role"), message.get("content")


def _texts(content: object) -> Iterator[str]:
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and part.get("type") == "text":
            part = part.get("text")
        if isinstance(part, str) and part.strip():
            yield part
