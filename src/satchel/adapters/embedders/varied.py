"""Vectors that are those of other texts, moved a little, so that a million need not be computed."""

import hashlib
from array import array
from collections.abc import Sequence

import numpy as np

from satchel.domain.embedding import Vector
from satchel.ports import Embedder

# The length of what is added to a unit vector: a variation has a cosine of 0.94 with its text, two of them 0.89.
NOISE = 0.35


class Varied:
    """Implements ports.Embedder: what stands behind the mark moves the vector, always the same way."""

    def __init__(self, embedder: Embedder, mark: str) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._embedder = embedder
        self._mark = mark

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        made = self._embedder.embed([text.partition(self._mark)[0] for text in texts])
        return [_moved(one, text) if self._mark in text else one for one, text in zip(made, texts, strict=True)]


def _moved(vector: Vector, text: str) -> Vector:
    step = np.random.default_rng(_number(text)).standard_normal(len(vector), dtype=np.float32)
    moved = np.frombuffer(vector, dtype=np.float32) + NOISE * step / np.linalg.norm(step)
    return array("f", (moved / np.linalg.norm(moved)).astype(np.float32).tobytes())


class Borrowed:
    """Implements ports.Embedder: any text gets the vector of one of a few others, moved a little, always the same way.

    For texts whose meaning nobody measures, but whose vectors must lie as real ones do.
    """

    def __init__(self, embedder: Embedder, lenders: Sequence[str]) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._vectors = embedder.embed(lenders)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        return [_moved(self._vectors[_number(text) % len(self._vectors)], text) for text in texts]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
