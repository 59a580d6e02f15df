"""Files of public sets: plain or gzip, read as JSON of a declared shape, or refused with the place that is wrong."""

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from satchel.errors import InvalidRequest
from satchel.interfaces.bench.sets import Corpus, Level, Question, Unit

# Far more than any published set, and little enough for any machine: a small gzip file can unfold without end.
MAX_BYTES = 2 << 30
_GZIP = b"\x1f\x8b"

Shape = TypeVar("Shape")


def unpacked(chunks: Iterable[bytes]) -> bytes:
    """Return the bytes of a file, unpacked if it is a gzip file."""
    data = bytearray()
    for chunk in chunks:
        data += chunk
        _check_size(len(data))
    return _gunzipped(bytes(data)) if data.startswith(_GZIP) else bytes(data)


def _gunzipped(data: bytes) -> bytes:
    out = bytearray()
    while data:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            out += unpacker.decompress(data, MAX_BYTES + 1 - len(out))
        except zlib.error as error:
            raise InvalidRequest(f"the gzip file is damaged: {error}", code="bad_format") from None
        _check_size(len(out))
        if not unpacker.eof:
            raise InvalidRequest("the gzip file ends in the middle", code="bad_format")
        data = unpacker.unused_data
    return bytes(out)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise InvalidRequest(f"the file holds more than {MAX_BYTES >> 30} GB", code="file_too_large")


def shaped(data: bytes, shape: type[Shape], name: str) -> Shape:
    """Return what a file holds, as the shape says it must be."""
    try:
        return msgspec.json.decode(data, type=shape)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise not_of_format(name, str(error)) from None
    except RecursionError:
        raise not_of_format(name, "it is nested too deeply") from None


def converted(value: Any, shape: type[Shape], name: str, place: str) -> Shape:
    """Return a part of what was read, as the shape says it must be."""
    try:
        return msgspec.convert(value, type=shape)
    except msgspec.ValidationError as error:
        raise not_of_format(name, f"{error}, in {place}") from None


def not_of_format(name: str, why: str) -> InvalidRequest:
    """Return the error about a file that is something else than it was said to be."""
    return InvalidRequest(f"the file is not of the format {name!r}: {why}", code="bad_format", hint="see --set")


def moment(text: str, *formats: str) -> int | None:
    """Return when a date as the file writes it is, in milliseconds since the epoch; None for what is no date."""
    for format in formats:
        try:
            at = datetime.strptime(text.strip(), format).replace(tzinfo=UTC)
        except ValueError:
            continue
        return int(at.timestamp() * 1000)
    return None


def only_turns(level: Level, name: str) -> None:
    """Refuse the level of sessions for a set that has none."""
    if level is Level.SESSION:
        raise InvalidRequest(f"{name} has no sessions", code="no_sessions", hint="leave --level out")


def corpus(name: str, units: Sequence[Unit], questions: Sequence[Question]) -> Corpus:
    """Return a corpus whose parts are whole: it has units that say something, and no two of them, nor of its questions, share an id."""
    if not any(one.text.strip() for one in units):
        raise InvalidRequest(f"{name} is empty: it has nothing to search", code="empty_conversation")
    if not questions:
        raise InvalidRequest(f"{name} has no questions", code="no_questions")
    for what, ids in (("unit", [one.id for one in units]), ("question", [one.id for one in questions])):
        if twice := [id for id, count in Counter(ids).items() if count > 1]:
            raise InvalidRequest(f"{name}: two have the {what} id {twice[0][:40]!r}", code="repeated_id")
    return Corpus(name, tuple(units), tuple(questions))
