"""The interface of a memory that is checked. Implement it to check another system."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct


class Channel(StrEnum):
    """Where a text came from, for subjects that distinguish it."""

    OPERATOR = "operator"
    WEB = "web"


class Content(Struct, frozen=True):
    """One record of a subject: all its fields, and whether it is live."""

    fields: Mapping[str, Any]
    live: bool


class NotOfferedError(Exception):
    """The subject has no such operation: the check gets no rate."""


class Subject(Protocol):
    """A memory that is checked. Operations it does not have raise NotOfferedError."""

    folder: Path
    """The folder of all its files."""

    def remember(self, text: str, scope: str, channel: Channel = Channel.OPERATOR) -> str:
        """Store a text and return its id."""
        ...

    def remember_old(self, text: str, scope: str) -> str:
        """Store a text dated months ago and never recalled since, and return its id."""
        ...

    def tidy(self, scope: str) -> None:
        """Grade ungraded records and archive unused ones."""
        ...

    def replace(self, id: str, text: str, scope: str) -> str:
        """Store a text that replaces another, and return its id."""
        ...

    def quarantine(self, text: str, scope: str) -> str:
        """Store a text that no agent may ever see."""
        ...

    def expire(self, text: str, scope: str) -> str:
        """Store a text whose validity has ended."""
        ...

    def observe(self, text: str, scope: str) -> None:
        """Record tool output."""
        ...

    def ask(self, question: str, scope: str) -> Sequence[str]:
        """Return every text that reaches an agent for a question, in any way."""
        ...

    def held_out(self, question: str, scope: str) -> Sequence[str]:
        """Return the ids that an answer names as left out by a rule."""
        ...

    def forget(self, id: str, scope: str) -> None:
        """Erase a text."""
        ...

    def mark(self) -> str:
        """Name the current state."""
        ...

    def restore(self, mark: str, scope: str) -> None:
        """Restore a scope to a named state."""
        ...

    def contents(self, scope: str) -> Mapping[str, Content]:
        """Return the records of a scope by id."""
        ...

    def close(self) -> None:
        """Close its files."""
        ...
