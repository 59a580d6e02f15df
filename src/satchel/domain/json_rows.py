"""Split a file into rows, and parse each row as strict JSON. An invalid row never affects the others."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder

from satchel.domain.canonical import Json
from satchel.domain.strict_json import parse_object

MAX_ROW_BYTES = 1 << 20
MAX_TOTAL_BYTES = 2 << 30
# Maximum number of leading blank bytes when guessing the format.
_GUESS_WITHIN = 1 << 16

_BOM = b"\xef\xbb\xbf"
_DECODER = Decoder()
# Those with more digits are counted by the strict parser.
_ORDINARY_INTEGERS = 10**17
_MARK = re.compile(rb'["\[\]{},]')
_IN_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)


class RawRow(Struct, frozen=True, gc=False):
    """A row of the file, or why it is invalid, with its line or list position from 1."""

    number: int
    data: bytes = b""
    problem: str = ""


def open_rows(
    chunks: Iterable[bytes], format: str | None, *, max_row_bytes: int | None = None
) -> tuple[str, Iterator[RawRow]]:
    """Return the format of a file, guessed from its first character unless given, and its rows."""
    limit = MAX_ROW_BYTES if max_row_bytes is None else max_row_bytes
    source = iter(chunks)
    head = b""
    while len(head) < _GUESS_WITHIN and not (len(head) >= len(_BOM) and head.removeprefix(_BOM).strip()):
        chunk = next(source, None)
        if chunk is None:
            break
        head += chunk
    head = head.removeprefix(_BOM)
    known = format or ("json" if head.lstrip().startswith(b"[") else "jsonl")
    all_chunks = _capped(chain([head], source))
    return known, elements(all_chunks, limit) if known == "json" else lines(all_chunks, limit)


def lines(chunks: Iterable[bytes | None], limit: int) -> Iterator[RawRow]:
    """Split JSON lines. Blank lines are skipped; a line that is too long is reported and dropped."""
    row, number = _Row(limit), 1
    for chunk in chunks:
        if chunk is None:
            yield RawRow(number, problem="file_too_large")
            return
        first, *others = chunk.split(b"\n")
        row.add(first)
        if not others:
            continue
        if not row.is_blank:
            yield row.take(number)
        for place, whole in enumerate(others[:-1], number + 1):
            if len(whole) > limit:
                yield RawRow(place, problem="row_too_long")
            elif whole.strip():
                yield RawRow(place, whole)
        row, number = _Row(limit), number + len(others)
        row.add(others[-1])
    if not row.is_blank:
        yield row.take(number)


class _Row:
    """A row being read; beyond the limit only its length counts."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self._too_long = False

    def add(self, piece: bytes) -> None:
        if len(self._data) + len(piece) > self._limit:
            self._too_long = True
            self._data.clear()
        if not self._too_long:
            self._data += piece

    @property
    def is_blank(self) -> bool:
        return not self._too_long and not self._data.strip()

    def take(self, number: int) -> RawRow:
        return RawRow(number, problem="row_too_long") if self._too_long else RawRow(number, bytes(self._data))


def elements(chunks: Iterable[bytes | None], limit: int) -> Iterator[RawRow]:
    """Split a JSON list into elements without parsing them, so that an invalid element does not affect the others."""
    reader = _ListReader(limit)
    for chunk in chunks:
        if chunk is None:
            yield RawRow(reader.number + 1, problem="file_too_large")
            return
        yield from reader.feed(chunk)
    yield from reader.end()


