"""Results of the fact operations. Times are ISO 8601, as the specification requires."""

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.facts import AssertionRef, Confidence, FactObject, FactStatus, SourceRef, Subject
from satchel.domain.record import Trust


class FactRecord(Struct, frozen=True):
    """A fact in the format openclaw-mem.graph.fact.v0, plus its scope and trust."""

    id: str
    subject: Subject
    predicate: str
    object: FactObject
    valid_from: str
    valid_to: str | None
    status: FactStatus
    stored_status: FactStatus
    confidence_tier: Confidence
    source_refs: tuple[SourceRef, ...]
    assertion_ref: AssertionRef
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    created_at: str
    asserted_by: str
    scope: str
    trust: Trust


class Asserted(Struct, frozen=True):
    """The result of an assertion."""

    action: str
    """created, duplicate, or planned (dry run)."""
    fact: FactRecord
    cap: Confidence
    writes_performed: bool


class ExcludedFact(Struct, frozen=True):
    """A fact that was left out, and the rule that excluded it."""

    id: str
    predicate: str
    reason: str


class CurrentFacts(Struct, frozen=True):
    """The facts about a subject that are true at one moment, as known at another."""

    subject: str
    scope: str
    as_of: str
    known_at: str | None
    facts: tuple[FactRecord, ...]
    excluded: tuple[ExcludedFact, ...]


class FactTimeline(Struct, frozen=True):
    """All facts about a subject, in order."""

    subject: str
    scope: str
    facts: tuple[FactRecord, ...]


class FactSubject(Struct, frozen=True):
    """A subject with the number of its facts."""

    subject: str
    scope: str
    facts: int
    first: str
    """When the earliest of them became true."""
    last: str


class FactSubjects(Struct, frozen=True):
    """A page of subjects, by scope and name."""

    scope: str
    subjects: tuple[FactSubject, ...]
    next: str | None = None


class Ended(Struct, frozen=True):
    """A fact that was ended."""

    fact: FactRecord
    writes_performed: bool


class LintFinding(Struct, frozen=True):
    """One problem of a fact."""

    code: str
    severity: str
    fact: str
    detail: str
    subject: str = ""
    scope: str = ""


class Linted(Struct, frozen=True):
    """The problems of the facts of a scope."""

    scope: str
    checked: int
    errors: int
    warnings: int
    findings: tuple[LintFinding, ...]

    @property
    def outcome(self) -> Outcome:
        """Failed if there are errors."""
        return failed_if(self.errors > 0)


class StaleFacts(Struct, frozen=True):
    """The facts whose sources are missing, changed or retired."""

    scope: str
    facts: tuple[FactRecord, ...]
    applied: int
    writes_performed: bool


class RebuiltFacts(Struct, frozen=True):
    """The result of a rebuild."""

    events: int
    facts: int
    changed: int
    """How many rows differed from their events."""
    misnamed: int
    """How many assertions do not match their id."""


class PredicateRow(Struct, frozen=True):
    """A predicate of the registry."""

    name: str
    cardinality: str
    object_types: tuple[str, ...]
    aliases: tuple[str, ...]


class Registry(Struct, frozen=True):
    """The predicates that facts can use."""

    predicates: tuple[PredicateRow, ...]


class Proposal(Struct, frozen=True):
    """A fact that a sentence seems to state."""

    subject: str
    predicate: str
    object: str
    sentence: str
    rule: str
    known: bool = False
    """Whether a current fact states it already."""


class Proposed(Struct, frozen=True):
    """Facts that could be asserted. Nothing was written."""

    source: SourceRef
    scope: str
    proposals: tuple[Proposal, ...]
    writes_performed: bool = False


class FactPack(Struct, frozen=True):
    """Facts for a prompt as a ContextPack, with the trace of their selection."""

    pack: dict[str, Json]
    trace: dict[str, Json]
