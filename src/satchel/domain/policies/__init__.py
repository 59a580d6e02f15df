"""Settings of the engine, in groups: each field has its help, limits and default."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated

from msgspec import Struct, field

from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.domain.policies.episodes import EpisodePolicy
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.domain.policies.routing import RoutingPolicy
from satchel.domain.scope_name import DEFAULT_SCOPE, MAX_SCOPE_CHARS
from satchel.domain.setting import Setting


class Validation(StrEnum):
    """How an invalid scope name is handled."""

    STRICT = "strict"
    NORMALIZE = "normalize"
    NONE = "none"


class Overflow(StrEnum):
    """What to drop first from a block of memories that is too long."""

    OLDEST = "truncate_oldest"
    TAIL = "truncate_tail"


class Verbosity(StrEnum):
    """Whether a receipt also leaves a comment in the prompt."""

    LOW = "low"
    HIGH = "high"


class Duplicates(StrEnum):
    """Which stored texts make a new one a duplicate."""

    NEAR = "near"
    EXACT = "exact"
    OFF = "off"


class RerankStyle(StrEnum):
    """The API of a rerank server."""

    COHERE = "cohere"
    VOYAGE = "voyage"
    TEI = "tei"


class ScopePolicy(Struct, frozen=True):
    """Which scope a request works in, and which others it may fall back to."""

    enabled: Annotated[bool, Setting("isolate scopes; if off, a recall without a scope searches all of them")] = True
    default_scope: Annotated[
        str, Setting("scope of requests that name none; auto is the project of the folder", variable="SCOPE")
    ] = DEFAULT_SCOPE
    fallback_scopes: Annotated[
        tuple[str, ...], Setting("scopes to search next, in this order, when a recall finds too little", max_items=6)
    ] = ()
    fallback_marker: Annotated[bool, Setting("mention in receipts and warnings that a fallback scope was used")] = True
    skip_fallback_on_invalid_scope: Annotated[bool, Setting("no fallback scopes if the scope name is invalid")] = True
    validation_mode: Annotated[
        str,
        Setting(
            "invalid scope names: strict uses the default scope, normalize rewrites them, none accepts them unchanged",
            choices=tuple(Validation),
        ),
    ] = Validation.STRICT
    max_scope_length: Annotated[int, Setting("maximum length of a scope name", 8, 256)] = MAX_SCOPE_CHARS
    # Not settings: the caller and the store provide them.
    project: str = ""
    """The scope of the project that the caller works in, which `auto` names; empty if there is none."""
    follows_project: bool = False
    """Whether the default scope is `auto`."""
    existing_scopes: Callable[[], Sequence[str]] = tuple
    """Returns the scopes that have records, to suggest one for a name that is not valid."""


class RecallPolicy(Struct, frozen=True):
    """How recall selects and ranks memories."""

    limit: Annotated[int, Setting("memories that a recall returns by default", 1, 50)] = 5
    fusion: Annotated[str, Setting("merge lanes by score, or by rank alone (rrf)", choices=("scores", "rrf"))] = (
        "scores"
    )
    min_relevance: Annotated[float, Setting("minimum relevance of a hit", 0.0, 1.0)] = 0.02
    tiers: Annotated[bool, Setting("prefer important memories: must and nice, then unknown, then ignore")] = True
    trust_gate: Annotated[bool, Setting("use untrusted memories only when no trusted memory answers")] = True
    importance_weight: Annotated[float, Setting("score added to a must-remember memory", 0.0, 1.0)] = 0.1
    recency_weight: Annotated[float, Setting("score added to a memory created just now", 0.0, 1.0)] = 0.03
    recency_half_life_days: Annotated[int, Setting("days after which the recency score is halved", 1, 3650)] = 30
    catch_up_ms: Annotated[int, Setting("milliseconds a recall may spend on embedding and indexing", 0, 60_000)] = 200
    index_from: Annotated[
        int,
        Setting(
            "memories, or a quarter as many parts of episodes and documents, from which a store keeps a Lance index, which needs the extra [index]; "
            "below it the ledger is searched",
            0,
            1_000_000,
        ),
    ] = 20_000


class StorePolicy(Struct, frozen=True):
    """What `store` accepts."""

    duplicates: Annotated[
        str, Setting("stored texts that make a new one a duplicate: near, exact, off", choices=tuple(Duplicates))
    ] = Duplicates.NEAR


class AgentsPolicy(Struct, frozen=True):
    """What agents may do to your memories."""

    forget_trusted: Annotated[bool, Setting("let agents forget trusted records: those you stored or confirmed")] = False
    show_people: Annotated[
        bool,
        Setting(
            "show agents the names of people in relations and facts: in packs, graph and fact tools, routed answers"
        ),
    ] = False
    show_paths: Annotated[bool, Setting("show agents home folders in paths, instead of ~")] = False


class BudgetPolicy(Struct, frozen=True):
    """The size of the block of memories before a prompt."""

    enabled: Annotated[bool, Setting("limit the size of the block")] = True
    max_chars: Annotated[int, Setting("maximum size of the block, in characters", 300, 12_000)] = 1800
    min_recent_slots: Annotated[int, Setting("newest memories that are dropped last", 0, 5)] = 1
    overflow_action: Annotated[
        str, Setting("what to drop first: the oldest memories, or the end of the ranking", choices=tuple(Overflow))
    ] = Overflow.OLDEST


class ReceiptPolicy(Struct, frozen=True):
    """What recall receipts contain."""

    enabled: Annotated[bool, Setting("write lifecycle receipts, and keep the receipts of reads")] = True
    verbosity: Annotated[str, Setting("high also adds a comment with ids to the prompt", choices=tuple(Verbosity))] = (
        Verbosity.LOW
    )
    max_items: Annotated[int, Setting("maximum ids in each list of a lifecycle receipt", 1, 10)] = 3


class Selection(StrEnum):
    """How recall before a turn selects memories."""

    RELEVANCE = "relevance_v1"
    TIER_FIRST = "tier_first_v1"
    TIER_QUOTA = "tier_quota_v1"


class FailMode(StrEnum):
    """Whether to write when the preflight check fails."""

    OPEN = "open"
    CLOSED = "closed"


class ColdMode(StrEnum):
    """How a hook searches when no server is running and it has to load everything itself."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"


