"""Read the fields of a captured event, under the names producers use, with secrets masked in every text."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from satchel.domain.named_values import redacted_value
from satchel.domain.safety.prefilter import candidate_rules
from satchel.domain.safety.redact import Redacted, redacted

MAX_NAME_CHARS = 200
# Maximum number of characters from which one line is made.
MAX_LINE_CHARS = 1_600
# No secret rule matches anything shorter.
MIN_SECRET_CHARS = 8
# Names up to this length, as those of fields and tools, are remembered: they are the same in many events.
MAX_REPEATED_CHARS = 40

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
_TERMINAL = re.compile("\x1b\\[[0-9;?]{0,20}[A-Za-z]")
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s{0,3}(%|/\s{0,3}(\d{1,3}))?")
_SECRET_NAME = re.compile(r"(?i)pass|secret|token|pwd|pin\b")


class EventFields:
    """The fields of one event."""

    def __init__(self, event: Mapping[str, object], is_own_line: bool) -> None:
        self._event = event
        self._names = {
            meant: next((name for name in names if event.get(name) is not None), "") for meant, names in _NAMES.items()
        }
        self._used = {*filter(None, self._names.values()), *(_OWN if is_own_line else ())}
        # Select the rules once for the whole event: most events match none.
        self._rules = candidate_rules(strip_controls("\n".join(_strings(event))))
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
        return one_line(self._cleaned_name(str(value)))[:MAX_NAME_CHARS].rstrip() or None

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

    def importance(self) -> float | None:
        """Return the importance that the event or its detail states, as a share from 0 to 1."""
        given, detail = read_importance(self.raw("importance")), self.raw("detail")
        return read_importance(detail.get("importance")) if given is None and isinstance(detail, dict) else given

    def cleaned(self, value: object) -> str:
        """Return a text without control characters and secrets."""
        return self._redacted(strip_controls(value)) if isinstance(value, str) else ""

    def _redacted(self, text: str) -> str:
        if not self._rules or len(text) < MIN_SECRET_CHARS:
            return text
        return self._counted(redacted(text, self._rules))

    def _cleaned_name(self, name: str) -> str:
        """Return the name of a field, a tool or a session without control characters and secrets."""
        name = strip_controls(name)
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
            return self._mask_named(strip_controls(value), name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and _SECRET_NAME.search(name):
            return self._mask_named(str(value), name)
        return value

    def _mask_named(self, text: str, name: str) -> str:
        """Mask a value by its field name as well as by its content."""
        if not name or not self._rules:
            return self._redacted(text)
        return self._counted(redacted_value(name, text, self._rules))


def strip_controls(text: str) -> str:
    """Return a text without terminal codes, and with a mark for each character that cannot be written."""
    return _UNWRITABLE.sub("\ufffd", _TERMINAL.sub("", text))


def one_line(text: str) -> str:
    """Return the beginning of a text on one line."""
    return " ".join(text[:MAX_LINE_CHARS].split())


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
