"""Reranking of candidates."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores how well each of a few texts answers a query."""

    @property
    def name(self) -> str:
        """The name in receipts: API style and model."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score from 0 to 1 per text, in order. Raises RerankFailed, with the reason as its code."""
        ...
