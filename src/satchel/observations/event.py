"""An event as somebody tells of it becomes a sighting: checked, without secrets, bounded. Everything a hook needs.

Whatever a tool prints may stand in an event, so nothing is refused for its content; only what is no event at all is.
Secrets go first and length second: a key that was cut short would no longer be known for one.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from satchel.domain.moment import LAST_MOMENT, parse_moment
from satchel.domain.safety.redact import redacted, suspects
from satchel.domain.scope_name import strict_name
from satchel.errors import InvalidRequest
from satchel.observations.importance import read_importance

SCHEMA = "satchel.observation.v1"
MAX_SUMMARY_CHARS = 200
MAX_NAME_CHARS = 200
# What a line claims of an artifact's size, no column need hold more.
MOST_BYTES = 2**53
# Nothing shorter says of itself that it is a secret.
MIN_SECRET_CHARS = 8
# What stays in the line. Anything longer is put aside whole, and the line keeps its beginning, size and digest.
MAX_INLINE_BYTES = 8_192
HEAD_CHARS = 2_000
# Below this a number of seconds is meant, above it one of milliseconds.
_MILLISECONDS_FROM = 100_000_000_000

PRIVATE_MARKS = ("<private>", "[private]", "[noexport]", "[nomem]")
# Blocks that a host or we ourselves put in front of a prompt: remembering them would be remembering our own echo.
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
# These a line of ours says of itself; of anybody else they are not believed.
_OWN = ("schema", "captured_at", "payload", "payload_bytes", "redacted")
_KNOWN_NAMES = frozenset((*_OWN, *(name for names in _NAMES.values() for name in names)))
_KIND = re.compile(r"[a-z][a-z0-9._-]{0,39}")
_PAYLOAD = re.compile(r"sha256:[0-9a-f]{64}")
_TERMINAL = re.compile("\x1b\\[[0-9;?]{0,20}[A-Za-z]")
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SECRET_NAME = re.compile(r"(?i)pass|secret|token|pwd|pin\b")


class Sighting(NamedTuple):
    """One event as it stands in the spool."""

    key: str
    """What its source calls it, or a digest of what it says: the same event told twice has the same key."""
    ts: int
    captured_at: int
    kind: str
    scope: str
    summary: str
    text: str
    detail: str | None
    """Everything else that was said, as canonical JSON."""
    tool_name: str | None
    tool_call_id: str | None
    session_key: str | None
    agent_id: str | None
    is_synthetic: bool
    language: str | None
    trust: str
    importance: float | None
    payload: str | None
    """The digest of what was too long for the line, and its name among the artifacts."""
    payload_bytes: int
    """The size of text and detail before they were cut."""
    redacted: tuple[tuple[str, int], ...]
    overflow: str = ""
    """What is to be put aside under that name. It stands in no line."""
    misplaced: bool = False
    """Whether it named a scope that cannot be one, so that the default took its place."""


class Circumstances(NamedTuple):
    """What is known of an event beside what it says itself."""

    now: int
    default_scope: str
    fixed_scope: str | None = None
    """The one scope the operator allows; the event's own is ignored then."""
    named: Callable[[str], str | None] = strict_name
    """Returns the scope of a name, or None where no scope can have it."""
    nonce: str = ""
    """Tells apart two events that say the same and no time; empty where the same line may be read again."""


