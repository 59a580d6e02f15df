"""Parse captured events: check fields, mask secrets, bound sizes. Loads only what a capture hook needs.

Tool output can contain anything, so content is never a reason to reject an event; only its shape is.
Secrets are masked before texts are cut: a truncated key would no longer be recognized.
"""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from satchel.domain import host_keys
from satchel.domain.moment import LAST_MOMENT, parse_moment
from satchel.domain.named_values import redacted_value
from satchel.domain.safety.prefilter import candidate_rules
from satchel.domain.safety.redact import Redacted, redacted
from satchel.domain.scope_name import AUTO_SCOPE, DEFAULT_SCOPE, strict_name
from satchel.domain.strict_json import parse_object
from satchel.errors import InvalidRequest
from satchel.observations.host_event import from_host

SCHEMA = "satchel.observation.v1"
MAX_SUMMARY_CHARS = 200
MAX_NAME_CHARS = 200
# Upper bound for the artifact size that a spool line claims, so that it fits the column.
MAX_PAYLOAD_BYTES = 2**53
# No secret rule matches anything shorter.
MIN_SECRET_CHARS = 8
# Names up to this length, as those of fields and tools, are remembered: they are the same in many events.
MAX_REPEATED_CHARS = 40
# Maximum size of text and detail in a spool line. A longer payload becomes an artifact; the line keeps head and digest.
MAX_INLINE_BYTES = 8_192
HEAD_CHARS = 2_000
# Smaller timestamps are seconds, larger ones milliseconds.
_MILLISECONDS_FROM = 100_000_000_000

PRIVATE_MARKS = ("<private>", "[private]", "[noexport]", "[nomem]")
# Blocks that a host, or Satchel itself, injects before a prompt: capturing them would store our own output.
INJECTED_TAGS = ("relevant-memories", "relevant_memories", "satchel-memories", "memory-context", "system-reminder")

_NAMES = {
    "id": ("id", "observationId", "observation_id", "event_id"),
    "ts": ("ts", "timestamp"),
    "kind": ("kind",),
    "tool_name": ("tool_name", "toolName"),
    "tool_call_id": ("tool_call_id", "toolCallId"),
    "session_key": ("session_key", "sessionKey", "session_id", "session"),
    "agent_id": ("agent_id", "agentId"),
    "is_synthetic": ("is_synthetic",),
    "language": ("language", "lang"),
    "summary": ("summary",),
    "text": ("text", "message", "content"),
    "detail": ("detail",),
    "importance": ("importance",),
    "scope": ("scope",),
    "trust": ("trust",),
}
# Fields only believed in lines that Satchel wrote itself.
_OWN = ("schema", "captured_at", "payload", "payload_bytes", "redacted")
_KNOWN_NAMES = frozenset((*_OWN, *(name for names in _NAMES.values() for name in names)))
_KIND = re.compile(r"[a-z][a-z0-9._-]{0,39}")
_PAYLOAD = re.compile(r"sha256:[0-9a-f]{64}")
_TERMINAL = re.compile("\x1b\\[[0-9;?]{0,20}[A-Za-z]")
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SECRET_NAME = re.compile(r"(?i)pass|secret|token|pwd|pin\b")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s{0,3}(%|/\s{0,3}(\d{1,3}))?")


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
    reader = _EventReader(event, is_own_line)
    if reader.is_private:
        return None
    ts, has_time = _timestamp(reader.raw("ts"), context.now, is_own_line)
    text, detail, tool = context.excerpt(reader.text()), reader.detail(), reader.name("tool_name")
    full = _canonical({"detail": detail, "text": text})
    size = len(full.encode())
    if not (text or detail or reader.raw("summary")):
        raise InvalidRequest("the event is empty", code="empty_event")
    summary = _one_line(reader.cleaned(reader.raw("summary")) or text) or f"{tool or 'something'} called"
    fits = size <= MAX_INLINE_BYTES
    known = event if is_own_line else {}
    payload, payload_bytes = _payload(known, full, size)
    scope = _scope(reader.raw("scope"), folder, context)
    return CapturedEvent(
        key=reader.id() or _key(full, reader, ts if has_time else None, context),
        ts=ts,
        captured_at=_captured_at(known, context.now),
        kind=_kind(reader.raw("kind"), tool),
        scope=context.default_scope if scope is None else scope,
        summary=summary[:MAX_SUMMARY_CHARS].rstrip(),
        text=text if fits else text[:HEAD_CHARS],
        detail=_canonical(detail) if detail and fits else None,
        tool_name=tool,
        tool_call_id=reader.name("tool_call_id"),
        session_key=reader.name("session_key"),
        agent_id=reader.name("agent_id"),
        is_synthetic=reader.raw("is_synthetic") is True,
        language=reader.name("language"),
        # Captured content is evidence: an event may lower its trust, never raise it.
        trust="quarantined" if reader.raw("trust") == "quarantined" else "untrusted",
        importance=_importance(reader),
        payload=payload,
        payload_bytes=payload_bytes,
        redacted=_redaction_counts(known) or tuple(sorted(reader.found.items())),
        overflow="" if fits else full,
        misplaced=scope is None,
    )


