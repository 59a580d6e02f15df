"""Split input into events and parse each into a spool line; invalid events become dead letters."""

from collections.abc import Sequence

from satchel.domain.safety.redact import redacted
from satchel.domain.spool import DeadLetter
from satchel.errors import InvalidRequest
from satchel.observations.event import CaptureContext, parse_event, read_object, spool_line

# Longer events are rejected.
MAX_EVENT_BYTES = 16 << 20
MAX_LETTER_CHARS = 2_000
# Longer than what is kept, so that a secret crossing the cut is still recognized.
_SEARCHED_FOR_LETTER = 65_536


class EventStream:
    """Splits incoming bytes into events: one object over several lines, or one object per line."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._is_first = True
        self._is_multiline = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Add a piece, and return the events that are complete."""
        if self._is_multiline and len(self._rest) + len(piece) <= MAX_EVENT_BYTES:
            self._rest += piece
            return []
        self._is_multiline = False
        *complete, rest = (bytes(self._rest) + piece).split(b"\n")
        if complete and self._is_first and _opens_multiline(complete[0]):
            # Only the end of the input shows whether this is one object over several lines.
            self._is_multiline, self._is_first = True, False
            self._rest = bytearray(b"\n".join([*complete, rest]))
            return []
        self._is_first = self._is_first and not any(line.strip() for line in complete)
        # One byte over the limit is enough to know that the event is too long.
        self._rest = bytearray(rest[: MAX_EVENT_BYTES + 1])
        return _nonblank(complete)

    def end(self) -> list[bytes]:
        """Return what is left at the end of the input."""
        rest, self._rest = bytes(self._rest), bytearray()
        return [rest] if not self._is_multiline or is_object(rest) else _nonblank(rest.split(b"\n"))


def _nonblank(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if line.strip()]


def _opens_multiline(line: bytes) -> bool:
    return line.lstrip().startswith(b"{") and line.rstrip().endswith((b"{", b"[", b",")) and not is_object(line)


def is_object(raw: bytes) -> bool:
    """Return whether the bytes are one complete JSON object."""
    try:
        read_object(raw)
    except InvalidRequest:
        return False
    return True


class ParsedEvents:
    """Spool lines, artifacts and dead letters made from some events."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.payloads: list[tuple[str, str]] = []
        """Artifacts by name, to be written before the lines."""
        self.letters: list[DeadLetter] = []
        self.keys: list[str] = []
        self.private = 0
        self.misplaced = 0
        """Number of lines put into the default scope because they named an invalid one."""


def parse_events(raws: Sequence[bytes], context: CaptureContext, source: str) -> ParsedEvents:
    """Parse events; invalid ones become dead letters of the source."""
    parsed = ParsedEvents()
    for number, raw in enumerate(raws):
        try:
            if len(raw) > MAX_EVENT_BYTES:
                raise InvalidRequest("the event is too long", code="too_long")
            event = parse_event(read_object(raw), context._replace(nonce=f"{context.nonce}.{number}"))
        except InvalidRequest as error:
            parsed.letters.append(dead_letter(raw, error.code, source, number, len(raw), context.now))
            continue
        if event is None:
            parsed.private += 1
            continue
        if event.overflow and event.payload:
            parsed.payloads.append((event.payload, event.overflow))
        parsed.lines.append(spool_line(event))
        parsed.keys.append(event.key)
        parsed.misplaced += event.misplaced
    return parsed


def dead_letter(raw: bytes, reason: str, source: str, offset: int, size: int, at: int) -> DeadLetter:
    """Return the dead letter for an invalid event: its beginning, with secrets masked."""
    text = redacted(raw[:_SEARCHED_FOR_LETTER].decode("utf-8", "replace").replace("\0", "\ufffd")).text
    return DeadLetter(source, offset, size, reason, text[:MAX_LETTER_CHARS], at)
