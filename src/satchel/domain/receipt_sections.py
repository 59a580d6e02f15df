"""Typed sections of receipts: what the operations that select or store records write, and `explain` reads back.

Every field has a default, so that a receipt of another version can be read. A field that is UNSET is not written.
"""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType, field

from satchel.domain.canonical import Json

# What was asked


class QuestionAsked(Struct, frozen=True, kw_only=True):
    """A question, as a digest, with the options of its search."""

    query_digest: str | UnsetType = UNSET
    query_chars: int | UnsetType = UNSET
    scope: str | UnsetType | None = UNSET
    scope_mode: str | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    kinds: Sequence[str] | UnsetType = UNSET
    media: str | UnsetType = UNSET
    untrusted: bool | UnsetType = UNSET
    as_of: int | UnsetType = UNSET
    redact: bool | UnsetType = UNSET
    """False if the operator asked for secrets unmasked, else absent."""


class EpisodesAsked(QuestionAsked, frozen=True, kw_only=True):
    """A search in episodes."""

    level: str = ""
    now: str | None = None


class PackAsked(QuestionAsked, frozen=True, kw_only=True):
    """A request for a pack."""

    budget_tokens: int = 0
    max_items: int = 0


class RouteAsked(QuestionAsked, frozen=True, kw_only=True):
    """A question to the router."""

    hint: str | None = None
    strategy: str = ""


class AttentionAsked(Struct, frozen=True):
    """A request for a packet, as a digest."""

    request_digest: str = ""
    goal_chars: int = 0
    role: str = ""
    scope: str = ""
    meaning: bool = False


class StoreAsked(Struct, frozen=True):
    """A memory to store, without its text."""

    scope: str = ""
    kind: str = ""
    chars: int = 0
    replaces: str | None = None


class TurnAfterAsked(Struct, frozen=True):
    """The turn to capture from."""

    scope: str | None = None
    messages: int = 0


# Recall


class ReadsFrom(Struct, frozen=True):
    """Which server of a store with replicas answered a recall."""

    source: str = ""
    """replica or primary"""
    max_lag_seconds: float = 0.0
    """How far a replica that answers may be behind: what was committed earlier than that is in the answer."""
    reason: str = ""
    """Why no replica answered: behind, own_write (it lacked what the caller just wrote), unreachable or failed."""


class RecallConsidered(Struct, frozen=True, kw_only=True):
    """Number of candidates per lane, and the state of the index. A lane that was not searched is absent."""

    lexical: int | UnsetType = UNSET
    vector: int | UnsetType = UNSET
    fused: int | UnsetType = UNSET
    lexical_source: str | UnsetType | None = UNSET
    tag: str | UnsetType | None = UNSET
    reworded: int | UnsetType = UNSET
    embedding_space: str | UnsetType | None = UNSET
    embeddings_waiting: int | UnsetType = UNSET
    index_behind: int | UnsetType = UNSET
    reranker: str | UnsetType | None = UNSET
    mode: str | UnsetType = UNSET
    reads: ReadsFrom | UnsetType = UNSET
    """Absent for a store without replicas."""


class ScoreEntry(Struct, frozen=True):
    """One contribution to the score of a hit."""

    rank: int | None = None
    raw: float = 0.0
    value: float = 0.0


class HitEntry(Struct, frozen=True, kw_only=True):
    """A hit with the parts of its score. Episodes have no label and no origin."""

    id: str = ""
    score: float = 0.0
    relevance: float = 0.0
    trust: str = "unknown"
    label: str | UnsetType = UNSET
    origin: str | UnsetType = UNSET
    parts: Mapping[str, ScoreEntry] = {}
    judged: float | UnsetType = UNSET
    """How likely it belongs in front of the prompt, if it was read together with it."""


class ScoredId(Struct, frozen=True):
    """A record with its score."""

    id: str = ""
    score: float | UnsetType = UNSET


