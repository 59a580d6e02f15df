"""What each operation answers: plain values, the same for Python, the command line and every edge to come."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.canonical import Json
from satchel.domain.document_hits import ColdLane
from satchel.domain.history import Point
from satchel.domain.outcome import Outcome, failed_if
from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Label, Memory, MemoryId, Trust
from satchel.domain.scope import Placement


class Stored(Struct, frozen=True):
    """A memory was stored, or was there already."""

    id: MemoryId
    action: str
    """created; or duplicate, when nothing was written and this is the memory that was there"""
    scope: str
    kind: Kind
    label: Label
    importance: float | None
    trust: Trust
    created_at: int
    seq: int
    """The sequence number of the change: the store as it was then can be named by it."""
    replaced: MemoryId | None
    embedding_skipped: bool
    embedding_skip_reason: str | None
    placement: Placement
    """How it came by its scope."""
    preflight: Mapping[str, Json] = field(default_factory=dict)
    """What the check before the write said."""
    likeness: str | None = None
    """Of a duplicate: whether the memory that was there says it in the same words (exact) or nearly so (near)."""


class HeldOut(Struct, frozen=True):
    """A matching record that a rule kept out of the answer."""

    id: MemoryId
    rule: str


class Recalled(Struct, frozen=True):
    """The memories that answer a question, best first, and what was left out by which rule."""

    hits: tuple[Hit, ...]
    relevance: float
    """From 0 to 1: how likely it is that the hits hold an answer at all."""
    mode: str
    scope: str
    placement: Placement
    """How the recall came by its scope."""
    policy_tier: str
    """The importances that were looked at until there was enough."""
    held_out: tuple[HeldOut, ...]
    cold: ColdLane = field(default_factory=ColdLane)
    """What documents added, if memories had too little."""
    as_of: Point | None = None
    """The earlier moment whose memories answered, if one was asked for."""


class Found(Struct, frozen=True):
    """One memory, with its history."""

    memory: Memory
    history: tuple["Occurrence", ...]


class Occurrence(Struct, frozen=True):
    """One event in the life of a memory."""

    seq: int
    operation: str
    actor: str
    reason: str | None
    receipt: str | None
    at: int


class Listed(Struct, frozen=True):
    """A page of memories, newest first."""

    memories: tuple[Memory, ...]
    next: str | None
    """Give this as `after` to get the next page; None on the last one."""


class ErasureCheck(Struct, frozen=True):
    """What a search of the store's files for the forgotten text came to."""

    conclusive: bool
    fragments: int
    """How many pieces of the text were searched for."""
    files: int
    bytes: int
    found_before: int
    """Files that held a piece before forgetting: shows that the search can see it."""
    found_after: tuple[str, ...]
    """Files that still hold one."""
    note: str = ""

    @property
    def proves(self) -> bool:
        """Whether it shows that nothing is left."""
        return self.conclusive and not self.found_after


class ForgetCandidate(Struct, frozen=True):
    """A memory that a forget by query would be about."""

    id: MemoryId
    text: str
    kind: Kind
    score: float
    created_at: int


class Forgotten(Struct, frozen=True):
    """What forgetting did: one memory erased, or candidates listed and nothing erased."""

    action: str
    """deleted or candidates"""
    id: MemoryId | None = None
    erased_from: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    """Where traces remain until another process lets go; `index build` and `doctor --fix` clear them then."""
    candidates: tuple[ForgetCandidate, ...] = ()
    check: ErasureCheck | None = None
    observations: int = 0
    """How many observations went with a memory, since they held its words."""

    @property
    def outcome(self) -> Outcome:
        """Failed while traces remain, or when the check could not prove that none do."""
        return failed_if(bool(self.pending) or (self.check is not None and not self.check.proves))


class Exported(Struct, frozen=True):
    """Memories were written to a file."""

    path: str
    format: str
    matched: int
    """How many there are to export, whatever the limit."""
    count: int
    """How many were written."""
    bytes: int
    redacted: Mapping[str, int] | None
    """How many secrets of each kind were masked; None when nothing was to be masked."""


class ImportFailure(Struct, frozen=True):
    """A row that could not be taken in."""

    index: int
    """Its line, or its place in the list, from 1."""
    reason: str


class Imported(Struct, frozen=True):
    """What became of the rows of a file."""

    source: str
    format: str
    dedupe: str
    dry_run: bool
    """Whether this only says what an import would do: nothing was written."""
    parsed: int
    imported: int
    skipped: int
    failed: int
    failures: tuple[ImportFailure, ...]
    """The first of them."""
    failures_unlisted: int
    skipped_by: Mapping[str, int]
    """How many were skipped for their id, and how many for their text."""
    failed_by: Mapping[str, int]
    """How many failed for which reason."""
    renamed: int
    """How many got another id, since theirs was taken."""
    trust_lowered: int
    """How many claimed more trust than a file can give."""
    scopes_replaced: int
    """How many named a scope that cannot be one, and came into the default one."""
    unknown_fields: int

    @property
    def outcome(self) -> Outcome:
        """Failed when a row was refused."""
        return failed_if(self.failed > 0)


class Tally(Struct, frozen=True):
    """Counts over a view."""

    memories: int
    by_scope: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_label: Mapping[str, int]
    by_trust: Mapping[str, int]
    by_state: Mapping[str, int]
    text_chars: int
    shortest: int
    longest: int
    median_chars: int
    oldest: int | None
    newest: int | None
    mean_created_at: int | None


class Stats(Struct, frozen=True):
    """What a scope, or the whole store, holds."""

    scope: str
    tally: Tally
    embedding_space: str | None
    embeddings_waiting: int
    embeddings_skipped: int
    folder: str


class Finding(Struct, frozen=True):
    """One thing a check-up looked at."""

    check: str
    status: str
    """ok, warning or bad"""
    message: str
    fix: str = ""


class CheckUp(Struct, frozen=True):
    """The result of a check-up."""

    healthy: bool
    damaged: bool
    """Whether the ledger itself is damaged, which nothing can rebuild."""
    findings: tuple[Finding, ...]

    @property
    def outcome(self) -> Outcome:
        """Damaged when the truth is; failed when anything else is wrong."""
        return Outcome.DAMAGED if self.damaged else failed_if(not self.healthy)


class PassageIndexReport(Struct, frozen=True):
    """The state of the index of verbatim evidence, and of the vectors it is made from."""

    exists: bool
    rows: int
    """One for each part of a passage that has a vector."""
    behind: int
    embeddings_waiting: int
    embeddings_skipped: int
    vector_index: str
    bytes: int
    problem: str = ""


class IndexReport(Struct, frozen=True):
    """The state of the index and of the vectors it is made from."""

    exists: bool
    rows: int
    rows_with_vectors: int
    behind: int
    """Records the ledger has touched and the index has not seen yet."""
    space: str | None
    vector_index: str
    unindexed_rows: int
    fragments: int
    versions: int
    bytes: int
    embeddings_waiting: int
    embeddings_skipped: int
    problem: str = ""
    passages: PassageIndexReport | None = None
    """The index of verbatim evidence, which is apart."""


class ModelStatus(Struct, frozen=True):
    """What is in the folder of the default embedding model."""

    installed: bool
    name: str
    folder: str
    bytes: int
    problem: str = ""

    @property
    def outcome(self) -> Outcome:
        """Failed when there is no model to use."""
        return failed_if(not self.installed)
