"""Codes of vectors: two bits per number and what a view checks of each record, in files that a search maps into memory.

A search compares the code of the question with the codes of every record in its view, and hands the closest to the
ledger, whose exact vectors decide. So the index needs no copy of the vectors, nothing is trained, and a view that admits
few records makes a search faster instead of less complete. A record is found at the number of its row in the ledger.
"""

import hashlib
import math
import mmap
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from satchel.adapters.sql.vector_codes import WORD_BITS, Array, code_bits, count_to_compare, encode
from satchel.domain.embedding import Vector
from satchel.domain.media import ANY_MEDIA, MediaKind, media_kind
from satchel.domain.record import Kind, Label, Memory, State, Trust
from satchel.domain.view import View

FOLDER = "codes"
# Rows that are compared together: their codes fit into a processor's cache.
ROWS_PER_BLOCK = 8_192

# In the order of their files. The length of the last file says how many rows there are, so it grows last.
_COLUMNS = ("code", "validity", "standing", "scope")
# The first byte of a standing: 0 if there is no vector, a flag if the record has dates of validity.
_DATED = 0x80
_NEVER, _EVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_TRUSTS, _STATES, _LABELS, _KINDS, _MEDIA = (
    {one: number for number, one in enumerate(members, start=1)}
    for members in (tuple(Trust), tuple(State), tuple(Label), tuple(Kind), tuple(MediaKind))
)
# The third byte has the label in its lower half, and the kind of media in its upper half.
_HALF_BYTE = 4


class CodedRow(Struct, frozen=True, gc=False):
    """A record to write: its row in the ledger, and its vector if it has one."""

    row: int
    memory: Memory
    vector: Vector | None


def create(dataset: Path) -> None:
    """Create empty files in the folder of a dataset, with which they are removed."""
    (dataset / FOLDER).mkdir(mode=0o700)
    for name in _COLUMNS:
        (dataset / FOLDER / name).touch(mode=0o600)


def write(dataset: Path, rows: Sequence[CodedRow], dimensions: int) -> None:
    """Write records to their rows. They are on disk when this returns."""
    if not rows:
        return
    standings = np.array([_standing(one) for one in rows], np.uint8)
    validities = np.array([_validity(one.memory) for one in rows], np.int64)
    number = cache(_scope_number)
    scopes = np.array([number(one.memory.scope) for one in rows], np.uint32)
    _put(dataset, [one.row for one in rows], dimensions, (_codes(rows, dimensions), validities, standings, scopes))


def erase(dataset: Path, rows: Sequence[int], dimensions: int) -> None:
    """Overwrite rows with zeros."""
    known = Codes(dataset, dimensions).rows
    if within := [row for row in rows if row < known]:
        _put(dataset, within, dimensions, (0, 0, 0, 0))


class Codes:
    """The codes of a dataset as they are now. Raises OSError or ValueError if a file is missing or too short."""

    def __init__(self, dataset: Path, dimensions: int) -> None:
        self._folder = dataset / FOLDER
        self.identity = self._identify()
        arrays = [_mapped(self._folder / name, *_form(name, dimensions)) for name in reversed(_COLUMNS)]
        self._scope, self._standing, self._validity, self._code = arrays
        self.rows = len(self._scope)
        if any(len(one) < self.rows for one in arrays):
            raise ValueError("the codes of the vectors are incomplete")

    def is_current(self) -> bool:
        """Return whether the files are still the ones that were mapped, with as many rows."""
        return self._identify() == self.identity

    def count(self) -> int:
        """Count the records with a vector."""
        return int(np.count_nonzero(self._standing[: self.rows, 0]))

    def nearest(self, vector: Vector, view: View, limit: int) -> list[int]:
        """Return the rows of the records in a view whose exact vectors to compare for the nearest of them."""
        rows = self._admitted(view)
        wanted = count_to_compare(limit, len(vector), len(rows))
        if len(rows) <= wanted:
            return [int(row) for row in rows]
        question = encode(np.frombuffer(vector, np.float32)[None, :])[0]
        differing = np.concatenate(
            [
                _differing_bits(self._code, rows[start : start + ROWS_PER_BLOCK], question)
                for start in range(0, len(rows), ROWS_PER_BLOCK)
            ]
        )
        # Ties are broken by row, so that the same store gives the same candidates.
        most = np.partition(differing, wanted - 1)[wanted - 1]
        closer, equal = rows[differing < most], rows[differing == most]
        return [int(row) for row in (*closer, *equal[: wanted - len(closer)])]

    def _admitted(self, view: View) -> Array:
        """Return the rows that a view admits. The ledger applies its rules once more."""
        scopes = self._scope[: self.rows]
        if view.reach.everywhere:
            rows = np.arange(self.rows)
        else:
            named = [_scope_number(scope) for scope in view.reach.scopes]
            rows = np.flatnonzero(scopes == named[0] if len(named) == 1 else np.isin(scopes, named))
        standing = self._standing.take(rows, axis=0)
        trusts = [_TRUSTS[one] | dated for one in view.trusts for dated in (0, _DATED)]
        admitted = _table(trusts)[standing[:, 0]] & _table(_STATES[one] for one in view.states)[standing[:, 1]]
        if view.labels or view.media is not None:
            admitted &= _table(_labels_with_media(view))[standing[:, 2]]
        if view.kinds:
            admitted &= _table(_KINDS[one] for one in view.kinds)[standing[:, 3]]
        if not view.timeless:
            dated = np.flatnonzero(admitted & (standing[:, 0] >= _DATED))
            validity = self._validity.take(rows[dated], axis=0)
            admitted[dated] = (validity[:, 0] <= view.now) & (validity[:, 1] > view.now)
        return rows[admitted]

    def _identify(self) -> tuple[int, int, int]:
        # A rebuilt file may have the inode of the removed one, but not its time.
        found = (self._folder / _COLUMNS[-1]).stat()
        return found.st_ino, found.st_size, found.st_mtime_ns


