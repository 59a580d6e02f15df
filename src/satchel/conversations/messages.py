"""Parses messages for a conversation, masks their secrets and sets their trust."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from satchel.domain.conversation import Message, Speaker
from satchel.domain.moment import from_unix, parse_moment
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

_BOM = "\ufeff"
# What some programs call the user.
_HUMAN = "human"


class MessageDraft(NamedTuple):
    """A message before it has a place."""

    role: Speaker
    content: str
    at: int
    trust: Trust
    by: str | None
    has_secrets: bool
    is_dated: bool
    """Whether it says when it was said."""


def parse_drafts(text: str, default: dict[str, Any], moment: int, channel: SourceKind) -> list[MessageDraft]:
    """Parse messages from JSON lines. What a line lacks is taken from `default`; an error names its line."""
    drafts = []
    for number, given in parse_lines(text):
        try:
            drafts.append(parse_message(_with_default(given, default), moment, channel))
        except InvalidRequest as error:
            error.message = f"line {number}: {error.message}"
            error.args = (error.message,)
            raise
    return drafts


def _with_default(given: dict[str, Any], default: dict[str, Any]) -> dict[str, Any]:
    stated = {key: value for key, value in given.items() if not _is_absent(value)}
    return {**default, **({"by": stated["name"]} if "name" in stated else {}), **stated}


def parse_lines(text: str) -> list[tuple[int, dict[str, Any]]]:
    """Parse messages from JSON lines, each with the number of its line."""
    found: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(text.removeprefix(_BOM).splitlines(), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            content = _content_text(value.get("content")) if isinstance(value, dict) else None
            if content is None:
                raise InvalidRequest(
                    f"line {number} is not a message", code="invalid_json", hint='{"role": "user", "content": "…"}'
                )
            found.append((number, {**value, "content": content}))
    if not found:
        raise InvalidRequest("no messages given", code="empty_text")
    if len(found) > MAX_MESSAGES:
        raise InvalidRequest(f"{len(found)} messages, the maximum is {MAX_MESSAGES}", code="out_of_range")
    return found


def _content_text(content: object) -> str | None:
    """Return the text of a message, which some programs write as a list of parts; None if it has none."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    texts = [one.get("text") for one in content if isinstance(one, dict) and one.get("type") == "text"]
    return "\n".join(one for one in texts if isinstance(one, str)) or None


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def parse_message(given: dict[str, Any], moment: int, channel: SourceKind) -> MessageDraft:
    """Return a message with its secrets masked."""
    said = given.get("role", Speaker.USER)
    try:
        role = Speaker.USER if said == _HUMAN else Speaker(said)
    except ValueError:
        raise InvalidRequest(
            f"unknown role {str(given.get('role'))[:40]!r}", code="unknown_word", hint=", ".join(Speaker)
        ) from None
    clean = redacted(check_text(given.get("content", ""), "message", limit=MAX_MESSAGE_CHARS))
    at = given.get("at")
    is_dated = not _is_absent(at)
    return MessageDraft(
        role=role,
        content=clean.text,
        at=_parse_at(at) if is_dated else moment,
        trust=_message_trust(role, clean.text, channel),
        by=_speaker_name(given.get("by")),
        has_secrets=bool(clean.found),
        is_dated=is_dated,
    )


def _parse_at(given: object) -> int:
    """Return a time in milliseconds from ISO 8601 or a Unix time."""
    moment = from_unix(given)
    return parse_moment(str(given), "at") if moment is None else moment


def _speaker_name(given: object) -> str | None:
    """Return the name of who spoke, on one line and without secrets."""
    if _is_absent(given):
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


def without_known(drafts: Sequence[MessageDraft], stored: Iterable[Message]) -> list[MessageDraft]:
    """Leave out the messages that are stored already: the same text by the same speaker at the same time."""
    known = Counter((one.role, one.content, one.at, one.by) for one in stored)
    new = []
    for draft in drafts:
        key = draft.role, draft.content, draft.at, draft.by
        # A conversation may repeat itself within a minute: each stored message stands for one that is given.
        if draft.is_dated and known[key]:
            known[key] -= 1
        else:
            new.append(draft)
    return new
