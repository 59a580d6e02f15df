"""Embedders that vary existing vectors, so that a million need not be computed."""

import hashlib
from array import array
from collections.abc import Sequence

import numpy as np

from satchel.domain.embedding import Vector
from satchel.ports import Embedder

# Length of the noise added to a unit vector: a variation has a cosine of 0.94 with its text, two of them 0.89.
NOISE = 0.35


class VariedEmbedder:
    """Implements ports.Embedder: a text with the mark gets the vector of the part before it, plus deterministic noise."""

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


class BorrowedEmbedder:
    """Implements ports.Embedder: any text gets the vector of one of a few others, plus deterministic noise.

    For texts whose meaning is not measured, but whose vectors must be distributed like real ones.
    """

    def __init__(self, embedder: Embedder, lenders: Sequence[str]) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._vectors = embedder.embed(lenders)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        return [_moved(self._vectors[_number(text) % len(self._vectors)], text) for text in texts]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
