"""Codes of vectors: two bits a number, compared by the bits that differ. What they nominate, the exact vectors decide."""

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

WORD_BITS = 64
# Of a unit vector with d numbers, each is about 1 / sqrt(d) in size. Between minus and plus this share of it, a third
# of the numbers of a normal distribution counts as zero.
ZERO_BAND = 0.43
# The ledger compares this many vectors more than asked for, and one more for so many records in the view. Shorter vectors
# have shorter codes, so more of them are compared.
RESCORED = 100
RECORDS_PER_RESCORED = 2_000
USUAL_DIMENSIONS = 384


def encode(vectors: Array) -> Array:
    """Return the codes of unit vectors: for each number, whether it is clearly positive, and whether it is not negative.

    The more a number differs between two vectors, the more bits differ, so counting bits orders almost like cosines.
    """
    band = ZERO_BAND / vectors.shape[1] ** 0.5
    bits = np.concatenate([vectors > band, vectors >= -band], axis=1)
    missing = -bits.shape[1] % WORD_BITS
    return np.packbits(np.pad(bits, ((0, 0), (0, missing))), axis=1).view(np.uint64)


def code_bits(dimensions: int) -> int:
    """Return the length of the code of a vector."""
    return -(-2 * dimensions // WORD_BITS) * WORD_BITS


def count_to_compare(limit: int, dimensions: int, records: int) -> int:
    """Return how many exact vectors to compare for the nearest `limit` of some records."""
    rescored = int(RESCORED * max(1.0, USUAL_DIMENSIONS / dimensions))
    return limit + rescored + records // RECORDS_PER_RESCORED
