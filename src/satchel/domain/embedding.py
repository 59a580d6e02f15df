"""Embedding values: the space a vector belongs to, and what makes a vector or its input acceptable."""

import math
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

# array("f"): compact, and exactly the bytes that the ledger keeps and the index reads.
if TYPE_CHECKING:
    Vector = array[float]
else:  # Python 3.11 cannot subscript an array at run time
    Vector = array

GAP = "\n…\n"


@dataclass(frozen=True, slots=True)
class Space:
    """The coordinate system of a vector. Vectors of two spaces are never compared."""

    name: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Clamp:
    """How much of a long text is embedded: its head, and its tail up to the limit."""

    max_chars: int = 6000
    head_chars: int = 500


def clamp(text: str, limits: Clamp) -> str:
    """Shorten a text to head + gap + tail, so that how it begins and how it ends both count."""
    if len(text) <= limits.max_chars:
        return text
    head = max(0, min(limits.head_chars, limits.max_chars - len(GAP)))
    tail = limits.max_chars - len(GAP) - head
    if tail < 0:
        return text[: limits.max_chars]
    return text[:head] + GAP + text[len(text) - tail :]


def fault(vector: Vector, dimensions: int) -> str | None:
    """Say what is wrong with a vector, or None when it can be stored."""
    if len(vector) != dimensions:
        return "wrong_dimension"
    if not all(map(math.isfinite, vector)):
        return "not_finite"
    if not any(vector):
        return "zero_vector"
    return None
