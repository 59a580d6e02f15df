"""Rows: the bytes of a file cut into rows, and each row read as strict JSON. A bad row never takes a good one with it."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.errors import InvalidRequest

MAX_ROW_BYTES = 1 << 20
MAX_TOTAL_BYTES = 2 << 30
MAX_DEPTH = 64
# As many digits as a 64-bit number can have; Python would take minutes over a number of a million.
MAX_DIGITS = 19
# Blank lines may stand before the first row, though hardly more of them than this.
_GUESS_WITHIN = 1 << 16

_BOM = b"\xef\xbb\xbf"
_MARK = re.compile(rb'["\[\]{},]')
_IN_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_NESTING = re.compile(rb'"(?:[^"\\]++|\\.)*+"|([\[{])|([\]}])', re.DOTALL)


class Raw(Struct, frozen=True):
    """One row as it stands in the file, or why there is none: its line, or its place in the list, from 1."""

    number: int
    data: bytes = b""
    problem: str = ""


def opened(chunks: Iterable[bytes], format: str | None) -> tuple[str, Iterator[Raw]]:
    """Return the format of a file, guessed from its first character unless it is given, and its rows."""
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
    return known, elements(all_chunks) if known == "json" else lines(all_chunks)


def lines(chunks: Iterable[bytes | None]) -> Iterator[Raw]:
    """Cut JSON lines. Blank ones are passed over, and a line that is too long is named without being kept."""
    row, number = _Row(), 1
    for chunk in chunks:
        if chunk is None:
            yield Raw(number, problem="file_too_large")
            return
        first, *others = chunk.split(b"\n")
        row.add(first)
        for piece in others:
            if not row.is_blank:
                yield row.take(number)
            row, number = _Row(), number + 1
            row.add(piece)
    if not row.is_blank:
        yield row.take(number)


class _Row:
    """A row that is being read; past the limit only its length is remembered."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._too_long = False

    def add(self, piece: bytes) -> None:
        if len(self._data) + len(piece) > MAX_ROW_BYTES:
            self._too_long = True
            self._data.clear()
        if not self._too_long:
            self._data += piece

    @property
    def is_blank(self) -> bool:
        return not self._too_long and not self._data.strip()

    def take(self, number: int) -> Raw:
        return Raw(number, problem="row_too_long") if self._too_long else Raw(number, bytes(self._data))


def elements(chunks: Iterable[bytes | None]) -> Iterator[Raw]:
    """Cut the elements out of a JSON list without reading them, so that one bad element spoils none of the others."""
    reader = _ListReader()
    for chunk in chunks:
        if chunk is None:
            yield Raw(reader.number + 1, problem="file_too_large")
            return
        yield from reader.feed(chunk)
    yield from reader.end()


class _ListReader:
    """Follows brackets and quotes through a JSON list, from one chunk to the next."""

    def __init__(self) -> None:
        self.number = 0
        self._row = _Row()
        self._depth = 0
        self._in_string = False
        self._carried = b""
        self._ended = self._spoiled = False

    def feed(self, chunk: bytes) -> Iterator[Raw]:
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
            yield Raw(self.number + 1, problem="trailing_data")

    def _string(self, chunk: bytes, position: int) -> int:
        """Read on within a text; return where it stopped."""
        found = _IN_STRING.match(chunk, position)
        end = found.end() if found else position
        if end < len(chunk) and chunk[end : end + 1] == b'"':
            end += 1
            self._in_string = False
        elif end < len(chunk):
            # A backslash at the very end says something about the next chunk.
            self._carried = chunk[end:]
            self._row.add(chunk[position:end])
            return len(chunk)
        self._row.add(chunk[position:end])
        return end

    def _mark(self, mark: bytes) -> Iterator[Raw]:
        if not self._depth and mark != b"[":
            self._ended = self._spoiled = True
            yield Raw(1, problem="not_a_list")
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

    def _element(self, *, last: bool) -> Iterator[Raw]:
        self._ended = last
        if self.number or not last or not self._row.is_blank:
            self.number += 1
            yield self._row.take(self.number)
        self._row = _Row()

    def end(self) -> Iterator[Raw]:
        """Name what is left over when the file ends before the list does."""
        if self._ended:
            return
        if self._depth == 1 and not self._in_string and not self._row.is_blank:
            self.number += 1
            yield self._row.take(self.number)
        yield Raw(self.number + 1, problem="cut_off")


def parsed(data: bytes) -> dict[str, Json]:
    """Read a row as a JSON object, or raise InvalidRequest with the reason as its code."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest("the row is not UTF-8", code="not_utf8") from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _is_deep(data):
        raise InvalidRequest(f"the row is nested more than {MAX_DEPTH} deep", code="too_deep")
    try:
        row = _DECODER.decode(text)
    except ValueError:
        raise InvalidRequest("the row is not JSON", code="not_json") from None
    if not isinstance(row, dict):
        raise InvalidRequest("the row is not an object", code="not_an_object")
    return row


def _is_deep(data: bytes) -> bool:
    depth = 0
    for found in _NESTING.finditer(data):
        depth += (found.group(1) is not None) - (found.group(2) is not None)
        if depth > MAX_DEPTH:
            return True
    return False


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise InvalidRequest("a name stands twice in one object", code="duplicate_key")
    return row


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidRequest("a number is too large", code="not_finite")
    return number


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidRequest("a number is too large", code="not_finite")
    return int(digits)


def _no_constant(name: str) -> Json:
    raise InvalidRequest(f"{name} is no number", code="not_finite")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_int=_whole, parse_constant=_no_constant
)


def _capped(chunks: Iterable[bytes]) -> Iterator[bytes | None]:
    """Pass chunks on up to the total limit; then None."""
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > MAX_TOTAL_BYTES:
            yield None
            return
        yield chunk
