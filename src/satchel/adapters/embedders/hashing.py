"""An embedder without a model: signed hashing of words and letter triples, so that near-spellings meet."""

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
    """Deterministic on every machine, and good enough to forgive a typing error. It knows nothing of meaning."""

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
    # No feature at all, or features which cancelled each other: the empty feature stands in, since it cannot cancel.
    if not any(sums):
        sums = _sums(Counter([""]), dimensions)
    length = math.hypot(*sums)
    return array("f", [value / length for value in sums])


def _features(text: str) -> Iterator[str]:
    for word in _WORD.finditer(text):
        yield "word:" + word.group()
    # Triples of everything between blanks, not only of words: emoji and symbols count as well.
    for token in text.split():
        padded = f" {token} "
        for start in range(len(padded) - 2):
            yield "part:" + padded[start : start + 3]


def _sums(features: Counter[str], dimensions: int) -> list[float]:
    sums = [0.0] * dimensions
    for feature, count in features.items():
        # surrogatepass: half a surrogate pair is no reason to refuse a text.
        digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        slot, sign = divmod(int.from_bytes(digest, "big"), 2)
        sums[slot % dimensions] += count if sign else -count
    return sums
