"""What the operations on facts answer. Moments are ISO 8601, as the record's specification has them."""

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.facts import AssertionRef, Confidence, FactObject, FactStatus, SourceRef, Subject
from satchel.domain.outcome import Outcome, failed_if
from satchel.domain.record import Trust


class FactRecord(Struct, frozen=True):
    """A fact in the words of openclaw-mem.graph.fact.v0, with its scope and trust beside them."""

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
    """What became of an assertion."""

    action: str
    """created, duplicate, or planned by a dry run."""
    fact: FactRecord
    cap: Confidence
    writes_performed: bool


class ExcludedFact(Struct, frozen=True):
    """A fact that is not in an answer, and the rule that kept it out."""

    id: str
    predicate: str
    reason: str


class CurrentFacts(Struct, frozen=True):
    """What is true of a subject at a moment, as it was known at another."""

    subject: str
    scope: str
    as_of: str
    known_at: str | None
    facts: tuple[FactRecord, ...]
    excluded: tuple[ExcludedFact, ...]


class FactTimeline(Struct, frozen=True):
    """Every change of what is said of a subject, in order."""

    subject: str
    scope: str
    facts: tuple[FactRecord, ...]


class Ended(Struct, frozen=True):
    """A fact that holds no longer."""

    fact: FactRecord
    writes_performed: bool


class LintFinding(Struct, frozen=True):
    """One thing that is wrong with a fact."""

    code: str
    severity: str
    fact: str
    detail: str


class Linted(Struct, frozen=True):
    """What is wrong with the facts of a scope."""

    scope: str
    checked: int
    errors: int
    warnings: int
    findings: tuple[LintFinding, ...]

    @property
    def outcome(self) -> Outcome:
        """Whether there is anything to mend."""
        return failed_if(self.errors > 0)


class StaleFacts(Struct, frozen=True):
    """The facts whose sources are gone or say something else."""

    scope: str
    facts: tuple[FactRecord, ...]
    applied: int
    writes_performed: bool


class RebuiltFacts(Struct, frozen=True):
    """What making the view anew came to."""

    events: int
    facts: int
    changed: int
    """How many rows of the view were not what their events say."""
    misnamed: int
    """How many assertions do not give the id they are filed under."""


class PredicateRow(Struct, frozen=True):
    """A predicate, as the registry lists it."""

    name: str
    cardinality: str
    object_types: tuple[str, ...]
    aliases: tuple[str, ...]


class Registry(Struct, frozen=True):
    """What may be said of a subject."""

    predicates: tuple[PredicateRow, ...]


class Proposal(Struct, frozen=True):
    """A fact that a sentence seems to state, for somebody to look at."""

    subject: str
    predicate: str
    object: str
    sentence: str
    rule: str
    known: bool
    """Whether a current fact says so already."""


class Proposed(Struct, frozen=True):
    """What could be asserted. Nothing was."""

    source: SourceRef
    scope: str
    proposals: tuple[Proposal, ...]
    writes_performed: bool = False


class FactPack(Struct, frozen=True):
    """Facts for a prompt, as a ContextPack, and how they were chosen."""

    pack: dict[str, Json]
    trace: dict[str, Json]
