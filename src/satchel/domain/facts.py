"""Temporal facts: assertions about a subject, when they are true, when they were learned, and their sources."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NewType

from msgspec import Struct

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.record import Trust

SCHEMA = "openclaw-mem.graph.fact.v0"

FactId = NewType("FactId", str)


class ObjectType(StrEnum):
    """The type of a fact's object."""

    LITERAL = "literal"
    ENTITY_REF = "entity_ref"
    JSON = "json"


class FactStatus(StrEnum):
    """The status of a fact. STALE can also follow from its sources; the others come from events."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    INVALIDATED = "invalidated"
    RETRACTED = "retracted"
    STALE = "stale"


class Confidence(StrEnum):
    """The confidence of a fact, ascending. Its sources set the maximum."""

    LOW = "low"
    SOURCE_CAPPED = "source_capped"
    CORROBORATED = "corroborated"
    OPERATOR_ASSERTED = "operator_asserted"


class FactSourceType(StrEnum):
    """The type of record that supports a fact. MEMORY covers memories and observations."""

    RECEIPT = "receipt"
    DOC = "doc"
    MEMORY = "memory"
    DAILY_LOG = "daily_log"
    EPISODIC = "episodic"


class Subject(Struct, frozen=True):
    """The subject of a fact: its exact name, and a label to show."""

    ref: str
    label: str


class FactObject(Struct, frozen=True):
    """The object of a fact."""

    type: ObjectType
    value: Any
    """A string; any JSON value for type json."""


class SourceRef(Struct, frozen=True, order=True):
    """A reference to a record that supports a fact, and a place in it."""

    kind: FactSourceType
    ref: str
    locator: str = ""


class AssertionRef(Struct, frozen=True):
    """What made the assertion."""

    kind: str
    ref: str


class FactSource(Struct, frozen=True):
    """The present state of a source."""

    digest: str
    """Of the content alone; usage, grade and state do not count."""
    trust: Trust
    is_live: bool = True
    """Whether it is neither retired nor archived."""


class Assertion(Struct, frozen=True, omit_defaults=True):
    """A fact as it was asserted. Times are milliseconds since the epoch, UTC; intervals exclude their end."""

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
    """The content digest of each source at the time of the assertion."""
    assertion_ref: AssertionRef
    asserted_by: str
    trust: Trust
    """The trust of the least trusted source."""
    seed: str = ""
    """What its id is derived from in place of its scope, if it came from another scope."""


def fact_id(assertion: Assertion) -> FactId:
    """Return the id of a fact, derived from its scope and content."""
    body: Json = {
        "schema": SCHEMA,
        "scope": assertion.seed or assertion.scope,
        "subject": {"ref": assertion.subject.ref, "label": assertion.subject.label},
        "predicate": assertion.predicate,
        "object": {"type": assertion.object.type, "value": assertion.object.value},
        "interval": [assertion.valid_from, assertion.valid_to],
        "sources": [[one.kind, one.ref, one.locator] for one in sorted(assertion.source_refs)],
        "assertion": [assertion.assertion_ref.kind, assertion.assertion_ref.ref],
    }
    return FactId("fact_" + digest(canonical(body)).removeprefix("sha256:")[:20])


class FactAction(StrEnum):
    """What an event does."""

    ASSERT = "assert"
    INVALIDATE = "invalidate"
    RETRACT = "retract"
    STALE = "stale"


class FactEvent(Struct, frozen=True):
    """One event in the log that the facts are derived from, in the order in which events were learned."""

    action: FactAction
    fact: FactId
    scope: str
    subject: str
    """The subject's key, which remains when its name is forgotten."""
    learned_at: int
    actor: str
    assertion: Assertion | None = None
    """None once the assertion was erased with its source."""
    closes: Mapping[FactId, int] = {}
    """The facts that it ends, and when."""
    moment: int | None = None
    """When the fact stopped being true."""
    reason: str | None = None


def subject_key(ref: str) -> str:
    """Return the key of a subject, which is different for every name."""
    return digest(ref)


class Fact(Struct, frozen=True):
    """One fact derived from the events."""

    assertion: Assertion
    valid_to: int | None
    stored_status: FactStatus
    created_at: int
    supersedes: tuple[FactId, ...] = ()
    superseded_by: tuple[FactId, ...] = ()

    @property
    def id(self) -> FactId:
        """Derived from the assertion, so the same on every rebuild."""
        return self.assertion.id

    def holds_at(self, moment: int) -> bool:
        """Return whether its interval includes a moment."""
        return self.assertion.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)


class SourcedFact(Struct, frozen=True):
    """A fact with the present state of its sources."""

    fact: Fact
    sources: tuple[FactSource | None, ...]
    """In the order of the assertion; None for a source that is missing."""

    @property
    def is_sound(self) -> bool:
        """Whether every source exists and is unchanged."""
        states = zip(self.fact.assertion.digests, self.sources, strict=True)
        return all(now is not None and now.digest == then for then, now in states)

    @property
    def is_supported(self) -> bool:
        """Whether a source still counts. A fact that has ended keeps the support of the sources it had."""
        ended = self.fact.stored_status is not FactStatus.ACTIVE
        return ended or any(one is not None and one.is_live for one in self.sources)

    @property
    def status(self) -> FactStatus:
        """The stored status, or stale if a source is missing or changed, or if all of them are retired or archived."""
        stored = self.fact.stored_status
        counts = self.is_sound and self.is_supported
        return stored if counts or stored is FactStatus.RETRACTED else FactStatus.STALE
