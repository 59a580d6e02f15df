"""Texts into vectors."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.embedding import Vector


class Embedder(Protocol):
    """Turns texts into vectors of one embedding space."""

    @property
    def name(self) -> str:
        """The name of the embedding space: model and variant. Equal names mean comparable vectors."""
        ...

    @property
    def dimensions(self) -> int | None:
        """The length of a vector, or None while it is not known (a remote model not asked yet)."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises EmbeddingFailed, with the reason as its code."""
        ...