class AutoRecallPolicy(Struct, frozen=True):
    """Automatic recall before a turn."""

    enabled: Annotated[bool, Setting("recall memories before a turn")] = True
    max_items: Annotated[int, Setting("maximum trusted memories before a prompt", 1, 6)] = 5
    skip_trivial_prompts: Annotated[bool, Setting("skip greetings, thanks, emoji, commands and heartbeats")] = True
    trivial_min_chars: Annotated[
        int,
        Setting(
            "letters and digits below which a prompt is trivial, unless it is a name (PAY-318), a question or a usual task",
            2,
            40,
        ),
    ] = 8
    include_unknown_fallback: Annotated[
        bool, Setting("when must and nice have too few matches, use ungraded memories")
    ] = True
    include_ignored: Annotated[
        bool, Setting("use memories graded unimportant too, when they are selected by relevance")
    ] = True
    tier_search_multiplier: Annotated[int, Setting("candidates that each tier fetches per place to fill", 1, 6)] = 4
    min_relevance: Annotated[float, Setting("minimum relevance of a memory before a prompt", 0.0, 1.0)] = 0.001
    selection_mode: Annotated[
        str, Setting("fill places by relevance, tier by tier, or with a quota per tier", choices=tuple(Selection))
    ] = Selection.RELEVANCE
    cold_mode: Annotated[
        str,
        Setting(
            "how 'turn before' searches when no server is running: hybrid means by words and meaning, lexical by words "
            "only, which takes half the time",
            choices=tuple(ColdMode),
        ),
    ] = ColdMode.HYBRID


class AutoCapturePolicy(Struct, frozen=True):
    """Automatic capture after a turn."""

    enabled: Annotated[bool, Setting("store the preferences and decisions in a turn")] = True
    max_items_per_turn: Annotated[int, Setting("maximum memories stored per turn", 1, 4)] = 2
    max_chars_per_item: Annotated[
        int, Setting("maximum length of a stored sentence; longer ones are skipped", 60, 320)
    ] = 240
    max_scanned_user_messages: Annotated[int, Setting("newest user messages to read", 1, 64)] = 24
    max_text_blocks_per_message: Annotated[int, Setting("text blocks of each message to read", 1, 8)] = 4
    max_total_input_chars: Annotated[int, Setting("maximum characters read in total", 1_000, 120_000)] = 48_000
    capture_preference: Annotated[bool, Setting("store preferences")] = True
    capture_decision: Annotated[bool, Setting("store decisions")] = True
    capture_todo: Annotated[bool, Setting("store to-dos")] = False
    max_todo_per_turn: Annotated[int, Setting("maximum to-dos stored per turn", 0, 3)] = 1
    todo_dedupe_window_hours: Annotated[int, Setting("hours in which the same to-do is not stored again", 1, 168)] = 24
    todo_stale_ttl_days: Annotated[int, Setting("days after which a to-do is not recalled before a turn", 1, 90)] = 7
    dedupe_similarity_threshold: Annotated[
        float, Setting("share of common words from which two sentences of a turn count as one", 0.70, 0.99)
    ] = 0.92


class WorkingSetPolicy(Struct, frozen=True):
    """The working set: a summary of the current state, placed before the recalled memories."""

    enabled: Annotated[bool, Setting("put a working set before the recalled memories")] = False
    persist: Annotated[bool, Setting("store the working set as a memory of its scope")] = True
    max_chars: Annotated[int, Setting("maximum length of the working set", 240, 2_800)] = 240
    max_items_per_section: Annotated[int, Setting("maximum items per section", 1, 5)] = 2
    max_goal_chars: Annotated[int, Setting("maximum length of the goal", 40, 600)] = 120
    max_item_chars: Annotated[int, Setting("maximum length of an item", 40, 400)] = 100


