"""Embedding of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.embedding import Vector


class Embedder(Protocol):
    """Turns texts into vectors of one embedding space."""

    @property
    def name(self) -> str:
        """The name of the embedding space, from model and variant. Vectors with the same name are comparable."""
        ...

    @property
    def dimensions(self) -> int | None:
        """The length of a vector, or None before the first answer of a remote model."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises EmbeddingFailed, with the reason as its code."""
        ...
