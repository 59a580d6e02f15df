"""The result shapes of the memory tools, with the names of their specification."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from satchel.domain.canonical import Json
from satchel.interfaces.slot.documents import DocDetails

TABLE = "memories"


class ScopeValidation(TypedDict):
    """How the given scope was validated."""

    validationMode: str
    invalid: bool
    normalized: bool


class StoreReceipt(TypedDict):
    """The receipt of a store."""

    digest: str
    dbPath: str
    tableName: str
    model: str | None
    latencyMs: float
    scope: str
    scopeMode: str
    scopeFilterApplied: bool
    scopeValidation: ScopeValidation
    embeddingSkipped: bool
    embeddingSkipReason: str | None
    weiJiMemoryPreflight: Mapping[str, Json]
    warnings: list[str]


class StoreDetails(TypedDict):
    """A memory that was stored or already existed."""

    action: str
    id: str
    createdAt: int
    category: str
    importance: float | None
    importance_label: str
    scope: str
    trust_tier: str
    likeness: str | None
    receipt: StoreReceipt


class ScorePart(TypedDict):
    """One named part of a score."""

    name: str
    value: float
    rank: int | None
    raw: float


class WhyReturned(TypedDict):
    """Why a memory passed the filters."""

    tier: str
    origin: str
    signals: list[str]
    rules: list[str]


class RecalledMemory(TypedDict):
    """One memory that answers."""

    id: str
    text: str
    category: str
    importance: float | None
    importance_label: str
    scope: str
    trust_tier: str
    source_kind: str
    source_ref: str | None
    lang: str | None
    media_refs: list[str]
    media_kind: str | None
    createdAt: int
    distance: float | None
    score: float
    relevance: float
    parts: list[ScorePart]
    why: WhyReturned
    earlier_than: NotRequired[str]
    """The newer memory that changes this one, if there is one."""


class NearestMemory(TypedDict):
    """A memory below the minimum relevance: probably about something else."""

    id: str
    text: str
    category: str
    trust_tier: str
    relevance: float


class RecallReceipt(TypedDict):
    """The receipt of a recall."""

    digest: str
    dbPath: str
    tableName: str
    model: str | None
    limit: int
    latencyMs: float
    ftsCount: int
    vecCount: int
    fusedCount: int
    policyTier: str
    scopeMode: str
    scope: str
    scopeFilterApplied: bool
    scopeValidation: ScopeValidation
    fallback: Mapping[str, Json]
    coldLane: Mapping[str, Json]
    warnings: list[str]
    lifecycle: NotRequired[Mapping[str, Json]]


class RecallDetails(TypedDict):
    """The memories that answer a question."""

    count: int
    relevance: float
    memories: list[RecalledMemory]
    docs: list[DocDetails]
    nearest: list[NearestMemory]
    receipt: RecallReceipt


class ForgetCandidateShape(TypedDict):
    """A memory that matches the query of a forget."""

    id: str
    text: str
    category: str
    score: float
    createdAt: int


class ForgetReceipt(TypedDict):
    """The receipt of a forget."""

    digest: str
    dbPath: str
    tableName: str
    latencyMs: float
    filtersApplied: Mapping[str, Json]
    matchedCount: int
    erasedFrom: list[str]
    pending: list[str]


class ForgetDetails(TypedDict):
    """One memory was erased, or candidates were listed and nothing was."""

    action: str
    id: str | None
    found: int
    candidates: list[ForgetCandidateShape]
    receipt: ForgetReceipt


class AdminReceipt(TypedDict):
    """The receipt of list, stats and export."""

    digest: str
    operation: str
    filtersApplied: Mapping[str, Json]
    matchedCount: int
    returnedCount: int
    dbPath: str
    tableName: str
    latencyMs: float


class ListedMemory(TypedDict):
    """One memory of a list."""

    id: str
    category: str
    importance: float | None
    importance_label: str
    scope: str
    trust_tier: str
    state: str
    createdAt: int
    createdAtIso: str
    text: str


class ListDetails(TypedDict):
    """Memories, newest first."""

    count: int
    items: list[ListedMemory]
    next: str | None
    receipt: AdminReceipt


class SizeStats(TypedDict):
    """Lengths of texts."""

    minChars: int
    maxChars: int
    avgChars: float
    p50Chars: int


class AgeStats(TypedDict):
    """Ages of memories, in days."""

    min: float
    max: float
    avg: float


class StatsShape(TypedDict):
    """Counts, sizes and ages of memories."""

    count: int
    byScope: Mapping[str, int]
    byCategory: Mapping[str, int]
    size: SizeStats
    ageDays: AgeStats | None
    oldestCreatedAt: int | None
    newestCreatedAt: int | None


class StatsDetails(TypedDict):
    """The result of `memory_stats`."""

    stats: StatsShape
    receipt: AdminReceipt


class ExportDetails(TypedDict):
    """Memories were written to a file."""

    path: str
    format: str
    count: int
    receipt: AdminReceipt


class ImportFailureShape(TypedDict):
    """A row that could not be imported."""

    index: int
    reason: str


class ImportReceipt(TypedDict):
    """The receipt of an import."""

    digest: str
    operation: str
    source: str
    format: str
    dedupe: str
    dryRun: bool
    parsedCount: int
    importedCount: int
    skippedCount: int
    failedCount: int
    filtersApplied: Mapping[str, Json]
    dbPath: str
    tableName: str
    latencyMs: float
    warnings: list[str]


class ImportDetails(TypedDict):
    """The result of an import."""

    imported: int
    skipped: int
    failed: int
    failures: list[ImportFailureShape]
    receipt: ImportReceipt