class PreflightPolicy(Struct, frozen=True):
    """The preflight check of every write."""

    enabled: Annotated[bool, Setting("check every write before it is stored")] = False
    command: Annotated[str, Setting("program that runs the check; empty means the built-in check")] = ""
    command_args: Annotated[tuple[str, ...], Setting("arguments of that program", max_items=32)] = ()
    url: Annotated[str, Setting("URL that runs the check, instead of a program")] = ""
    db_path: Annotated[str, Setting("database path passed to that program")] = ""
    timeout_ms: Annotated[int, Setting("timeout of the check, in milliseconds", 1_000, 120_000)] = 12_000
    fail_mode: Annotated[
        str, Setting("when the check itself fails: open stores anyway, closed refuses", choices=tuple(FailMode))
    ] = FailMode.OPEN
    fail_on_queued: Annotated[bool, Setting("do not store what the check queues for review")] = False
    fail_on_rejected: Annotated[bool, Setting("do not store what the check rejects")] = False


class RerankPolicy(Struct, frozen=True):
    """Reranking of the best candidates by a server, and how much text it receives."""

    enabled: Annotated[bool, Setting("send the question and the best candidates to a rerank server")] = False
    url: Annotated[str, Setting("base address of the rerank server; /rerank is added to it")] = ""
    model: Annotated[str, Setting("model name sent to it; empty sends none")] = ""
    api_key: Annotated[str, Setting("API key, sent as a bearer token", secret=True)] = ""
    style: Annotated[
        str,
        Setting(
            "API of the server: cohere (also Jina, vLLM, llama.cpp), voyage, or tei (text-embeddings-inference)",
            choices=tuple(RerankStyle),
        ),
    ] = RerankStyle.COHERE
    logits: Annotated[bool, Setting("the server returns logits, as llama.cpp does, instead of values from 0 to 1")] = (
        False
    )
    candidates: Annotated[int, Setting("maximum candidates to send", 1, 50)] = 20
    max_chars: Annotated[int, Setting("maximum characters to send of the question and of each text", 100, 20_000)] = (
        2000
    )
    timeout_ms: Annotated[int, Setting("timeout in milliseconds; after it the order stays as it was", 100, 10_000)] = (
        2000
    )
    weight: Annotated[float, Setting("score added to a candidate with a perfect rerank score", 0.0, 10.0)] = 1.0


class PackPolicy(Struct, frozen=True):
    """The contents of a ContextPack."""

    budget_tokens: Annotated[int, Setting("default budget, in tokens", 1, 200_000)] = 1200
    max_state_lines: Annotated[int, Setting("maximum lines of state: memories, facts, relations", 1, 100)] = 15
    max_l2_items: Annotated[int, Setting("maximum items with full text", 0, 50)] = 3
    max_detail_chars: Annotated[int, Setting("maximum length of a full text, in characters", 100, 20_000)] = 2_400
    nice_cap: Annotated[int, Setting("maximum nice-to-have items", 0, 100)] = 10
    state_share: Annotated[float, Setting("share of the budget for state while there is evidence", 0.0, 1.0)] = 0.6
    untrusted_share: Annotated[
        float, Setting("share of the budget that untrusted state may take from evidence", 0.0, 1.0)
    ] = 0.2
    tail_share: Annotated[float, Setting("share of the budget for the newest turns", 0.0, 1.0)] = 0.4
    tail_max_items: Annotated[int, Setting("maximum newest turns", 0, 50)] = 4
    min_relevance: Annotated[float, Setting("minimum relevance of state", 0.0, 1.0)] = 0.2
    min_evidence_relevance: Annotated[
        float, Setting("minimum relevance of turns when no turn matches the question", 0.0, 1.0)
    ] = 0.02


class Policies(Struct, frozen=True):
    """The settings of every group that the engine uses."""

    scope: ScopePolicy = field(default_factory=ScopePolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    store: StorePolicy = field(default_factory=StorePolicy)
    agents: AgentsPolicy = field(default_factory=AgentsPolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    receipts: ReceiptPolicy = field(default_factory=ReceiptPolicy)
    rerank: RerankPolicy = field(default_factory=RerankPolicy)
    auto_recall: AutoRecallPolicy = field(default_factory=AutoRecallPolicy)
    auto_capture: AutoCapturePolicy = field(default_factory=AutoCapturePolicy)
    working_set: WorkingSetPolicy = field(default_factory=WorkingSetPolicy)
    preflight: PreflightPolicy = field(default_factory=PreflightPolicy)
    attention: AttentionPolicy = field(default_factory=AttentionPolicy)
    lifecycle: LifecyclePolicy = field(default_factory=LifecyclePolicy)
    pack: PackPolicy = field(default_factory=PackPolicy)
    documents: DocumentsPolicy = field(default_factory=DocumentsPolicy)
    routing: RoutingPolicy = field(default_factory=RoutingPolicy)
    episodes: EpisodePolicy = field(default_factory=EpisodePolicy)
