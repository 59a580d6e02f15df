"""Judging which memories belong in front of a prompt."""

from collections.abc import Sequence
from typing import Protocol


class PromptJudge(Protocol):
    """Reads a prompt and memories together."""

    @property
    def space(self) -> str:
        """The name of the embedding space by whose relevance its judgements were weighed."""
        ...

    def load(self) -> None:
        """Load what judging needs, so that the next judgement is fast."""
        ...

    def judge(self, prompt: str, sets: Sequence[Sequence[str]]) -> list[tuple[float, ...]]:
        """Return the log-odds of each memory of each set that it belongs in front of the prompt.

        What a set contains does not change the judgement of another one. Long texts are read in part.
        """
        ...
