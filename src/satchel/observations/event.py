"""Parse captured events: check fields, mask secrets, bound sizes. Loads only what a capture hook needs.

Tool output can contain anything, so content is never a reason to reject an event; only its shape is.
Secrets are masked before texts are cut: a truncated key would no longer be recognized.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from satchel.domain import host_keys
from satchel.domain.moment import LAST_MOMENT, parse_moment
from satchel.domain.scope_name import AUTO_SCOPE, DEFAULT_SCOPE, strict_name
from satchel.domain.strict_json import parse_object
from satchel.errors import InvalidRequest
from satchel.observations.event_fields import EventFields, one_line, strip_controls
from satchel.observations.host_event import from_host

SCHEMA = "satchel.observation.v1"
MAX_SUMMARY_CHARS = 200
# Upper bound for the artifact size that a spool line claims, so that it fits the column.
MAX_PAYLOAD_BYTES = 2**53
# Maximum size of text and detail in a spool line. A longer payload becomes an artifact; the line keeps head and digest.
MAX_INLINE_BYTES = 8_192
HEAD_CHARS = 2_000
# Smaller timestamps are seconds, larger ones milliseconds.
_MILLISECONDS_FROM = 100_000_000_000
_KIND = re.compile(r"[a-z][a-z0-9._-]{0,39}")
_PAYLOAD = re.compile(r"sha256:[0-9a-f]{64}")


class CapturedEvent(NamedTuple):
    """One event as a spool line holds it."""

    key: str
    """The source's own id, or a digest of the content: the same event sent twice has the same key."""
    ts: int
    captured_at: int
    kind: str
    scope: str
    summary: str
    text: str
    detail: str | None
    """All other fields, as canonical JSON."""
    tool_name: str | None
    tool_call_id: str | None
    session_key: str | None
    agent_id: str | None
    is_synthetic: bool
    language: str | None
    trust: str
    importance: float | None
    payload: str | None
    """Digest of a payload too long for the line; also its artifact name."""
    payload_bytes: int
    """Size of text and detail before truncation."""
    redacted: tuple[tuple[str, int], ...]
    overflow: str = ""
    """The payload to store as an artifact. Not part of the line."""
    misplaced: bool = False
    """Whether it named an invalid scope and was put into the default scope."""


class CaptureContext(NamedTuple):
    """What the store knows about an event beyond the event itself."""

    now: int
    default_scope: str
    fixed_scope: str | None = None
    """The only scope the operator allows; overrides the event's own."""
    parse_scope_name: Callable[[str], str | None] = strict_name
    """Returns the scope for a name, or None if the name is not valid."""
    project_scope: Callable[[str | None], str] = lambda folder: DEFAULT_SCOPE
    """Returns the scope of the project of a folder, for events in the scope auto; None is the caller's own folder."""
    excerpt: Callable[[str], str] = str
    """Returns what is kept of a text whose secrets are masked already."""
    nonce: str = ""
    """Distinguishes events with equal content and no timestamp; empty where a line may be read twice."""


def parse_event(event: Mapping[str, object], context: CaptureContext) -> CapturedEvent | None:
    """Return what to keep of an event, or None if it is marked private. Raises InvalidRequest for an invalid event."""
    is_own_line = event.get("schema") == SCHEMA
    folder = None if is_own_line else host_keys.first_of(host_keys.FOLDER, host_keys.flatten(event))
    event = event if is_own_line else from_host(event)
    fields = EventFields(event, is_own_line)
    if fields.is_private:
        return None
    ts, has_time = _timestamp(fields.raw("ts"), context.now, is_own_line)
    text, detail, tool = context.excerpt(fields.text()), fields.detail(), fields.name("tool_name")
    full = _canonical({"detail": detail, "text": text})
    size = len(full.encode())
    if not (text or detail or fields.raw("summary")):
        raise InvalidRequest("the event is empty", code="empty_event")
    summary = one_line(fields.cleaned(fields.raw("summary")) or text) or f"{tool or 'something'} called"
    fits = size <= MAX_INLINE_BYTES
    known = event if is_own_line else {}
    payload, payload_bytes = _payload(known, full, size)
    scope = _scope(fields.raw("scope"), folder, context)
    return CapturedEvent(
        key=fields.id() or _key(full, fields, ts if has_time else None, context),
        ts=ts,
        captured_at=_captured_at(known, context.now),
        kind=_kind(fields.raw("kind"), tool),
        scope=context.default_scope if scope is None else scope,
        summary=summary[:MAX_SUMMARY_CHARS].rstrip(),
        text=text if fits else text[:HEAD_CHARS],
        detail=_canonical(detail) if detail and fits else None,
        tool_name=tool,
        tool_call_id=fields.name("tool_call_id"),
        session_key=fields.name("session_key"),
        agent_id=fields.name("agent_id"),
        is_synthetic=fields.raw("is_synthetic") is True,
        language=fields.name("language"),
        # Captured content is evidence: an event may lower its trust, never raise it.
        trust="quarantined" if fields.raw("trust") == "quarantined" else "untrusted",
        importance=fields.importance(),
        payload=payload,
        payload_bytes=payload_bytes,
        redacted=_redaction_counts(known) or tuple(sorted(fields.found.items())),
        overflow="" if fits else full,
        misplaced=scope is None,
    )


