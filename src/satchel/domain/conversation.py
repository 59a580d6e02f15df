"""Conversations: append-only messages, their summaries, and the decisions made in them."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct

from satchel.domain.canonical import canonical, digest
from satchel.domain.passage import EvidenceLane, Passage, PassageId, with_content_hash
from satchel.domain.periods import date_in_words
from satchel.domain.record import Trust

DecisionId = NewType("DecisionId", str)

EXPLICIT = "explicit"
"""The rule of decisions that were added by hand."""
READ = "read"
"""The rule of decisions that are not recorded, but were read from messages to answer a question."""
# The kind of a message's passage begins with this, and names its role.
_KIND = "conversation."


class Speaker(StrEnum):
    """The role of a message's author."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Conversation(Struct, frozen=True):
    """A conversation. Times are milliseconds since the epoch, UTC."""

    id: int
    name: str
    scope: str
    title: str | None
    created_at: int
    updated_at: int
    messages: int = 0


class OpenConversation(Conversation, frozen=True, kw_only=True):
    """A conversation to add to."""

    ids_from: tuple[str, str]
    """The seed of its scope and the name that the ids of its parts are derived from."""


class Message(Struct, frozen=True):
    """One message."""

    ref: str
    """The id that citations use."""
    seq: int
    """Its number in the conversation, from 1."""
    role: Speaker
    content: str
    at: int
    trust: Trust
    erased: bool = False
    """Whether its content was erased; the number stays."""
    by: str | None = None
    """The name of who said it, if it was given."""


class Summary(Struct, frozen=True):
    """A summary of messages (leaf) or of other summaries (condensed), which are all kept."""

    id: str
    kind: str
    depth: int
    content: str
    earliest_at: int
    latest_at: int
    trust: Trust
    messages: tuple[str, ...] = ()
    """The refs of a leaf's messages."""
    sources: tuple[str, ...] = ()
    """The ids of a condensed summary's parts."""
    descendants: int = 0
    """How many messages it covers in all."""
    stale: bool = False
    """Whether a covered message was erased since it was written."""


class ClauseKind(StrEnum):
    """The role of a clause in a decision."""

    QUESTION = "question"
    CAUSE = "cause"
    ALTERNATIVE = "alternative"
    EVIDENCE = "evidence"
    EFFECT = "effect"
    REPLACED = "replaced"


class Clause(Struct, frozen=True):
    """One part of a decision, quoted from a message."""

    kind: ClauseKind
    text: str
    message: str | None
    """None if it was added by hand."""


class Decision(Struct, frozen=True):
    """A decision: the choice, its reasons, the alternatives, and what it replaced."""

    id: DecisionId
    scope: str
    conversation: str
    choice: str
    topic: str
    """What the choice is for, if stated."""
    statement: str
    """The sentence that makes the decision."""
    message: str | None
    at: int
    trust: Trust
    """The trust of its least trusted part."""
    rule: str
    """The cue that found it; 'explicit' if it was added by hand, 'read' if it was read to answer a question."""
    clauses: tuple[Clause, ...] = ()
    replaces: DecisionId | None = None
    caused_by: tuple[DecisionId, ...] = ()
    reverses: bool = False
    """Whether it says that it changes an earlier choice."""

    def clauses_of(self, kind: ClauseKind) -> tuple[Clause, ...]:
        """Return its clauses of one kind."""
        return tuple(one for one in self.clauses if one.kind is kind)

    @property
    def citations(self) -> tuple[str, ...]:
        """The messages it is based on, without duplicates."""
        named = (self.message, *(one.message for one in self.clauses))
        return tuple(dict.fromkeys(ref for ref in named if ref is not None))


def message_ref(scope: str, conversation: str, seq: int) -> str:
    """Return the id of a message, derived from its place."""
    return "msg:" + _short_hash([scope, conversation, seq], 20)


def message_passage(conversation: str, scope: str, message: Message) -> Passage:
    """Return a message as it is searched."""
    return with_content_hash(
        Passage(
            id=PassageId(message.ref),
            lane=EvidenceLane.CONVERSATIONS,
            scope=scope,
            group=conversation,
            position=message.seq,
            text=message.content,
            about=" ".join(filter(None, (message.by, date_in_words(message.at)))),
            trust=message.trust,
            kind=f"{_KIND}{message.role}",
            speaker=message.by,
            at=message.at,
            added_at=message.at,
        )
    )


def passage_message(passage: Passage) -> Message:
    """Return the message of which a passage is searched."""
    return Message(
        ref=str(passage.id),
        seq=passage.position,
        role=Speaker(passage.kind.removeprefix(_KIND)),
        content=passage.text,
        at=passage.at or 0,
        trust=passage.trust,
        by=passage.speaker,
    )


def summary_id(scope: str, conversation: str, depth: int, first: int) -> str:
    """Return the id of a summary, derived from its first place."""
    return "sum_" + _short_hash([scope, conversation, depth, first], 16)


def decision_id(scope: str, conversation: str, place: str) -> DecisionId:
    """Return the id of a decision, derived from its place."""
    return DecisionId("dec_" + _short_hash([scope, conversation, place], 20))


def _short_hash(parts: list[str | int], length: int) -> str:
    return digest(canonical(parts)).removeprefix("sha256:")[:length]
