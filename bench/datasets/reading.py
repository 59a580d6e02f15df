"""Dataset files: plain or gzip, decoded as JSON of a declared shape, or rejected with the place of the mistake."""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from bench.datasets.dataset import Corpus, Level, Question, Unit
from satchel.config import Settings
from satchel.errors import InvalidRequest, NotFound
from satchel.wiring.adapters import open_exchange

# Larger than any published dataset; a limit because a small gzip file can expand without end.
MAX_BYTES = 2 << 30
_GZIP = b"\x1f\x8b"

Shape = TypeVar("Shape")


def read_input(settings: Settings, path: str, *, pipes: bool) -> bytes:
    """Return the bytes of a file that a user named; with `pipes`, '-' is standard input."""
    data = bytearray()
    with missing_is_invalid(), open_exchange(settings, pipes=pipes).read(path) as file:
        for chunk in file.chunks:
            data += chunk
            _check_size(len(data))
    return bytes(data)


@contextmanager
def missing_is_invalid() -> Iterator[None]:
    """Report a missing file as an invalid request."""
    try:
        yield
    except NotFound as error:
        raise InvalidRequest(error.message, code=error.code, hint=error.hint) from None


def unpacked(data: bytes) -> bytes:
    """Return the content of a file, decompressed if it is gzip."""
    return _gunzipped(data) if data.startswith(_GZIP) else data


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
            raise InvalidRequest("the gzip file is truncated", code="bad_format")
        data = unpacker.unused_data
    return bytes(out)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise InvalidRequest(f"the file holds more than {MAX_BYTES >> 30} GB", code="file_too_large")


def shaped(data: bytes, shape: type[Shape], name: str) -> Shape:
    """Decode a file as a shape."""
    try:
        return msgspec.json.decode(data, type=shape)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise not_of_format(name, str(error)) from None
    except RecursionError:
        raise not_of_format(name, "nested too deeply") from None


def converted(value: Any, shape: type[Shape], name: str, place: str) -> Shape:
    """Convert a part of a decoded file to a shape."""
    try:
        return msgspec.convert(value, type=shape)
    except msgspec.ValidationError as error:
        raise not_of_format(name, f"{error}, in {place}") from None


def not_of_format(name: str, why: str) -> InvalidRequest:
    """Return the error for a file that is not of the named format."""
    return InvalidRequest(f"the file is not a valid {name} file: {why}", code="bad_format", hint="see --set")


def moment(text: str, *formats: str) -> int | None:
    """Parse a date of the file to milliseconds since the epoch; None if no format matches."""
    for format in formats:
        try:
            at = datetime.strptime(text.strip(), format).replace(tzinfo=UTC)
        except ValueError:
            continue
        return int(at.timestamp() * 1000)
    return None


def only_turns(level: Level, name: str) -> None:
    """Reject the session level for a dataset without sessions."""
    if level is Level.SESSION:
        raise InvalidRequest(f"{name} has no sessions", code="no_sessions", hint="leave --level out")


def corpus(name: str, units: Sequence[Unit], questions: Sequence[Question]) -> Corpus:
    """Return a corpus after checking it: some unit has text, there are questions, and no id is used twice."""
    if not any(one.text.strip() for one in units):
        raise InvalidRequest(f"{name} has no text to search", code="empty_conversation")
    if not questions:
        raise InvalidRequest(f"{name} has no questions", code="no_questions")
    for what, ids in (("unit", [one.id for one in units]), ("question", [one.id for one in questions])):
        if twice := [id for id, count in Counter(ids).items() if count > 1]:
            raise InvalidRequest(f"{name} has two {what}s with the id {twice[0][:40]!r}", code="repeated_id")
    return Corpus(name, tuple(units), tuple(questions))
