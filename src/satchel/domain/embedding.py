"""Embedding values: the space a vector belongs to, and what makes a vector or its input acceptable."""

import math
from array import array
from typing import TYPE_CHECKING

from msgspec import Struct

# array("f"): compact, and exactly the bytes that the ledger keeps and the index reads.
if TYPE_CHECKING:
    Vector = array[float]
else:  # Python 3.11 cannot subscript an array at run time
    Vector = array

GAP = "\n…\n"


class Space(Struct, frozen=True):
    """The coordinate system of a vector. Vectors of two spaces are never compared."""

    name: str
    dimensions: int


class Clamp(Struct, frozen=True):
    """How much of a long text is embedded: its head, and its tail up to the limit."""

    max_chars: int = 6000
    head_chars: int = 500
    max_bytes: int = 0
    """How many bytes of UTF-8 it may have as well; 0 for any number."""


def clamp(text: str, limits: Clamp) -> str:
    """Shorten a text to head + gap + tail, so that how it begins and how it ends both count."""
    head = max(0, min(limits.head_chars, limits.max_chars - len(GAP)))
    tail = limits.max_chars - len(GAP) - head
    short = text
    if len(text) > limits.max_chars:
        short = text[: limits.max_chars] if tail < 0 else text[:head] + GAP + text[len(text) - tail :]
    if not limits.max_bytes or _size(short) <= limits.max_bytes:
        return short
    room = limits.max_bytes - _size(GAP)
    if min(room, tail) < 0:
        return _beginning(text[: limits.max_chars], limits.max_bytes)
    # Cut from the text itself, not from its shortened form: that would leave two gaps.
    begins = _beginning(text[:head], room)
    return begins + GAP + _ending(text[len(text) - tail :] if tail < len(text) else text, room - _size(begins))


def _utf8(text: str) -> bytes:
    # A lone surrogate is no text, but no reason to fail here either.
    return text.encode("utf-8", "surrogatepass")


def _size(text: str) -> int:
    return len(_utf8(text))


def _beginning(text: str, most: int) -> str:
    """Return as many whole characters from the beginning as fit into so many bytes."""
    data, end = _utf8(text), most
    while 0 < end < len(data) and _continues(data[end]):
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass")


def _ending(text: str, most: int) -> str:
    """Return as many whole characters from the end as fit into so many bytes."""
    data = _utf8(text)
    start = max(0, len(data) - most)
    while start < len(data) and _continues(data[start]):
        start += 1
    return data[start:].decode("utf-8", "surrogatepass")


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def fault(vector: Vector, dimensions: int) -> str | None:
    """Say what is wrong with a vector, or None when it can be stored."""
    if len(vector) != dimensions:
        return "wrong_dimension"
    if not all(map(math.isfinite, vector)):
        return "not_finite"
    if not any(vector):
        return "zero_vector"
    return None
