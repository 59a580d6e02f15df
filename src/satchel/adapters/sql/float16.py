"""Vectors as bytes. Two bytes per number (float16) order unit vectors the same as four.

Ledgers of earlier versions hold float32; the length of the bytes says which it is.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from satchel.domain.embedding import Vector

FLOAT16_BYTES, FLOAT32_BYTES = 2, 4

# The sign, exponent and fraction bits of a float16 once they are shifted to their float32 positions.
_FLOAT16_BITS = -0x70002000
# The difference between the two exponent biases, as a factor.
_BIAS = 2.0**112
# The largest float16. Its infinities are unpacked as larger numbers.
_MAX_FLOAT16 = 65_504
# Rounding to float16 changes the length of a unit vector by less.
_LENGTH_TOLERANCE = 0.005


def pack(vector: Vector) -> bytes:
    """Return the bytes that the ledger stores for a vector."""
    import numpy as np

    return np.frombuffer(vector, dtype=np.float32).astype("<f2").tobytes()


def repack(blob: bytes, dimensions: int) -> bytes:
    """Return stored bytes as float16, whichever they are now."""
    return pack(array("f", blob)) if len(blob) == FLOAT32_BYTES * dimensions else blob


def unpack(blob: bytes, dimensions: int) -> Vector:
    """Return the vector of stored bytes. Without NumPy: a search by words needs few vectors, and loading it takes longer."""
    if len(blob) == FLOAT32_BYTES * dimensions:
        return array("f", blob)
    return array("f", struct.unpack(f"<{dimensions}e", blob))


def pack_all(vectors: Sequence[Vector]) -> list[bytes]:
    """Return the bytes that the ledger stores for vectors of one length."""
    import numpy as np

    numbers = np.frombuffer(b"".join(vector.tobytes() for vector in vectors), np.float32).astype("<f2")
    return [one.tobytes() for one in numbers.reshape(len(vectors), -1)] if vectors else []


def unpack_all(blobs: Sequence[bytes], dimensions: int) -> list[Vector]:
    """Return the vectors of stored bytes."""
    return [array("f", one.tobytes()) for one in unpack_matrix(blobs, dimensions)] if blobs else []


def unit_vectors(stated: Sequence[bytes | Sequence[float]], dimensions: int) -> list[Vector | None]:
    """Return vectors of length 1 from float16 bytes or numbers; None for one without a direction."""
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        numbers = _matrix(stated, dimensions)
        lengths = np.sqrt(np.einsum("ij,ij->i", numbers, numbers))
        usable = (lengths > 0) & (lengths <= _MAX_FLOAT16)
        # What a ledger has stored stays as it is.
        uneven = usable & (abs(lengths - 1) > _LENGTH_TOLERANCE)
        if uneven.any():
            numbers[uneven] /= lengths[uneven, None]
    return [array("f", one.tobytes()) if kept else None for one, kept in zip(numbers, usable.tolist(), strict=True)]


def _matrix(
    stated: Sequence[bytes | Sequence[float]], dimensions: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    import numpy as np

    blobs = [one for one in stated if isinstance(one, bytes)]
    if len(blobs) == len(stated):
        return unpack_matrix(blobs, dimensions)
    rows = [unpack_matrix([one], dimensions)[0] if isinstance(one, bytes) else one for one in stated]
    return np.array(rows, np.float32)


def unpack_matrix(blobs: Sequence[bytes], dimensions: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return the vectors of stored bytes as the rows of one matrix."""
    import numpy as np

    joined = b"".join(blobs)
    if len(joined) != FLOAT16_BYTES * dimensions * len(blobs):
        joined = b"".join(repack(blob, dimensions) for blob in blobs)
    # Six times faster than NumPy's own conversion: shift the bits into place, then correct the exponent bias.
    bits = np.frombuffer(joined, dtype="<i2").astype(np.int32)
    bits <<= 13
    bits &= np.int32(_FLOAT16_BITS)
    numbers = bits.view(np.float32)
    numbers *= np.float32(_BIAS)
    return numbers.reshape(len(blobs), dimensions)


def cosines(vector: Vector, blobs: Sequence[bytes]) -> list[float]:
    """Return the cosines of a unit vector with stored ones, rounded so that they print the same everywhere."""
    import numpy as np  # already loaded by whatever made the vector

    if not blobs:
        return []
    query = np.frombuffer(vector, dtype=np.float32).astype(np.float64)
    found: list[float] = (unpack_matrix(blobs, len(vector)) @ query).round(6).tolist()
    return found
