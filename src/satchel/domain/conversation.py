"""Conversations: messages that are only ever added, summaries over them, and the decisions made in them."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct

from satchel.domain.canonical import canonical, digest
from satchel.domain.record import Trust

DecisionId = NewType("DecisionId", str)


class Speaker(StrEnum):
    """Who said something."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Conversation(Struct, frozen=True):
    """One conversation. Times are milliseconds since the epoch, UTC."""

    id: int
    name: str
    scope: str
    title: str | None
    created_at: int
    updated_at: int
    messages: int = 0


class Message(Struct, frozen=True):
    """One thing somebody said."""

    ref: str
    """Its name everywhere: what is cited."""
    seq: int
    """Its place in the conversation, from 1."""
    role: Speaker
    content: str
    at: int
    trust: Trust
    erased: bool = False
    """Whether its words were forgotten; the place stays."""


class Summary(Struct, frozen=True):
    """A shorter telling of messages (leaf), or of other summaries (condensed). What it tells of is never lost by it."""

    id: str
    kind: str
    depth: int
    content: str
    earliest_at: int
    latest_at: int
    trust: Trust
    messages: tuple[str, ...] = ()
    """Of a leaf: the refs of its messages."""
    sources: tuple[str, ...] = ()
    """Of a condensed one: the ids of its summaries."""
    descendants: int = 0
    """How many messages it stands for in all."""
    stale: bool = False
    """Whether something it told of was forgotten, and it has not been told anew."""


class ClauseKind(StrEnum):
    """What a part of a decision is to it."""

    QUESTION = "question"
    CAUSE = "cause"
    ALTERNATIVE = "alternative"
    EVIDENCE = "evidence"
    EFFECT = "effect"
    REPLACED = "replaced"


class Clause(Struct, frozen=True):
    """One part of a decision, in the words of the message that has it."""

    kind: ClauseKind
    text: str
    message: str | None
    """None for what was added by hand."""


class Decision(Struct, frozen=True):
    """Something that was decided: what, why, what else there was, and what it replaced."""

    id: DecisionId
    scope: str
    conversation: str
    choice: str
    topic: str
    """What it was decided for, where that is said."""
    statement: str
    """The sentence that decides."""
    message: str | None
    at: int
    trust: Trust
    """As trusted as its least trusted part."""
    rule: str
    """What it was recognised by; 'explicit' when it was added by hand."""
    clauses: tuple[Clause, ...] = ()
    replaces: DecisionId | None = None
    caused_by: tuple[DecisionId, ...] = ()
    reverses: bool = False
    """Whether its words say that something was otherwise before."""

    def clauses_of(self, kind: ClauseKind) -> tuple[Clause, ...]:
        """Return its parts of one kind."""
        return tuple(one for one in self.clauses if one.kind is kind)

    @property
    def citations(self) -> tuple[str, ...]:
        """The messages it rests on, each once."""
        named = (self.message, *(one.message for one in self.clauses))
        return tuple(dict.fromkeys(ref for ref in named if ref is not None))


def message_ref(scope: str, conversation: str, seq: int) -> str:
    """Return the name of a message: the same whenever the same conversation is told again."""
    return "msg:" + _hashed([scope, conversation, seq], 20)


def summary_id(scope: str, conversation: str, depth: int, first: int) -> str:
    """Return the name of a summary, by the place it begins at."""
    return "sum_" + _hashed([scope, conversation, depth, first], 16)


def decision_id(scope: str, conversation: str, place: str) -> DecisionId:
    """Return the name of a decision, by where it was made."""
    return DecisionId("dec_" + _hashed([scope, conversation, place], 20))


def _hashed(parts: list[str | int], length: int) -> str:
    return digest(canonical(parts)).removeprefix("sha256:")[:length]
