"""Results of the conversation operations."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.conversation import Conversation, Decision, Message, Summary


class MessagesAdded(Struct, frozen=True):
    """Messages that were added to a conversation."""

    conversation: str
    scope: str
    added: int
    refs: tuple[str, ...]
    decisions: tuple[str, ...]
    """The decisions that the new messages make or add to."""
    summaries: int
    redacted: int
    """How many messages had secrets, which were masked."""
    known: int = 0
    """How many were there already, with the same text, time and speaker, and were not added again."""


class Transcript(Struct, frozen=True):
    """A conversation: the summaries of its beginning, then the messages that are not summarized yet."""

    conversation: Conversation
    summaries: tuple[Summary, ...]
    messages: tuple[Message, ...]
    decisions: tuple[Decision, ...]


class Expanded(Struct, frozen=True):
    """A summary and exactly what it was made of."""

    summary: Summary
    summaries: tuple[Summary, ...]
    messages: tuple[Message, ...]


class ConversationList(Struct, frozen=True):
    """Conversations, newest first."""

    scope: str
    conversations: tuple[Conversation, ...]


class DecisionReason(Struct, frozen=True):
    """Why something was decided: the decision and the chain of replacements it is part of, newest first."""

    question: str
    scope: str
    recorded: bool
    """Whether the decision was recorded; a decision that was read from messages has the rule `read`."""
    decision: Decision | None
    chain: tuple[Decision, ...]
    causes: tuple[Decision, ...]
    """The decisions that led to it."""
    relevance: float
    """The share of the question that a recorded decision covers, or how likely one that was read is the right one."""
    citations: tuple[str, ...]
    speakers: Mapping[str, str] = {}
    """By message, the name of who said it, as far as it is known."""
    discussion: tuple[Message, ...] = ()
    """If no decision or no reason is recorded or read with certainty, the messages in which it was talked about, in order."""
    discussed_in: str = ""
    """The conversation of that discussion."""
    unindexed: int = 0
    """How many messages could not be read because they are not indexed yet; the answer may be among them."""


class DecisionAdded(Struct, frozen=True):
    """A decision that was added by hand."""

    decision: Decision
    writes_performed: bool


class MessagesForgotten(Struct, frozen=True):
    """What was erased from a conversation."""

    conversation: str
    messages: int
    decisions: int
    summaries: int
    """How many were rewritten without the erased messages."""