class ExcludedId(Struct, frozen=True):
    """A record that a rule excluded."""

    id: str = ""
    rule: str = ""


class RecallDecided(Struct, frozen=True, kw_only=True):
    """The hits of a recall, and the records that it left out."""

    fusion: str = ""
    relevance: float = 0.0
    hits: Sequence[HitEntry] = ()
    below_limit: Sequence[ScoredId] = ()
    held_out: Sequence[ExcludedId] = ()
    lifecycle: "LifecycleSection | UnsetType" = UNSET
    """Absent if the operator switched lifecycle receipts off."""


# The lifecycle receipt, whose keys its specification fixes


class TierCount(Struct, frozen=True):
    """Number of candidates and selected records of a tier."""

    tier: str = ""
    labels: Sequence[str] = ()
    candidates: int = 0
    selected: int = 0


class LaneTop(Struct, frozen=True):
    """One of the best candidates of a lane. Only those of the vector lane have a distance."""

    id: str = ""
    score: float = 0.0
    distance: float | UnsetType = UNSET


class WhySummary(Struct, frozen=True, rename="camel"):
    """Number of hits per tier and per origin."""

    by_tier: Mapping[str, int] = {}
    from_primary_scope: int = 0
    from_fallback_scope: int = 0


class WhyHit(Struct, frozen=True):
    """Why a record was selected."""

    id: str = ""
    tier: str = ""
    scope: str = ""
    origin: str = ""
    signals: Sequence[str] = ()
    score: float = 0.0
    relevance: float = 0.0


class FallbackSection(Struct, frozen=True, rename="camel"):
    """The fallback scopes that were searched."""

    eligible: bool = False
    consulted: bool = False
    consulted_scopes: Sequence[str] = ()
    used_scopes: Sequence[str] = ()
    contributed: int = 0
    suppressed_reason: str | None = None


class ColdLane(Struct, frozen=True, kw_only=True, rename="camel"):
    """The documents that were searched for lack of memories. All fields are absent if none could be."""

    enabled: bool | UnsetType = UNSET
    consulted: bool | UnsetType = UNSET
    trigger: str | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    strategy: str | UnsetType = UNSET
    min_hot_items: int | UnsetType = UNSET
    hot_items: int | UnsetType = UNSET
    source_roots_count: int | UnsetType = UNSET
    requested: int | UnsetType = UNSET
    returned: int | UnsetType = UNSET
    filtered_by_scope: int | UnsetType = UNSET
    raw_candidates: int | UnsetType = UNSET
    scoped_candidates: int | UnsetType = UNSET
    pushdown_repos: Sequence[str] | UnsetType = UNSET
    pushdown_applied: bool | UnsetType = UNSET
    error: str | UnsetType = UNSET


class BudgetSection(Struct, frozen=True, kw_only=True, rename="camel"):
    """How the block before a prompt was fitted into its budget."""

    enabled: bool = False
    max_chars: int = 0
    min_recent_slots: int = 0
    overflow_action: str = ""
    before_chars: int = 0
    after_chars: int = 0
    dropped_count: int = 0
    dropped_ids: Sequence[str] = ()
    truncated_chars: int = 0
    truncated: bool = False
    min_recent_slots_honored: bool = False


class WorkingSetSection(Struct, frozen=True, kw_only=True, rename="camel"):
    """The working set in the block before a prompt."""

    enabled: bool = False
    generated: bool = False
    id: str | None = None
    chars: int = 0
    sections: Mapping[str, int] = {}
    consumed_count: int = 0
    suppressed_recall_count: int = 0
    persisted: bool = False