def sighted(event: Mapping[str, object], around: Circumstances) -> Sighting | None:
    """Return what is kept of an event, or None when it asks not to be kept. Raises InvalidRequest for what is none."""
    ours = event.get("schema") == SCHEMA
    said = _Said(event, ours)
    if said.is_private:
        return None
    ts, stamped = _moment(said.raw("ts"), around.now, ours)
    text, detail, tool = said.text(), said.detail(), said.name("tool_name")
    whole = _canonical({"detail": detail, "text": text})
    size = len(whole.encode())
    if not (text or detail or said.raw("summary")):
        raise InvalidRequest("the event says nothing", code="empty_event")
    summary = _flat(said.cleaned(said.raw("summary")) or text) or f"{tool or 'something'} called"
    fits = size <= MAX_INLINE_BYTES
    known = event if ours else {}
    payload, payload_bytes = _payload(known, whole, size)
    scope = _scope(said.raw("scope"), around)
    return Sighting(
        key=said.id() or _key(whole, said, ts if stamped else None, around),
        ts=ts,
        captured_at=_captured_at(known, around.now),
        kind=_kind(said.raw("kind"), tool),
        scope=around.default_scope if scope is None else scope,
        summary=summary[:MAX_SUMMARY_CHARS].rstrip(),
        text=text if fits else text[:HEAD_CHARS],
        detail=_canonical(detail) if detail and fits else None,
        tool_name=tool,
        tool_call_id=said.name("tool_call_id"),
        session_key=said.name("session_key"),
        agent_id=said.name("agent_id"),
        is_synthetic=said.raw("is_synthetic") is True,
        language=said.name("language"),
        # What a hook reports is evidence, whoever claims what: it can ask for less trust, never for more.
        trust="quarantined" if said.raw("trust") == "quarantined" else "untrusted",
        importance=_importance(said),
        payload=payload,
        payload_bytes=payload_bytes,
        redacted=_redactions(known) or tuple(sorted(said.found.items())),
        overflow="" if fits else whole,
        misplaced=scope is None,
    )


