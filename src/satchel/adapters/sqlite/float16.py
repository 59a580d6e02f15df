"""Vectors as bytes: two for each number. A half-precision float holds a unit vector to four digits, which orders the same.

Ledgers of earlier versions hold four for each; which it is, the length tells.
"""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.domain.embedding import Vector

if TYPE_CHECKING:
    import numpy as np

HALF, SINGLE = 2, 4
"""Bytes of a number, now and formerly."""

# What is left of a half after it has been moved to where a single has its exponent: sign, exponent, fraction.
_BITS = -0x70002000
_BIAS = 2.0**112


def packed(vector: Vector) -> bytes:
    """Return a vector as the ledger keeps it."""
    import numpy as np

    return np.frombuffer(vector, dtype=np.float32).astype("<f2").tobytes()


def repacked(blob: bytes, dimensions: int) -> bytes:
    """Return a vector that the ledger holds as it is kept today."""
    return packed(array("f", blob)) if len(blob) == SINGLE * dimensions else blob


def unpacked(blob: bytes, dimensions: int) -> Vector:
    """Return the vector that the ledger holds."""
    return array("f", blob if len(blob) == SINGLE * dimensions else matrix([blob], dimensions).tobytes())


def matrix(blobs: Sequence[bytes], dimensions: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Return vectors that the ledger holds as the rows of one matrix."""
    import numpy as np

    joined = b"".join(blobs)
    if len(joined) != HALF * dimensions * len(blobs):
        joined = b"".join(repacked(blob, dimensions) for blob in blobs)
    # By hand, since NumPy takes six times as long: sign and exponent go to their places, and the bias is mended.
    bits = np.frombuffer(joined, dtype="<i2").astype(np.int32)
    bits <<= 13
    bits &= np.int32(_BITS)
    numbers = bits.view(np.float32)
    numbers *= np.float32(_BIAS)
    return numbers.reshape(len(blobs), dimensions)
