"""Whoever is judged: what a memory has to offer for it, each as small as can be. Put another system behind this to judge it."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct


class Channel(StrEnum):
    """The way a text came in, for whoever tells them apart."""

    OPERATOR = "operator"
    WEB = "web"


class Content(Struct, frozen=True):
    """One thing that a subject holds: every field of it, and whether it holds good."""

    fields: Mapping[str, Any]
    holds: bool


class NotOfferedError(Exception):
    """The subject has no such thing: it is not judged on it, which is neither good nor bad."""


class Subject(Protocol):
    """A memory that is judged. What it has no notion of raises NotOfferedError."""

    folder: Path
    """Everything it keeps lies below."""

    def remember(self, text: str, scope: str, channel: Channel = Channel.OPERATOR) -> str:
        """Keep a text and return its id."""
        ...

    def remember_old(self, text: str, scope: str) -> str:
        """Keep a text that was told months ago and never asked for since, and return its id."""
        ...

    def tidy(self, scope: str) -> None:
        """Judge what nobody has judged yet, and put away what nobody uses."""
        ...

    def replace(self, id: str, text: str, scope: str) -> str:
        """Keep a text in the place of another one, and return its id."""
        ...

    def quarantine(self, text: str, scope: str) -> str:
        """Keep a text that no agent may ever be shown."""
        ...

    def expire(self, text: str, scope: str) -> str:
        """Keep a text that held once and does not any more."""
        ...

    def observe(self, text: str, scope: str) -> None:
        """Take in what a tool printed."""
        ...

    def ask(self, question: str, scope: str) -> Sequence[str]:
        """Return every text that any of its ways to an agent shows for a question."""
        ...

    def held_out(self, question: str, scope: str) -> Sequence[str]:
        """Return the ids that an answer names as left out, each with its reason."""
        ...

    def forget(self, id: str, scope: str) -> None:
        """Erase a text."""
        ...

    def mark(self) -> str:
        """Return the name of the present state."""
        ...

    def restore(self, mark: str, scope: str) -> None:
        """Bring a scope back to a state."""
        ...

    def contents(self, scope: str) -> Mapping[str, Content]:
        """Return all that it holds in a scope at present, by id."""
        ...

    def close(self) -> None:
        """Let go of its files."""
        ...