def spool_line(sighting: Sighting) -> bytes:
    """Write a sighting as the one line it is in the spool."""
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
    """Return the name under which a text is put aside."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class _Said:
    """What an event says, read by the names that producers use, every text of it without secrets."""

    def __init__(self, event: Mapping[str, object], ours: bool) -> None:
        self._event = event
        self._names = {
            meant: next((name for name in names if event.get(name) is not None), "") for meant, names in _NAMES.items()
        }
        self._used = {*filter(None, self._names.values()), *(_OWN if ours else ())}
        # Looked for once in all that is said: most events hold nothing that any rule could find.
        self._rules = suspects(_written("\n".join(_strings(event))))
        self.found: Counter[str] = Counter()

    @property
    def is_private(self) -> bool:
        """Whether it is marked as not to be kept."""
        texts = [str(self.raw(name) or "").lower() for name in ("text", "summary")]
        return any(mark in text for mark in PRIVATE_MARKS for text in texts)

    def raw(self, name: str) -> object:
        """Return a value as it was given."""
        return self._event.get(self._names[name]) if self._names[name] else None

    def name(self, name: str) -> str | None:
        """Return a short value on one line, or None."""
        value = self.raw(name)
        if isinstance(value, (bool, dict, list)) or value is None:
            return None
        return _flat(self.cleaned(str(value)))[:MAX_NAME_CHARS].rstrip() or None

    def id(self) -> str | None:
        """Return what the source calls it; a name that is too long to keep, or that may not be, by its digest."""
        value = self.raw("id")
        if isinstance(value, (bool, dict, list)) or value is None or not str(value).strip():
            return None
        kept = self.name("id")
        plain = str(value)
        return plain if kept == plain else hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:32]

    def text(self) -> str:
        """Return the event's text, without what was only put in front of a prompt."""
        value = self.raw("text")
        return self.cleaned(_without_injections(value)) if isinstance(value, str) else ""

    def detail(self) -> dict[str, object]:
        """Return what else was said: the detail, a text that is none, and fields nobody knows."""
        more = {name: value for name, value in self._event.items() if name not in self._used and value is not None}
        given = self.raw("detail")
        text = self.raw("text")
        found = {
            **(given if isinstance(given, dict) else {} if given is None else {"detail": given}),
            **({} if text is None or isinstance(text, str) else {"content": text}),
            **more,
        }
        masked = self._masked(found, "")
        assert isinstance(masked, dict)
        return masked

    def cleaned(self, value: object) -> str:
        """Return a text that can be written down, without its secrets."""
        return self._redacted(_written(value)) if isinstance(value, str) else ""

    def _redacted(self, text: str) -> str:
        if not self._rules or len(text) < MIN_SECRET_CHARS:
            return text
        clean = redacted(text, self._rules)
        self.found.update(dict(clean.found))
        return clean.text

    def _masked(self, value: object, name: str) -> object:
        if isinstance(value, dict):
            return {self.cleaned(key): self._masked(one, str(key)) for key, one in value.items()}
        if isinstance(value, list):
            return [self._masked(one, name) for one in value]
        if isinstance(value, str):
            return self._named(_written(value), name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and _SECRET_NAME.search(name):
            return self._named(str(value), name)
        return value

    def _named(self, text: str, name: str) -> str:
        """Mask a text for what it is called as well as for what it says."""
        if not name or not self._rules:
            return self._redacted(text)
        before = f'"{name}": "'
        clean = redacted(f'{before}{text}"', self._rules)
        if not clean.found:
            return text
        self.found.update(dict(clean.found))
        if not (clean.text.startswith(before) and clean.text.endswith('"')):
            return f"[redacted:{clean.found[0][0]}]"
        inner = clean.text[len(before) : -1]
        # A quotation mark inside a password would let the rest of it stand.
        return inner.partition("]")[0] + "]" if inner.startswith("[redacted:") and not _has_blank(text) else inner


def _strings(value: object) -> Iterator[str]:
    """Yield every text in an event, and the names that nobody knows."""
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


def _has_blank(text: str) -> bool:
    return any(letter.isspace() for letter in text)


def _written(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", _TERMINAL.sub("", text))


def _flat(text: str) -> str:
    return " ".join(text[: 8 * MAX_SUMMARY_CHARS].split())


def _without_injections(text: str) -> str:
    for tag in INJECTED_TAGS:
        if f"<{tag}" in text:
            text = "".join(_outside(text, f"<{tag}", f"</{tag}>"))
    return text


def _outside(text: str, begin: str, end: str) -> Iterator[str]:
    position = 0
    while (start := text.find(begin, position)) >= 0:
        yield text[position:start]
        stop = text.find(end, start)
        if stop < 0:
            return
        position = stop + len(end)
    yield text[position:]


def _moment(value: object, now: int, ours: bool) -> tuple[int, bool]:
    """Return when it happened, and whether the event says so itself."""
    if value is None:
        return now, False
    if isinstance(value, str):
        moment = parse_moment(value, "ts")
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LAST_MOMENT:
        moment = int(value if ours or abs(value) >= _MILLISECONDS_FROM else value * 1000)
    else:
        moment = -1
    if not 0 <= moment <= LAST_MOMENT:
        raise InvalidRequest(f"ts {str(value)[:40]!r} is no moment", code="invalid_date")
    return moment, True


def _scope(value: object, around: Circumstances) -> str | None:
    """Return the scope of an event, or None when it names one that cannot be. A tag in its text is only text."""
    if around.fixed_scope is not None:
        return around.fixed_scope
    return around.named(str(value)) if value else around.default_scope


def _captured_at(line: Mapping[str, object], now: int) -> int:
    """Return when a line was written; one from the future was written now."""
    value = line.get("captured_at")
    return min(value, now) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else now


def _kind(value: object, tool: str | None) -> str:
    found = _KIND.fullmatch(str(value).lower()) if isinstance(value, str) else None
    return found.group() if found else ("tool" if tool else "event")


def _payload(line: Mapping[str, object], whole: str, size: int) -> tuple[str | None, int]:
    if size > MAX_INLINE_BYTES:
        return payload_name(whole), size
    name, known_size = line.get("payload"), line.get("payload_bytes")
    if isinstance(name, str) and _PAYLOAD.fullmatch(name) and isinstance(known_size, int) and known_size > 0:
        return name, min(known_size, MOST_BYTES)
    return None, size


def _importance(said: _Said) -> float | None:
    given = read_importance(said.raw("importance"))
    detail = said.raw("detail")
    return read_importance(detail.get("importance")) if given is None and isinstance(detail, dict) else given


def _redactions(line: Mapping[str, object]) -> tuple[tuple[str, int], ...]:
    found = line.get("redacted")
    if not isinstance(found, dict):
        return ()
    return tuple(sorted((_written(kind)[:40], count) for kind, count in found.items() if type(count) is int))


def _key(whole: str, said: _Said, ts: int | None, around: Circumstances) -> str:
    if ts is None and around.nonce:
        return f"{around.now}-{around.nonce}"
    names = [said.name(name) for name in ("kind", "tool_name", "tool_call_id", "session_key", "agent_id", "summary")]
    return hashlib.sha256(_canonical([whole, ts, *names]).encode()).hexdigest()[:32]


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
