"""Taking in what is told: each event a line for the spool, and each that is none a dead letter."""

from collections.abc import Sequence

from satchel.domain.safety.redact import redacted
from satchel.domain.spool import DeadLetter
from satchel.domain.strict_json import read_object
from satchel.errors import InvalidRequest
from satchel.observations.event import Circumstances, sighted, spool_line
from satchel.observations.stream import MAX_EVENT_BYTES

MAX_LETTER_CHARS = 2_000
# A secret that begins within what is kept ends within what is searched.
_SEARCHED_FOR_LETTER = 65_536


class Taken:
    """What came of some events."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.payloads: list[tuple[str, str]] = []
        """What is to be put aside before the lines are written, each by its name."""
        self.letters: list[DeadLetter] = []
        self.keys: list[str] = []
        self.private = 0
        self.misplaced = 0
        """How many of the lines stand in the default scope since theirs cannot be one."""


def taken(raws: Sequence[bytes], around: Circumstances, source: str) -> Taken:
    """Check some events; those that cannot be read become dead letters of the source."""
    found = Taken()
    for number, raw in enumerate(raws):
        try:
            if len(raw) > MAX_EVENT_BYTES:
                raise InvalidRequest("the event is too long", code="too_long")
            sighting = sighted(read_object(raw), around._replace(nonce=f"{around.nonce}.{number}"))
        except InvalidRequest as error:
            found.letters.append(dead_letter(raw, error.code, source, number, len(raw), around.now))
            continue
        if sighting is None:
            found.private += 1
            continue
        if sighting.overflow and sighting.payload:
            found.payloads.append((sighting.payload, sighting.overflow))
        found.lines.append(spool_line(sighting))
        found.keys.append(sighting.key)
        found.misplaced += sighting.misplaced
    return found


def dead_letter(raw: bytes, reason: str, source: str, offset: int, size: int, at: int) -> DeadLetter:
    """Return the letter for a line that is no event: its beginning, without secrets."""
    text = redacted(raw[:_SEARCHED_FOR_LETTER].decode("utf-8", "replace").replace("\0", "\ufffd")).text
    return DeadLetter(source, offset, size, reason, text[:MAX_LETTER_CHARS], at)
