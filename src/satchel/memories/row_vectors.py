"""Vectors in the rows of an export, so that the store that takes them in need not embed the texts again."""

import struct
from binascii import b2a_base64
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, ValidationError, convert

from satchel.domain.canonical import Json
from satchel.domain.embedding import Space, Vector
from satchel.ports import VectorStore

VECTOR = "vector"
FLOAT16_BYTES = 2


class RowVector(Struct, frozen=True, gc=False):
    """A vector as a row states it: its embedding space, and its numbers, in base64 or as a list."""

    space: str
    float16: bytes = b""
    numbers: tuple[float, ...] = ()


class UsableVectors(NamedTuple):
    """The vectors of some rows, None where there is none to use, and why those are not used that a row has."""

    vectors: list[Vector | None]
    left_out: Counter[str]


VectorReader = Callable[[Sequence[RowVector | None]], UsableVectors]
"""Returns the vectors of rows, as far as they can be used."""

_UNREADABLE = RowVector("")


def vector_field(space: Space, vector: Vector) -> dict[str, Json]:
    """Return a vector as a row states it."""
    return {
        "space": space.name,
        "float16": b2a_base64(struct.pack(f"<{len(vector)}e", *vector), newline=False).decode(),
    }


def row_vector(row: Mapping[str, Json]) -> RowVector | None:
    """Return the vector of a row, one of no space if it cannot be read. Numbers alone, of any model, are none."""
    stated = row.get(VECTOR)
    if not isinstance(stated, dict):
        return None
    try:
        return convert(stated, RowVector)
    except ValidationError:
        return _UNREADABLE


def usable_vectors(stated: Sequence[RowVector | None], space: Space | None, store: VectorStore) -> UsableVectors:
    """Return the vectors that belong to a space, if there is one."""
    vectors: list[Vector | None] = [None] * len(stated)
    left_out, chosen = Counter[str](), dict[int, RowVector]()
    for place, one in enumerate(stated):
        if one is not None and (problem := _problem(one, space)):
            left_out[problem] += 1
        elif one is not None:
            chosen[place] = one
    if chosen and space is not None:
        numbers = [one.float16 or one.numbers for one in chosen.values()]
        for place, vector in zip(chosen, store.decode(numbers, space.dimensions), strict=True):
            vectors[place] = vector
            if vector is None:
                left_out["unusable"] += 1
    return UsableVectors(vectors, left_out)


def no_vectors(stated: Sequence[RowVector | None]) -> UsableVectors:
    """Use none of the vectors: they are not trusted."""
    return UsableVectors([None] * len(stated), Counter(not_trusted=sum(one is not None for one in stated)))


def _problem(stated: RowVector, space: Space | None) -> str:
    """Return why a vector cannot belong to a space, or nothing if it can."""
    if not stated.space:
        return "unreadable"
    if space is None or stated.space != space.name:
        return "other_space"
    dimensions = len(stated.float16) / FLOAT16_BYTES if stated.float16 else len(stated.numbers)
    return "" if dimensions == space.dimensions else "wrong_dimension"