class LifecycleSection(Struct, frozen=True, kw_only=True, rename="camel"):
    """The lifecycle receipt of a recall. A skipped recall writes the reason and the counts only."""

    schema: str = ""
    verbosity: str = ""
    skipped: bool = False
    skip_reason: str | None = None
    rejected: Sequence[str] = ()
    scope: str | UnsetType = UNSET
    scope_mode: str | UnsetType = UNSET
    selection_mode: str | UnsetType = UNSET
    policy_tier: str | UnsetType = UNSET
    tiers_searched: Sequence[str] | UnsetType = UNSET
    tier_counts: Sequence[TierCount] | UnsetType = UNSET
    trust_searched: Sequence[str] | UnsetType = UNSET
    fts_top: Sequence[LaneTop] | UnsetType = UNSET
    vec_top: Sequence[LaneTop] | UnsetType = UNSET
    fused_top: Sequence[str] | UnsetType = UNSET
    why_summary: WhySummary | UnsetType = UNSET
    why_these_ids: Sequence[WhyHit] | UnsetType = UNSET
    final_count: int = 0
    injected_count: int = 0
    relevance: float | UnsetType = UNSET
    fallback: FallbackSection | UnsetType = UNSET
    budget: BudgetSection | UnsetType = UNSET
    cold_lane: ColdLane | UnsetType = UNSET
    observations: Sequence[LaneTop] | UnsetType = UNSET
    working_set: WorkingSetSection | UnsetType = UNSET
    markers: Sequence[Mapping[str, Json]] | UnsetType = UNSET


# Episodes


class EpisodesConsidered(Struct, frozen=True, kw_only=True):
    """Number of candidates per lane."""

    lexical: int = 0
    neighbours: int = 0
    vector: int = 0
    strays: int = 0
    embeddings_waiting: int = 0


class EpisodesDecided(Struct, frozen=True, kw_only=True):
    """The hits of a search in episodes, and how its question was understood."""

    prepared: Mapping[str, Json] = {}
    lexical_share: float = 0.0
    relevance: float = 0.0
    hits: Sequence[HitEntry] = ()
    below_limit: Sequence[str] = ()


# Turns


class TurnStartDecided(Struct, frozen=True):
    """What went in front of a session, and what did not fit."""

    injected: Sequence[str] = ()
    dropped: Sequence[str] = ()


class TurnBeforeDecided(Struct, frozen=True):
    """What went in front of a prompt, and what was found but left out. A skipped recall has only the lifecycle."""

    lifecycle: LifecycleSection = LifecycleSection()
    injected: Sequence[HitEntry] | UnsetType = UNSET
    left_out: Sequence[ExcludedId] | UnsetType = UNSET


class CaptureScan(Struct, frozen=True, rename="camel"):
    """How much of a turn was read."""

    user_messages: int = 0
    text_blocks: int = 0
    text_chars: int = 0


class CaptureSection(Struct, frozen=True, kw_only=True, rename="camel"):
    """The capture receipt of a turn."""

    schema: str = ""
    verbosity: str = ""
    candidate_extraction_count: int = 0
    filtered_out: Mapping[str, int] = {}
    scanned: CaptureScan = CaptureScan()
    stored_count: int = 0


class CapturedEntry(Struct, frozen=True):
    """A captured sentence. It has no id if it was not stored."""

    id: str | None = None
    action: str = ""
    kind: str = ""
    cue: str = ""


class TurnAfterDecided(Struct, frozen=True, kw_only=True):
    """What was stored from a turn."""

    auto_capture: CaptureSection = field(default=CaptureSection(), name="autoCapture")
    captured: Sequence[CapturedEntry] = ()
    markers: Sequence[Mapping[str, Json]] = ()


# Attention


class AttentionConsidered(Struct, frozen=True, kw_only=True):
    """Number of candidates per source and per block."""

    text: int = 0
    task: int = 0
    session: int = 0
    durable: int = 0
    rules: int = 0
    recent: int = 0
    graph: int = 0
    blocks: Mapping[str, int] = {}
    ranked: int = 0
    measured_by_meaning: int = 0


class BlockScore(Struct, frozen=True):
    """A block with its score."""

    block: str = ""
    score: float = 0.0
    selected: bool = False


