"""An exact scan of vectors: what the nearest truly are, whatever an index says."""

from collections.abc import Sequence

import numpy as np

from satchel.domain.embedding import Vector


class ExactScan:
    """Some vectors of unit length, each compared with whatever is asked."""

    def __init__(self, vectors: Sequence[Vector]) -> None:
        self._vectors = np.stack([np.frombuffer(one, np.float32) for one in vectors])

    def cosines(self, vector: Vector) -> list[float]:
        """Return the cosine of every vector with one, in their order."""
        found: list[float] = (self._vectors @ np.frombuffer(vector, np.float32)).tolist()
        return found
