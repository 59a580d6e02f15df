"""An embedder without a model: signed hashing of words and character trigrams, which tolerates misspellings."""

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from satchel.domain.embedding import Vector
from satchel.errors import InvalidRequest

_WORD = re.compile(r"\w+")


class Hashing:
    """Implements ports.Embedder. The same on every machine; tolerates typing errors, but knows no meaning."""

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions < 1:
            raise InvalidRequest("an embedding needs at least one dimension")
        self.dimensions = dimensions
        self.name = f"hashing-{dimensions}"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, in order."""
        return [_embed(text, self.dimensions) for text in texts]


def _embed(text: str, dimensions: int) -> Vector:
    sums = _sums(Counter(_features(text.lower())), dimensions)
    # Without features, or if they cancel each other, the empty feature is used instead.
    if not any(sums):
        sums = _sums(Counter([""]), dimensions)
    length = math.hypot(*sums)
    return array("f", [value / length for value in sums])


def _features(text: str) -> Iterator[str]:
    for word in _WORD.finditer(text):
        yield "word:" + word.group()
    # Trigrams of everything between blanks, so that emoji and symbols count as well.
    for token in text.split():
        padded = f" {token} "
        for start in range(len(padded) - 2):
            yield "part:" + padded[start : start + 3]


def _sums(features: Counter[str], dimensions: int) -> list[float]:
    sums = [0.0] * dimensions
    for feature, count in features.items():
        # surrogatepass: a lone surrogate must not fail.
        digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        slot, sign = divmod(int.from_bytes(digest, "big"), 2)
        sums[slot % dimensions] += count if sign else -count
    return sums