class RankedEntry(Struct, frozen=True):
    """A memory that was ranked in a block."""

    id: str = ""
    score: float = 0.0
    block: str = ""


class LeftOutEntry(Struct, frozen=True):
    """A memory that was left out of a packet, and why."""

    id: str = ""
    reason: str = ""


class AttentionDecided(Struct, frozen=True, kw_only=True):
    """The blocks and memories of a packet, and the memories that it left out."""

    blocks: Sequence[BlockScore] = ()
    memories: Sequence[RankedEntry] = ()
    selected: Sequence[str] = ()
    left_out: Sequence[LeftOutEntry] = ()
    omitted: int = 0
    chars: int = 0


# Packs


class PackLane(Struct, frozen=True):
    """How many offers a lane made, and what kept it from making more."""

    searched: bool = False
    found: int = 0
    problem: str | None = None


class PackConsidered(Struct, frozen=True):
    """The lanes of a pack."""

    lanes: Mapping[str, PackLane] = {}


class PackEntry(Struct, frozen=True, kw_only=True):
    """A decision about one offer."""

    id: str = ""
    lane: str = ""
    relevance: float = 0.0
    layer: str | None = None
    rules: Sequence[str] = ()


class PackDecided(Struct, frozen=True, kw_only=True):
    """The contents of a pack, and what it left out."""

    tokens: int = 0
    included: Sequence[PackEntry] = ()
    excluded: Sequence[PackEntry] = ()
    excluded_unlisted: int = 0
    refreshed: Sequence[str] = field(default=(), name="refreshedRecordRefs")


# Routes


class RouteAttemptEntry(Struct, frozen=True, kw_only=True):
    """A backend that was asked."""

    backend: str = ""
    mode: str | None = None
    outcome: str = ""
    result_count: int = 0
    relevance: float = 0.0
    error_code: str | None = None


class RouteConsidered(Struct, frozen=True, kw_only=True):
    """The planned, skipped and attempted steps of a route."""

    planned: Sequence[str] = ()
    skipped: Sequence[str] = ()
    attempts: Sequence[RouteAttemptEntry] = ()


class RouteDecided(Struct, frozen=True, kw_only=True):
    """The rule of a route, and the answer."""

    rule: str = ""
    stage: str = ""
    signals: Sequence[str] = ()
    status: str = ""
    routed_to: str | None = None
    routed_mode: str | None = None
    relevance: float = 0.0
    fallbacks_used: int = 0
    ids: Sequence[str] = ()


# Store


class PreflightReasonEntry(Struct, frozen=True):
    """A reason of a verdict."""

    code: str = ""
    detail: str = ""


class PreflightSection(Struct, frozen=True, kw_only=True, rename="camel"):
    """The preflight check of a write."""

    enabled: bool = False
    attempted: bool = False
    decision: str = ""
    mode: str = ""
    command: str = ""
    timeout_ms: int = 0
    fail_mode: str = ""
    governor_status: str | None = None
    review_required: bool = False
    policy_block: bool = False
    runtime_failed: bool = False
    reasons: Sequence[PreflightReasonEntry] = ()


class StoreDecided(Struct, frozen=True, kw_only=True):
    """The stored memory, or the one that already said the same."""

    id: str = ""
    action: str = ""
    likeness: str | UnsetType = UNSET
    trust: str | UnsetType = UNSET
    trust_rule: str | UnsetType = UNSET
    order_reasons: Sequence[str] | UnsetType = UNSET
    """The cues by which the text reads as an order to the agent, which quarantined it."""
    label: str | UnsetType = UNSET
    embedding_skipped: bool | UnsetType = field(default=UNSET, name="embeddingSkipped")
    embedding_skip_reason: str | UnsetType = field(default=UNSET, name="embeddingSkipReason")
    scope_mode: str = ""
    scope_invalid: bool = False
    scope_normalized: bool = False
    preflight: PreflightSection | UnsetType = UNSET
