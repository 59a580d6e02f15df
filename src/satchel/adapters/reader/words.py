"""The word vectors that the reader shares with the bundled encoder, read from the encoder's file."""

from functools import cache
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.model_files import TENSORS_FILE

WIDTH = 384
# The encoder's file begins with a row of int8 for each word, followed by the scales of the rows.
WORDS = 48_522

Floats = NDArray[np.float32]


class WordVectors(Struct, frozen=True):
    """A vector for each token: int8 rows with a scale each."""

    codes: NDArray[np.int8]
    scales: Floats

    def of(self, ids: NDArray[np.int64]) -> Floats:
        """Return the vectors of tokens."""
        rows: Floats = self.codes[ids].astype(np.float32) * self.scales[ids]
        return rows

    def rows(self) -> Floats:
        """Return the vectors of all tokens."""
        return self.of(np.arange(len(self.codes)))


@cache
def read_words(path: Path = FOLDER / TENSORS_FILE) -> WordVectors:
    """Map the encoder's file, of which only the rows that are used are read."""
    codes = np.memmap(path, np.int8, "r", shape=(WORDS, WIDTH))
    scales = np.memmap(path, np.float32, "r", offset=WORDS * WIDTH, shape=(WORDS, 1))
    return WordVectors(codes, scales)
