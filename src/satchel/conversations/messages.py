"""Messages as they are given to a conversation: read, without their secrets, trusted as far as channel and speaker allow."""

import json
from typing import Any

from satchel.domain.conversation import Speaker
from satchel.domain.moment import parse_moment
from satchel.domain.record import SourceKind, Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.redact import redacted
from satchel.domain.text import checked
from satchel.domain.trust import granted, lowest
from satchel.errors import InvalidRequest

MAX_MESSAGE_CHARS = 100_000
MAX_MESSAGES = 1_000

Draft = tuple[Speaker, str, int, Trust]


def lines(text: str) -> list[dict[str, Any]]:
    """Return the messages that lines of JSON hold."""
    found: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict) or not isinstance(value.get("content"), str):
                raise InvalidRequest(
                    f"line {number} is no message", code="invalid_json", hint='{"role": "user", "content": "…"}'
                )
            found.append(value)
    if not found:
        raise InvalidRequest("there is no message", code="empty_text")
    if len(found) > MAX_MESSAGES:
        raise InvalidRequest(f"{len(found)} messages, {MAX_MESSAGES} are allowed at a time", code="out_of_range")
    return found


def draft(given: dict[str, Any], moment: int, channel: SourceKind) -> tuple[Draft, bool]:
    """Return a message without its secrets, trusted as far as its channel and its speaker allow."""
    try:
        role = Speaker(given.get("role", Speaker.USER))
    except ValueError:
        raise InvalidRequest(
            f"unknown role {str(given.get('role'))[:40]!r}", code="unknown_word", hint=", ".join(Speaker)
        ) from None
    content = checked(given["content"], "message", limit=MAX_MESSAGE_CHARS)
    clean = redacted(content)
    at = given.get("at")
    when = moment if at is None else parse_moment(str(at), "at")
    return (role, clean.text, when, _trust(role, clean.text, channel)), bool(clean.found)


def _trust(role: Speaker, content: str, channel: SourceKind) -> Trust:
    # What an agent or a tool says is not what the person says, whoever wrote it down.
    said = Trust.TRUSTED if role is Speaker.USER else Trust.UNTRUSTED
    return lowest([said, granted(channel, None), judged(content)])


def judged(text: str) -> Trust:
    """Return how far a text itself may be trusted: one that gives orders to an agent goes into no prompt."""
    return Trust.QUARANTINED if injections(text) else Trust.TRUSTED


def channel_named(name: str) -> SourceKind:
    """Return the channel of a name."""
    try:
        return SourceKind(name)
    except ValueError:
        raise InvalidRequest(
            f"unknown source kind {name[:40]!r}", code="unknown_word", hint=", ".join(SourceKind)
        ) from None


def masked(text: str, field: str) -> str:
    """Return a text without its secrets."""
    return redacted(checked(text, field)).text