def spool_line(sighting: CapturedEvent) -> bytes:
    """Encode an event as one spool line."""
    fields: dict[str, object] = {
        "schema": SCHEMA,
        "id": sighting.key,
        "ts": sighting.ts,
        "captured_at": sighting.captured_at,
        "kind": sighting.kind,
        "scope": sighting.scope,
        "tool_name": sighting.tool_name,
        "tool_call_id": sighting.tool_call_id,
        "session_key": sighting.session_key,
        "agent_id": sighting.agent_id,
        "is_synthetic": sighting.is_synthetic,
        "language": sighting.language,
        "trust": sighting.trust,
        "importance": sighting.importance,
        "summary": sighting.summary,
        "text": sighting.text,
        "detail": None if sighting.detail is None else json.loads(sighting.detail),
        "payload": sighting.payload,
        "payload_bytes": sighting.payload_bytes,
        "redacted": dict(sighting.redacted),
    }
    return (json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def payload_name(text: str) -> str:
    """Return the artifact name of a text."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class _EventReader:
    """Reads an event's fields under the names producers use, with secrets masked in every text."""

    def __init__(self, event: Mapping[str, object], is_own_line: bool) -> None:
        self._event = event
        self._names = {
            meant: next((name for name in names if event.get(name) is not None), "") for meant, names in _NAMES.items()
        }
        self._used = {*filter(None, self._names.values()), *(_OWN if is_own_line else ())}
        # Select the rules once for the whole event: most events match none.
        self._rules = candidate_rules(_strip_controls("\n".join(_strings(event))))
        self.found: Counter[str] = Counter()

    @property
    def is_private(self) -> bool:
        """Whether the event is marked as private."""
        texts = [str(self.raw(name) or "").lower() for name in ("text", "summary")]
        return any(mark in text for mark in PRIVATE_MARKS for text in texts)

    def raw(self, name: str) -> object:
        """Return a field's value as given."""
        return self._event.get(self._names[name]) if self._names[name] else None

    def name(self, name: str) -> str | None:
        """Return a short value on one line, or None."""
        value = self.raw(name)
        if isinstance(value, (bool, dict, list)) or value is None:
            return None
        return _one_line(self._cleaned_name(str(value)))[:MAX_NAME_CHARS].rstrip() or None

    def id(self) -> str | None:
        """Return the source's id, or its digest if the id is too long or contains a secret."""
        value = self.raw("id")
        if isinstance(value, (bool, dict, list)) or value is None or not str(value).strip():
            return None
        kept = self.name("id")
        plain = str(value)
        return plain if kept == plain else hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:32]

    def text(self) -> str:
        """Return the event's text without injected blocks."""
        value = self.raw("text")
        return self.cleaned(_strip_injected(value)) if isinstance(value, str) else ""

    def detail(self) -> dict[str, object]:
        """Return all other content: the detail, a text that is not a string, and unknown fields."""
        more = {name: value for name, value in self._event.items() if name not in self._used and value is not None}
        given = self.raw("detail")
        text = self.raw("text")
        found = {
            **(given if isinstance(given, dict) else {} if given is None else {"detail": given}),
            **({} if text is None or isinstance(text, str) else {"content": text}),
            **more,
        }
        masked = self._mask(found, "")
        assert isinstance(masked, dict)
        return masked

    def cleaned(self, value: object) -> str:
        """Return a text without control characters and secrets."""
        return self._redacted(_strip_controls(value)) if isinstance(value, str) else ""

    def _redacted(self, text: str) -> str:
        if not self._rules or len(text) < MIN_SECRET_CHARS:
            return text
        return self._counted(redacted(text, self._rules))

    def _cleaned_name(self, name: str) -> str:
        """Return the name of a field, a tool or a session without control characters and secrets."""
        name = _strip_controls(name)
        if not self._rules or len(name) < MIN_SECRET_CHARS:
            return name
        return self._counted(redacted(name, self._rules) if len(name) > MAX_REPEATED_CHARS else _redacted_name(name))

    def _counted(self, clean: Redacted) -> str:
        if clean.found:
            self.found.update(dict(clean.found))
        return clean.text

    def _mask(self, value: object, name: str) -> object:
        if isinstance(value, dict):
            return {self._cleaned_name(str(key)): self._mask(one, str(key)) for key, one in value.items()}
        if isinstance(value, list):
            return [self._mask(one, name) for one in value]
        if isinstance(value, str):
            return self._mask_named(_strip_controls(value), name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and _SECRET_NAME.search(name):
            return self._mask_named(str(value), name)
        return value

    def _mask_named(self, text: str, name: str) -> str:
        """Mask a value by its field name as well as by its content."""
        if not name or not self._rules:
            return self._redacted(text)
        return self._counted(redacted_value(name, text, self._rules))


@lru_cache(maxsize=1024)
def _redacted_name(name: str) -> Redacted:
    return redacted(name)


def _strings(value: object) -> Iterator[str]:
    """Yield every text in an event, and unknown field names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            if name not in _KNOWN_NAMES:
                yield str(name)
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _strip_controls(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", _TERMINAL.sub("", text))


def _one_line(text: str) -> str:
    return " ".join(text[: 8 * MAX_SUMMARY_CHARS].split())


def _strip_injected(text: str) -> str:
    for tag in INJECTED_TAGS:
        if f"<{tag}" in text:
            text = "".join(_parts_outside(text, f"<{tag}", f"</{tag}>"))
    return text


def _parts_outside(text: str, begin: str, end: str) -> Iterator[str]:
    position = 0
    while (start := text.find(begin, position)) >= 0:
        yield text[position:start]
        stop = text.find(end, start)
        if stop < 0:
            return
        position = stop + len(end)
    yield text[position:]


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


def _importance(reader: _EventReader) -> float | None:
    given = read_importance(reader.raw("importance"))
    detail = reader.raw("detail")
    return read_importance(detail.get("importance")) if given is None and isinstance(detail, dict) else given


def read_object(raw: bytes) -> dict[str, Any]:
    """Parse the JSON object of one event. Dead letters call every violation of strict JSON `not_json`."""
    try:
        return parse_object(raw, "the line", padded=True)
    except InvalidRequest as error:
        if error.code in ("duplicate_key", "not_finite"):
            error.code = "not_json"
        raise


def read_importance(value: object) -> float | None:
    """Read an importance such as 0.86, 86, "86%" or "86/100", in any digits, as a share from 0 to 1."""
    if isinstance(value, dict):
        return read_importance(value.get("score"))
    if isinstance(value, str):
        return _parse_share(unicodedata.normalize("NFKC", value[:40]).strip())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return _share(float(value), is_whole=isinstance(value, int))


def _parse_share(text: str) -> float | None:
    found = _SHARE.fullmatch(text)
    if found is None:
        return None
    number, sign, of = float(found.group(1)), found.group(2), found.group(3)
    if of is not None:
        return number / float(of) if float(of) and number <= float(of) else None
    if sign:
        return number / 100 if number <= 100 else None
    return _share(number, is_whole="." not in text)


def _share(number: float, *, is_whole: bool) -> float | None:
    if 0.0 <= number <= 1.0:
        return number
    # A whole number from 2 up can only be a percentage.
    return number / 100 if is_whole and 2 <= number <= 100 else None


def _redaction_counts(line: Mapping[str, object]) -> tuple[tuple[str, int], ...]:
    found = line.get("redacted")
    if not isinstance(found, dict):
        return ()
    return tuple(sorted((_strip_controls(kind)[:40], count) for kind, count in found.items() if type(count) is int))


def _key(full: str, reader: _EventReader, ts: int | None, context: CaptureContext) -> str:
    if ts is None and context.nonce:
        return f"{context.now}-{context.nonce}"
    names = [reader.name(name) for name in ("kind", "tool_name", "tool_call_id", "session_key", "agent_id", "summary")]
    return hashlib.sha256(_canonical([full, ts, *names]).encode()).hexdigest()[:32]


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
