"""A million memories without a million embeddings: beyond the texts that are embedded for real, variations of them."""

import hashlib
import random
from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from bench import vocabulary as words
from bench.corpus import SCOPES, SEED, Text, texts
from satchel.domain.embedding import Vector
from satchel.ports import Embedder

EMBEDDED = 100_000
# One variation in so many stands in a scope of its own: 100 of a million.
SMALL_SCOPE = "project/small"
ONE_IN = 9_000
# The length of what is added to a unit vector: a variation has a cosine of 0.94 with its text, two of them 0.89.
NOISE = 0.35
_MARK = " See also "


def corpus(count: int) -> list[Text]:
    """Return so many texts, all different; those beyond the embedded ones are variations, a round for each."""
    first = texts(min(count, EMBEDDED))
    return [*first, *_variations(first, count - len(first))]


def _variations(first: Sequence[Text], count: int) -> Iterator[Text]:
    chance = random.Random(SEED + 2)
    for number in range(count):
        one = first[number % len(first)]
        name = "".join(chance.choices(words.SYLLABLES, k=4)).capitalize()
        scope = SMALL_SCOPE if number % ONE_IN == 0 else chance.choice(SCOPES)
        yield Text(f"{one.text}{_MARK}{name}-{number}.", scope, one.kind, one.question)


class Varied:
    """Implements ports.Embedder: a variation gets the vector of its text, moved a little, always the same way."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        made = self._embedder.embed([text.partition(_MARK)[0] for text in texts])
        return [_moved(vector, text) if _MARK in text else vector for vector, text in zip(made, texts, strict=True)]


def _moved(vector: Vector, text: str) -> Vector:
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    step = np.random.default_rng(seed).standard_normal(len(vector), dtype=np.float32)
    moved = np.frombuffer(vector, dtype=np.float32) + NOISE * step / np.linalg.norm(step)
    return array("f", (moved / np.linalg.norm(moved)).astype(np.float32).tobytes())