class LatestCodes:
    """The codes of a dataset, mapped once for all its readers: each mapping counts as memory in use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._codes: Codes | None = None

    def get(self, dataset: Path, dimensions: Callable[[], int | None]) -> Codes | None:
        """Return the codes as they are now; None if there is no dataset, which has no `dimensions`."""
        with self._lock:
            if self._codes is None or not dataset.exists() or not self._codes.is_current():
                length = dimensions()
                self._codes = None if length is None else Codes(dataset, length)
            return self._codes

    def forget(self) -> None:
        """Drop the mapping: the files may be removed."""
        with self._lock:
            self._codes = None


def _differing_bits(codes: Array, rows: Array, question: Array) -> Array:
    differing = codes.take(rows, axis=0)
    np.bitwise_xor(differing, question, out=differing)
    # A product is twice as fast as a sum over so few columns, and exact for such small numbers.
    counts = np.bitwise_count(differing).astype(np.float32)
    return counts @ np.ones(counts.shape[1], np.float32)


def _put(dataset: Path, rows: Sequence[int], dimensions: int, columns: Sequence[Any]) -> None:
    for name, values in zip(_COLUMNS, columns, strict=True):
        path, (dtype, row_shape) = dataset / FOLDER / name, _form(name, dimensions)
        row_bytes = dtype.itemsize * math.prod(row_shape)
        with path.open("r+b") as file:
            file.truncate(max(os.fstat(file.fileno()).st_size, (max(rows) + 1) * row_bytes))
            size = os.fstat(file.fileno()).st_size
            array = np.memmap(file, dtype, "r+", shape=(size // row_bytes, *row_shape))
            array[rows] = values
            array.flush()


def _mapped(path: Path, dtype: "np.dtype[Any]", row_shape: tuple[int, ...]) -> Array:
    rows = path.stat().st_size // (dtype.itemsize * math.prod(row_shape))
    if not rows:
        return np.zeros((0, *row_shape), dtype)
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, dtype, rows * math.prod(row_shape)).reshape(rows, *row_shape)


def _form(name: str, dimensions: int) -> "tuple[np.dtype[Any], tuple[int, ...]]":
    """Return the type of a file's numbers, and the shape of a row."""
    words = code_bits(dimensions) // WORD_BITS
    forms: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] = {
        "code": (np.dtype("<u8"), (words,)),
        "validity": (np.dtype("<i8"), (2,)),
        "standing": (np.dtype("u1"), (4,)),
        "scope": (np.dtype("<u4"), ()),
    }
    return forms[name]


def _codes(rows: Sequence[CodedRow], dimensions: int) -> Array:
    blank = bytes(4 * dimensions)
    joined = b"".join(blank if one.vector is None else one.vector.tobytes() for one in rows)
    return encode(np.frombuffer(joined, np.float32).reshape(len(rows), dimensions))


def _standing(one: CodedRow) -> tuple[int, int, int, int]:
    memory = one.memory
    if one.vector is None:
        return 0, 0, 0, 0
    dated = memory.valid_from is not None or memory.valid_to is not None
    trust = _TRUSTS[memory.trust] | (_DATED if dated else 0)
    kind = media_kind(memory.media_refs)
    media = 0 if kind is None else _MEDIA[kind]
    return trust, _STATES[memory.state], _LABELS[memory.label] | media << _HALF_BYTE, _KINDS[memory.kind]


def _labels_with_media(view: View) -> Iterator[int]:
    """Yield what the third byte of an admitted record can be. Media of several kinds are `other`: the ledger decides."""
    if view.media is None:
        media = [0, *_MEDIA.values()]
    elif view.media == ANY_MEDIA:
        media = [*_MEDIA.values()]
    else:
        media = [_MEDIA[MediaKind(view.media)], _MEDIA[MediaKind.OTHER]]
    for label in view.labels or tuple(Label):
        yield from (_LABELS[label] | one << _HALF_BYTE for one in media)


def _validity(memory: Memory) -> tuple[int, int]:
    return _NEVER if memory.valid_from is None else memory.valid_from, (
        _EVER if memory.valid_to is None else memory.valid_to
    )


def _scope_number(scope: str) -> int:
    """Return a number for a scope. If two have the same, the ledger leaves the records of the other one out."""
    return int.from_bytes(hashlib.blake2b(scope.encode("utf-8", "backslashreplace"), digest_size=4).digest(), "little")


def _table(admitted: Iterable[int]) -> Array:
    table = np.zeros(256, np.bool_)
    table[list(admitted)] = True
    return table