def spool_line(event: CapturedEvent) -> bytes:
    """Encode an event as one spool line."""
    fields: dict[str, object] = {
        "schema": SCHEMA,
        "id": event.key,
        "ts": event.ts,
        "captured_at": event.captured_at,
        "kind": event.kind,
        "scope": event.scope,
        "tool_name": event.tool_name,
        "tool_call_id": event.tool_call_id,
        "session_key": event.session_key,
        "agent_id": event.agent_id,
        "is_synthetic": event.is_synthetic,
        "language": event.language,
        "trust": event.trust,
        "importance": event.importance,
        "summary": event.summary,
        "text": event.text,
        "detail": None if event.detail is None else json.loads(event.detail),
        "payload": event.payload,
        "payload_bytes": event.payload_bytes,
        "redacted": dict(event.redacted),
    }
    return (json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def payload_name(text: str) -> str:
    """Return the artifact name of a text."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _timestamp(value: object, now: int, is_own_line: bool) -> tuple[int, bool]:
    """Return the event's time, and whether the event states it."""
    if value is None:
        return now, False
    if isinstance(value, str):
        moment = parse_moment(value, "ts")
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LAST_MOMENT:
        moment = int(value if is_own_line or abs(value) >= _MILLISECONDS_FROM else value * 1000)
    else:
        moment = -1
    if not 0 <= moment <= LAST_MOMENT:
        raise InvalidRequest(f"ts {str(value)[:40]!r} is not a valid time", code="invalid_date")
    return moment, True


def _scope(value: object, folder: object, context: CaptureContext) -> str | None:
    """Return the event's scope, or None if it names an invalid one."""
    named = context.fixed_scope if context.fixed_scope is not None else str(value) if value else context.default_scope
    if named == AUTO_SCOPE:
        is_place = isinstance(folder, str) and folder.startswith("/") and "\0" not in folder
        return context.project_scope(str(folder) if is_place else None)
    return context.parse_scope_name(named) if value and context.fixed_scope is None else named


def _captured_at(line: Mapping[str, object], now: int) -> int:
    """Return when a line was written, at most now."""
    value = line.get("captured_at")
    return min(value, now) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else now


def _kind(value: object, tool: str | None) -> str:
    found = _KIND.fullmatch(str(value).lower()) if isinstance(value, str) else None
    return found.group() if found else ("tool" if tool else "event")


def _payload(line: Mapping[str, object], full: str, size: int) -> tuple[str | None, int]:
    if size > MAX_INLINE_BYTES:
        return payload_name(full), size
    name, known_size = line.get("payload"), line.get("payload_bytes")
    if isinstance(name, str) and _PAYLOAD.fullmatch(name) and isinstance(known_size, int) and known_size > 0:
        return name, min(known_size, MAX_PAYLOAD_BYTES)
    return None, size


def read_object(raw: bytes) -> dict[str, Any]:
    """Parse the JSON object of one event. Dead letters call every violation of strict JSON `not_json`."""
    try:
        return parse_object(raw, "the line", padded=True)
    except InvalidRequest as error:
        if error.code in ("duplicate_key", "not_finite"):
            error.code = "not_json"
        raise


def _redaction_counts(line: Mapping[str, object]) -> tuple[tuple[str, int], ...]:
    found = line.get("redacted")
    if not isinstance(found, dict):
        return ()
    return tuple(sorted((strip_controls(kind)[:40], count) for kind, count in found.items() if type(count) is int))


def _key(full: str, fields: EventFields, ts: int | None, context: CaptureContext) -> str:
    if ts is None and context.nonce:
        return f"{context.now}-{context.nonce}"
    names = [fields.name(name) for name in ("kind", "tool_name", "tool_call_id", "session_key", "agent_id", "summary")]
    return hashlib.sha256(_canonical([full, ts, *names]).encode()).hexdigest()[:32]


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
