"""Parses messages for a conversation, masks their secrets and sets their trust."""

import json
from typing import Any, NamedTuple

from satchel.domain.conversation import Speaker
from satchel.domain.moment import parse_moment
from satchel.domain.record import SourceKind, Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.domain.safety.redact import redacted
from satchel.domain.text import check_text
from satchel.domain.trust import grant_trust, lowest_trust
from satchel.errors import InvalidRequest

MAX_MESSAGE_CHARS = 100_000
MAX_MESSAGES = 1_000

MAX_NAME_CHARS = 100


class MessageDraft(NamedTuple):
    """A message before it has a place."""

    role: Speaker
    content: str
    at: int
    trust: Trust
    by: str | None


def parse_lines(text: str) -> list[dict[str, Any]]:
    """Parse messages from JSON lines."""
    found: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict) or not isinstance(value.get("content"), str):
                raise InvalidRequest(
                    f"line {number} is not a message", code="invalid_json", hint='{"role": "user", "content": "…"}'
                )
            found.append(value)
    if not found:
        raise InvalidRequest("no messages given", code="empty_text")
    if len(found) > MAX_MESSAGES:
        raise InvalidRequest(f"{len(found)} messages, the maximum is {MAX_MESSAGES}", code="out_of_range")
    return found


def parse_message(given: dict[str, Any], moment: int, channel: SourceKind) -> tuple[MessageDraft, bool]:
    """Return a message with its secrets masked, and whether it had any."""
    try:
        role = Speaker(given.get("role", Speaker.USER))
    except ValueError:
        raise InvalidRequest(
            f"unknown role {str(given.get('role'))[:40]!r}", code="unknown_word", hint=", ".join(Speaker)
        ) from None
    content = check_text(given["content"], "message", limit=MAX_MESSAGE_CHARS)
    clean = redacted(content)
    at = given.get("at")
    when = moment if at is None else parse_moment(str(at), "at")
    name = _speaker_name(given.get("by"))
    draft = MessageDraft(role, clean.text, when, _message_trust(role, clean.text, channel), name)
    return draft, bool(clean.found)


def _speaker_name(given: object) -> str | None:
    """Return the name of who spoke, on one line and without secrets."""
    if given is None:
        return None
    if not isinstance(given, str):
        raise InvalidRequest("'by' must be a name", code="unknown_word", hint='{"by": "Ada", "content": "…"}')
    return " ".join(redacted(check_text(given, "by", limit=MAX_NAME_CHARS)).text.split())


def _message_trust(role: Speaker, content: str, channel: SourceKind) -> Trust:
    # Only the user's own words can be trusted; agents and tools may repeat anything.
    by_role = Trust.TRUSTED if role is Speaker.USER else Trust.UNTRUSTED
    granted = lowest_trust([by_role, grant_trust(channel, None)])
    if granted is not Trust.TRUSTED and agent_orders(content):
        return Trust.QUARANTINED
    return lowest_trust([granted, content_trust(content)])


def content_trust(text: str) -> Trust:
    """Quarantine texts that contain a prompt injection."""
    return Trust.QUARANTINED if injections(text) else Trust.TRUSTED


def parse_channel(name: str) -> SourceKind:
    """Return the source kind of a name."""
    try:
        return SourceKind(name)
    except ValueError:
        raise InvalidRequest(
            f"unknown source kind {name[:40]!r}", code="unknown_word", hint=", ".join(SourceKind)
        ) from None


def masked_text(text: str, field: str) -> str:
    """Validate a text and mask its secrets."""
    return redacted(check_text(text, field)).text