class _ListReader:
    """Tracks brackets and quotes in a JSON list across chunks."""

    def __init__(self, limit: int) -> None:
        self.number = 0
        self._limit = limit
        self._row = _Row(limit)
        self._depth = 0
        self._in_string = False
        self._carried = b""
        self._ended = self._spoiled = False

    def feed(self, chunk: bytes) -> Iterator[RawRow]:
        chunk, position = self._carried + chunk, 0
        self._carried = b""
        while position < len(chunk) and not self._ended:
            start = position
            if self._in_string:
                position = self._string(chunk, position)
                continue
            found = _MARK.search(chunk, position)
            position = found.start() if found else len(chunk)
            if self._depth:
                self._row.add(chunk[start:position])
            if found:
                position += 1
                yield from self._mark(found.group())
        if self._ended and chunk[position:].strip() and not self._spoiled:
            self._spoiled = True
            yield RawRow(self.number + 1, problem="trailing_data")

    def _string(self, chunk: bytes, position: int) -> int:
        """Read on inside a string; return where it stopped."""
        found = _IN_STRING.match(chunk, position)
        end = found.end() if found else position
        if end < len(chunk) and chunk[end : end + 1] == b'"':
            end += 1
            self._in_string = False
        elif end < len(chunk):
            # A backslash at the end of a chunk belongs to the next one.
            self._carried = chunk[end:]
            self._row.add(chunk[position:end])
            return len(chunk)
        self._row.add(chunk[position:end])
        return end

    def _mark(self, mark: bytes) -> Iterator[RawRow]:
        if not self._depth and mark != b"[":
            self._ended = self._spoiled = True
            yield RawRow(1, problem="not_a_list")
            return
        between = self._depth == 1
        if mark in b"]}":
            self._depth -= 1
        if between and mark in b",]}":
            yield from self._element(last=mark != b",")
            return
        if self._depth:
            self._row.add(mark)
        if mark in b"[{":
            self._depth += 1
        self._in_string = mark == b'"'

    def _element(self, *, last: bool) -> Iterator[RawRow]:
        self._ended = last
        if self.number or not last or not self._row.is_blank:
            self.number += 1
            yield self._row.take(self.number)
        self._row = _Row(self._limit)

    def end(self) -> Iterator[RawRow]:
        """Report what is left over if the file ends before the list."""
        if self._ended:
            return
        if self._depth == 1 and not self._in_string and not self._row.is_blank:
            self.number += 1
            yield self._row.take(self.number)
        yield RawRow(self.number + 1, problem="cut_off")


def decode_row(data: bytes) -> dict[str, Json]:
    """Parse a row as strict JSON, or raise InvalidRequest with the reason as its code."""
    # Faster for an ordinary row. Any other row is parsed strictly, which says what is wrong with it.
    ordinary = _decode_ordinary(data)
    return parse_object(data, "the row", bounded_integers=True) if ordinary is None else ordinary


def _decode_ordinary(data: bytes) -> dict[str, Json] | None:
    """Return a row that is certainly strict JSON, or None.

    msgspec accepts a key that an object has twice. Each key has a colon, so there are more colons than keys and
    strings account for, unless an escape (\\u003a) stands for one.
    """
    if b"\\" in data and b"\\u" in data:
        return None
    try:
        row = _DECODER.decode(data)
    except (MsgspecError, ValueError, RecursionError):
        return None
    if type(row) is not dict or _colons(row) != data.count(b":"):
        return None
    return row


def _colons(row: dict[str, Any]) -> int:
    """Count the colons that a row has as JSON without escapes; -1 if it has a value that is not ordinary."""
    keys, texts = len(row), [*row]
    for value in row.values():
        of = type(value)
        if of is str:
            texts.append(value)
        elif of is list:
            texts += value
        elif of is dict:
            keys += len(value)
            texts += [*value, *value.values()]
        elif of is int and abs(value) >= _ORDINARY_INTEGERS:
            return -1
    try:
        return keys + "".join(texts).count(":")
    except TypeError:
        # A list or an object of more than texts.
        return -1


def _capped(chunks: Iterable[bytes]) -> Iterator[bytes | None]:
    """Yield chunks up to the total limit, then None."""
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > MAX_TOTAL_BYTES:
            yield None
            return
        yield chunk
