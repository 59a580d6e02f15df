"""Reading discussions for the answer to a question about a decision."""

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from satchel.domain.conversation import Message
from satchel.domain.embedding import Vector


class DecisionQuestion(Struct, frozen=True):
    """A question about a decision, with its vector."""

    text: str
    """The question; empty for whatever was decided."""
    vector: Vector


class Discussion(Struct, frozen=True):
    """Messages of a conversation that follow each other, with their vectors."""

    scope: str
    conversation: str
    messages: tuple[Message, ...]
    vectors: tuple[Vector, ...]


class UnreadDiscussion(Struct, frozen=True):
    """Messages of a conversation that follow each other, without vectors."""

    conversation: str
    messages: tuple[Message, ...]


class Reading(Struct, frozen=True):
    """What a discussion says about a question: the messages that an answer rests on."""

    discussion: Discussion
    decision: Message
    reasons: tuple[Message, ...]
    replaced: Message | None
    near: float
    """How near the discussion is to the question."""
    likelihood: float
    """How likely the message made the decision that the question asks about."""
    undecided: bool = False
    """Whether the message says that the matter is still open."""


ReadUnread = Callable[[str, Sequence[UnreadDiscussion]], list[Reading]]
"""Reads discussions without vectors for the answer to a question, the likeliest first; none without a model."""


class DiscussionReader(Protocol):
    """Reads discussions for decisions and their reasons."""

    @property
    def space(self) -> str:
        """The name of the embedding space whose vectors it reads."""
        ...

    @property
    def max_messages(self) -> int:
        """The most messages of a discussion that it reads."""
        ...

    def read(self, question: DecisionQuestion, discussions: Sequence[Discussion]) -> list[Reading]:
        """Read the discussions nearest to a question; return what each says, the likeliest answer first."""
        ...

    def decided(self, discussions: Sequence[Discussion]) -> list[Reading]:
        """Return what was decided in each discussion about its own topic; nothing for those without a decision."""
        ...
