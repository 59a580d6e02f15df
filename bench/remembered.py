"""Vectors kept from an earlier filling: embedding is by far its longest part, and depends on the text alone."""

import hashlib
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from satchel.adapters.embedders import minilm
from satchel.domain.embedding import Vector
from satchel.ports import Embedder


class Remembered:
    """Implements ports.Embedder: looks a text up, and asks the real embedder only for what was never embedded."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.asked = 0
        """How many texts the real embedder was asked for."""
        self._embedder = embedder
        code = hashlib.sha256(Path(minilm.__file__).read_bytes()).hexdigest()[:12]
        self._path = folder / f"vectors-{embedder.name}-{code}.npz"
        self._known = _read(self._path)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        unknown = [text for text in texts if _key(text) not in self._known]
        for text, vector in zip(unknown, self._embedder.embed(unknown), strict=True):
            self._known[_key(text)] = vector.tobytes()
        self.asked += len(unknown)
        return [array("f", self._known[_key(text)]) for text in texts]

    def keep(self) -> None:
        """Write down what is known now, for the next filling."""
        if self.asked:
            keys, vectors = b"".join(self._known), b"".join(self._known.values())
            with self._path.open("wb") as file:
                np.savez(file, keys=np.frombuffer(keys, np.uint8), vectors=np.frombuffer(vectors, np.uint8))


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _read(path: Path) -> dict[bytes, bytes]:
    if not path.exists():
        return {}
    with np.load(path) as kept:
        keys, vectors = kept["keys"].reshape(-1, 16), kept["vectors"].reshape(-1, minilm.DIMENSIONS * 4)
        return {key.tobytes(): vector.tobytes() for key, vector in zip(keys, vectors, strict=True)}
