"""Columns of many rows as arrays, in PostgreSQL's binary format: neither side has to write or read them as text."""

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any, NamedTuple

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

_NULL = b"\xff\xff\xff\xff"
_LENGTH = Struct("!i")
_HEADER = Struct("!iiiii")
_LONG, _DOUBLE, _BITS = Struct("!iq"), Struct("!id"), Struct("!ii")


class ArrayType(NamedTuple):
    """A type of arrays: its name, the number of its elements' type, and how an element is sent, its length first."""

    name: str
    element: int
    encode: Callable[[Any], bytes]


class Array(bytes):
    """An array as it is sent."""


def _text(value: str) -> bytes:
    # PostgreSQL has no character NUL.
    return _bytes(str.replace(value, "\0", "\N{REPLACEMENT CHARACTER}").encode())


def _bytes(value: bytes) -> bytes:
    return _LENGTH.pack(len(value)) + value


TEXTS = ArrayType("text[]", 25, _text)
NUMBERS = ArrayType("bigint[]", 20, lambda value: _LONG.pack(8, value))
FLOATS = ArrayType("double precision[]", 701, lambda value: _DOUBLE.pack(8, value))
BLOBS = ArrayType("bytea[]", 17, _bytes)
CODES = ArrayType("varbit[]", 1562, lambda value: _BITS.pack(4 + len(value), 8 * len(value)) + value)


def array_of(type: ArrayType, values: Sequence[Any]) -> Array:
    """Return values, of which some may be None, as an array."""
    if not values:
        return Array(_HEADER.pack(0, 0, type.element, 0, 1)[:12])
    encode = type.encode
    elements = [_NULL if value is None else encode(value) for value in values]
    return Array(_HEADER.pack(1, int(None in values), type.element, len(values), 1) + b"".join(elements))


class _ArrayDumper(Dumper):
    """Sends an array as it is. Its type is that of the cast in the statement."""

    format = Format.BINARY

    def dump(self, obj: Array) -> bytes:
        return obj


def register_arrays(connection: "psycopg.Connection[Any]") -> None:
    """Let a connection take arrays as parameters."""
    connection.adapters.register_dumper(Array, _ArrayDumper)
