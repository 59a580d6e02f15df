"""A second opinion on how well texts answer a question."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Reads a question and a few texts together, and says how well each one answers it."""

    @property
    def name(self) -> str:
        """What a receipt calls it: the way it is reached and the model."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score from 0 to 1 per text, in order. Raises RerankFailed, with the reason as its code."""
        ...
