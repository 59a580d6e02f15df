"""Temporal facts: an assertion about a subject, when it was true, when it was learned, and what it rests on."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NewType

from msgspec import Struct

from satchel.domain.canonical import digest
from satchel.domain.record import Trust

SCHEMA = "openclaw-mem.graph.fact.v0"

FactId = NewType("FactId", str)


class ObjectType(StrEnum):
    """What sort of thing a fact says of its subject."""

    LITERAL = "literal"
    ENTITY_REF = "entity_ref"
    JSON = "json"


class FactStatus(StrEnum):
    """How a fact stands. Stale is judged from its sources; the others are what was said of it."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    INVALIDATED = "invalidated"
    RETRACTED = "retracted"
    STALE = "stale"


class Confidence(StrEnum):
    """How sure a fact is, rising. Its sources set the ceiling."""

    LOW = "low"
    SOURCE_CAPPED = "source_capped"
    CORROBORATED = "corroborated"
    OPERATOR_ASSERTED = "operator_asserted"


class SourceType(StrEnum):
    """What sort of record a fact rests on. A memory is a memory or an observation."""

    RECEIPT = "receipt"
    DOC = "doc"
    MEMORY = "memory"
    DAILY_LOG = "daily_log"
    EPISODIC = "episodic"


class Subject(Struct, frozen=True):
    """What a fact is about: the name it is known by, letter for letter, and one to show."""

    ref: str
    label: str


class FactObject(Struct, frozen=True):
    """What a fact says of its subject."""

    type: ObjectType
    value: Any
    """A text; of the type json, anything that JSON can say."""


class SourceRef(Struct, frozen=True, order=True):
    """One record that a fact rests on, and the place in it."""

    kind: SourceType
    ref: str
    locator: str = ""


class AssertionRef(Struct, frozen=True):
    """What made the assertion."""

    kind: str
    ref: str


class Source(Struct, frozen=True):
    """A record as it is now, as far as a fact is concerned."""

    digest: str
    """Of its content alone: use, grades and states are no part of it."""
    trust: Trust


class Assertion(Struct, frozen=True):
    """A fact as somebody asserted it. Times are milliseconds since the epoch, UTC; an interval ends before its end."""

    id: FactId
    scope: str
    subject: Subject
    predicate: str
    object: FactObject
    valid_from: int
    valid_to: int | None
    confidence_tier: Confidence
    source_refs: tuple[SourceRef, ...]
    digests: tuple[str, ...]
    """The content of each source when the assertion was made."""
    assertion_ref: AssertionRef
    asserted_by: str
    trust: Trust
    """As trusted as its least trusted source."""


class Deed(StrEnum):
    """What an event did to the view."""

    ASSERT = "assert"
    INVALIDATE = "invalidate"
    RETRACT = "retract"
    STALE = "stale"


class FactEvent(Struct, frozen=True):
    """One thing that was said about facts, in the order in which it was learned. The view is made of these alone."""

    deed: Deed
    fact: FactId
    scope: str
    subject: str
    """The subject's key: what is left of its name when the words are forgotten."""
    learned_at: int
    actor: str
    assertion: Assertion | None = None
    """What was asserted; None once a source was forgotten, and with it the words."""
    closes: Mapping[FactId, int] = {}
    """Which facts end by it, and when."""
    moment: int | None = None
    """When the fact stopped being true."""
    reason: str | None = None


def subject_key(ref: str) -> str:
    """Return what events of one subject are filed under. Names that differ in a single letter have different ones."""
    return digest(ref)


class Fact(Struct, frozen=True):
    """One fact of the view."""

    assertion: Assertion
    valid_to: int | None
    stored_status: FactStatus
    created_at: int
    supersedes: tuple[FactId, ...] = ()
    superseded_by: tuple[FactId, ...] = ()

    @property
    def id(self) -> FactId:
        """Made of what was asserted: the same whenever the view is made anew."""
        return self.assertion.id

    def holds_at(self, moment: int) -> bool:
        """Say whether its interval covers a moment."""
        return self.assertion.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)


class KeptFact(Struct, frozen=True):
    """A fact, and what has become of its sources."""

    fact: Fact
    sources: tuple[Source | None, ...]
    """Each source as it is now, in order; None for one that cannot be found."""

    @property
    def is_sound(self) -> bool:
        """Whether every source is there and says what it said."""
        said = zip(self.fact.assertion.digests, self.sources, strict=True)
        return all(now is not None and now.digest == then for then, now in said)

    @property
    def status(self) -> FactStatus:
        """How it stands: as was said of it, or stale where a source is gone or changed."""
        stored = self.fact.stored_status
        return stored if self.is_sound or stored is FactStatus.RETRACTED else FactStatus.STALE
