"""Explanations: why an answer is what it is, and why a record is not in it."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.canonical import Json
from satchel.domain.record import Kind, Label, MemoryId, State, Trust
from satchel.recall.values import LaneFinding


class ExplanationSection(Struct, frozen=True):
    """A titled part of an explanation."""

    title: str
    lines: tuple[str, ...]


class RecordPreview(Struct, frozen=True):
    """A record that exists: its type, and the beginning of its text unless it is quarantined."""

    record: str
    words: str


class RecordMention(Struct, frozen=True):
    """One record that a receipt names, and the decision about it."""

    id: str
    """Empty if the caller may not see it."""
    words: str
    """The beginning of its text, if the caller may see it."""
    rule: str
    """The rule that decided."""
    meaning: str
    """The rule in words."""
    reasons: tuple[str, ...] = ()
    """The inputs of the decision: contributions, relevance, tier."""
    record: str = ""
    """memory, observation, or the lane of a passage, if it exists and the caller may see it."""


class ExplainedWarning(Struct, frozen=True):
    """One warning of a receipt, and what it means."""

    code: str
    said: str
    meaning: str


class BudgetUse(Struct, frozen=True):
    """How much of its budget an answer took."""

    used: int
    most: int
    unit: str
    """characters or tokens"""


class ReceiptExplanation(Struct, frozen=True):
    """A receipt in words."""

    receipt: str
    operation: str
    at: int
    duration_ms: float
    scope: str | None
    """The scope of the operation; None if it concerns the whole store."""
    sections: tuple[ExplanationSection, ...]
    included: tuple[RecordMention, ...] = ()
    left_out: tuple[RecordMention, ...] = ()
    warnings: tuple[ExplainedWarning, ...] = ()
    budget: BudgetUse | None = None


class AnswerSummary(Struct, frozen=True):
    """An answer that was given, from its receipt."""

    receipt: str
    seq: int
    operation: str
    at: int
    duration_ms: float
    scope: str | None
    included: int
    """Number of records that the answer contains."""
    left_out: int
    """Number of records that were found and left out, as far as the receipt lists them."""
    budget: BudgetUse | None
    nothing: str
    """Why the answer contains nothing, if the receipt gives a reason."""
    warnings: tuple[str, ...]
    """The codes of its warnings."""
    role: str | None = None
    """The role that a packet was made for."""
    first: str = ""
    """The beginning of the text of the first record it contains, if that still exists and is not quarantined."""


class AnswerList(Struct, frozen=True):
    """Answers, newest first."""

    answers: tuple[AnswerSummary, ...]
    next: int | None = None
    """The sequence number to continue before."""


class RecordUse(Struct, frozen=True):
    """One answer that selected a record, or left it out."""

    receipt: str
    operation: str
    at: int
    included: bool
    rule: str
    """The rule that decided."""
    meaning: str
    """The rule in words."""
    reasons: tuple[str, ...] = ()


class Version(Struct, frozen=True):
    """A memory in a chain of replacements."""

    id: MemoryId
    text: str
    """The beginning of its text."""
    state: State
    created_at: int
    asked_for: bool
    """Whether it is the one that was asked for."""


class Link(Struct, frozen=True):
    """An edge between the memory and another one."""

    id: MemoryId
    text: str
    """The beginning of the other memory's text."""
    type: str
    outgoing: bool
    """Whether it goes from the memory to the other one."""
    weight: float


class Uses(Struct, frozen=True):
    """Where a memory was used, and what belongs to it."""

    id: MemoryId
    last_used_at: int | None
    """When it was last selected for a prompt."""
    uses: tuple[RecordUse, ...]
    """Newest first."""
    searched: int
    """How many of the newest receipts were searched, at most."""
    versions: tuple[Version, ...]
    """What it replaced and what replaced it, oldest first, with itself."""
    links: tuple[Link, ...]
    details: Mapping[str, Json] = field(default_factory=dict)
    source_refs: tuple[str, ...] = ()


class ConflictSide(Struct, frozen=True):
    """One of two memories that contradict each other."""

    id: MemoryId
    text: str
    """The beginning of its text."""
    kind: Kind
    label: Label
    trust: Trust
    scope: str
    created_at: int


class ConflictPair(Struct, frozen=True):
    """Two memories that contradict each other."""

    newer: ConflictSide
    older: ConflictSide
    linked: bool
    """Whether an edge says so; otherwise their words do."""
    reason: str
    resolve: tuple[str, ...]
    """Commands, of which one resolves it: keep the newer one, keep the older one, or replace it."""


class Conflicts(Struct, frozen=True):
    """The memories of a scope that contradict each other, newest first."""

    scope: str
    conflicts: tuple[ConflictPair, ...]
    compared: int
    """Number of rules, decisions, procedures and facts whose words were compared."""
    complete: bool
    """Whether all conflicts are listed, and every memory was compared."""


class StageResult(Struct, frozen=True):
    """Whether a record passed one stage of a recall."""

    stage: str
    passed: bool | None
    """None if the record did not get this far, or the stage does not apply."""
    rule: str
    message: str


class Remedy(Struct, frozen=True):
    """A change that would bring a record into an answer."""

    change: str
    options: Mapping[str, Json] = field(default_factory=dict)
    """The options to change; empty if the store has to change, not the question."""
    command: str = ""
    tried: bool = False
    """Whether it was tried on this store and brings the record in."""


class WhyNot(Struct, frozen=True):
    """Why a record is not in the answer to a question, or that it is."""

    expect: str
    record: str
    """The type of record: memory, observation, …; unknown if the caller can see none."""
    words: str
    """The beginning of its text, if the caller may see it."""
    scope: str
    """The scope that was searched."""
    mode: str
    limit: int
    returned: bool
    rule: str
    """The rule that stopped it; "returned" if none did."""
    message: str
    steps: tuple[StageResult, ...]
    lanes: tuple[LaneFinding, ...]
    remedies: tuple[Remedy, ...]
