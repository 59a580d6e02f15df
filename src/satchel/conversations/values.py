"""What the operations on conversations answer."""

from msgspec import Struct

from satchel.domain.conversation import Conversation, Decision, Message, Summary


class Said(Struct, frozen=True):
    """Messages that were added."""

    conversation: str
    scope: str
    added: int
    refs: tuple[str, ...]
    decisions: tuple[str, ...]
    """The decisions that the new messages make, or add to."""
    summaries: int
    redacted: int
    """How many messages had secrets masked."""


class Transcript(Struct, frozen=True):
    """A conversation as a reader would have it: what is summed up, then what is not yet."""

    conversation: Conversation
    summaries: tuple[Summary, ...]
    messages: tuple[Message, ...]
    decisions: tuple[Decision, ...]


class Expanded(Struct, frozen=True):
    """A summary, and exactly what it was made of."""

    summary: Summary
    summaries: tuple[Summary, ...]
    messages: tuple[Message, ...]


class ConversationList(Struct, frozen=True):
    """Conversations, newest first."""

    scope: str
    conversations: tuple[Conversation, ...]


class Why(Struct, frozen=True):
    """Why something was decided: the decision, what it replaced and by what it was replaced, newest first."""

    question: str
    scope: str
    recorded: bool
    decision: Decision | None
    chain: tuple[Decision, ...]
    causes: tuple[Decision, ...]
    """Decisions that led to it."""
    relevance: float
    citations: tuple[str, ...]


class Decided(Struct, frozen=True):
    """A decision that was added by hand."""

    decision: Decision
    writes_performed: bool


class Unsaid(Struct, frozen=True):
    """What was forgotten of a conversation."""

    conversation: str
    messages: int
    decisions: int
    summaries: int
    """How many were told anew without it."""
