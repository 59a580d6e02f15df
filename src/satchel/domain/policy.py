"""The policies an operator can set: plain values, each knob with its help, its limits and its default."""

from dataclasses import dataclass, field
from enum import StrEnum

from satchel.domain.attention_policy import AttentionPolicy
from satchel.domain.knob import knob
from satchel.domain.lifecycle_policy import LifecyclePolicy
from satchel.domain.scope_name import DEFAULT_SCOPE, MAX_SCOPE_CHARS


class Validation(StrEnum):
    """What becomes of a scope's name that has not the strict form."""

    STRICT = "strict"
    NORMALIZE = "normalize"
    NONE = "none"


class Overflow(StrEnum):
    """What is dropped first when a block of memories is too long."""

    OLDEST = "truncate_oldest"
    TAIL = "truncate_tail"


class Verbosity(StrEnum):
    """Whether a receipt also leaves a comment in the prompt."""

    LOW = "low"
    HIGH = "high"


class Duplicates(StrEnum):
    """Which stored texts a new one is recognised by."""

    NEAR = "near"
    EXACT = "exact"
    OFF = "off"


class RerankStyle(StrEnum):
    """How a rerank server wants to be asked."""

    COHERE = "cohere"
    VOYAGE = "voyage"
    TEI = "tei"


@dataclass(frozen=True, slots=True)
class ScopePolicy:
    """Which scope a request works in, and where else it may look."""

    enabled: bool = knob(True, "keep scopes apart; off, a recall that names no scope sees every one")
    default_scope: str = knob(DEFAULT_SCOPE, "scope used when a request names none", variable="SCOPE")
    fallback_scopes: tuple[str, ...] = knob(
        (), "scopes a recall also looks in, in this order, when its own has too little", most_items=6
    )
    fallback_marker: bool = knob(True, "say in receipts and warnings when a fallback scope was used")
    skip_fallback_on_invalid_scope: bool = knob(True, "look in no fallback scope when the scope's name is invalid")
    validation_mode: str = knob(
        Validation.STRICT,
        "an invalid scope: strict uses the default one, normalize rewrites it, none takes it as it is",
        choices=tuple(Validation),
    )
    max_scope_length: int = knob(MAX_SCOPE_CHARS, "longest name of a scope", least=8, most=256)


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """How a recall chooses and orders."""

    limit: int = knob(5, "how many memories a recall returns when it is not told", least=1, most=50)
    fusion: str = knob(
        "scores", "how lanes become one ranking: by their scores, or by rank alone", choices=("scores", "rrf")
    )
    min_relevance: float = knob(0.0, "leave out hits less relevant than this", least=0.0, most=1.0)
    tiers: bool = knob(True, "prefer what was graded important: must and nice, then unknown, then ignore")
    trust_gate: bool = knob(True, "look at untrusted memories only when trusted ones have no answer")
    importance_weight: float = knob(0.1, "what a memory that must be remembered gains", least=0.0, most=1.0)
    recency_weight: float = knob(0.03, "what a memory of this moment gains", least=0.0, most=1.0)
    recency_half_life_days: int = knob(30, "after so many days that gain is halved", least=1, most=3650)
    catch_up_ms: int = knob(200, "longest a recall spends embedding and indexing what is new", least=0, most=60_000)


@dataclass(frozen=True, slots=True)
class StorePolicy:
    """What a store takes in."""

    duplicates: str = knob(
        Duplicates.NEAR,
        "which stored texts of the scope a new one is recognised by: near, exact, or off",
        choices=tuple(Duplicates),
    )


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """How long a block of memories in front of a prompt may be."""

    enabled: bool = knob(True, "hold the block to its budget")
    max_chars: int = knob(1800, "longest block, in characters", least=300, most=12_000)
    min_recent_slots: int = knob(1, "so many of the newest memories are dropped last", least=0, most=5)
    overflow_action: str = knob(
        Overflow.OLDEST, "what is dropped first: the oldest, or the end of the ranking", choices=tuple(Overflow)
    )


@dataclass(frozen=True, slots=True)
class ReceiptPolicy:
    """What a recall's receipt says."""

    enabled: bool = knob(True, "write lifecycle receipts, and keep the receipts of reads")
    verbosity: str = knob(Verbosity.LOW, "high also leaves a comment with ids in the prompt", choices=tuple(Verbosity))
    max_items: int = knob(3, "how many ids each list of a lifecycle receipt names", least=1, most=10)


class Selection(StrEnum):
    """How recall before a turn fills its places."""

    TIER_FIRST = "tier_first_v1"
    TIER_QUOTA = "tier_quota_v1"


class FailMode(StrEnum):
    """What becomes of a write when its check could not be made."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class AutoRecallPolicy:
    """What is recalled before a turn, without being asked for."""

    enabled: bool = knob(True, "recall memories before a turn")
    max_items: int = knob(4, "how many memories go in front of a prompt", least=1, most=6)
    skip_trivial_prompts: bool = knob(True, "recall nothing for greetings, thanks, emoji, commands and heartbeats")
    trivial_min_chars: int = knob(8, "a prompt with fewer letters and digits is trivial", least=2, most=40)
    include_unknown_fallback: bool = knob(True, "when must and nice have too little, look at what was never graded")
    tier_search_multiplier: int = knob(2, "how many candidates a tier brings, per place to fill", least=1, most=6)
    min_relevance: float = knob(0.3, "memories less relevant than this stay out of a prompt", least=0.0, most=1.0)
    selection_mode: str = knob(
        Selection.TIER_FIRST, "fill places tier by tier, or with a quota for each", choices=tuple(Selection)
    )


@dataclass(frozen=True, slots=True)
class AutoCapturePolicy:
    """What is kept of a turn, without being told to."""

    enabled: bool = knob(True, "keep what a turn says of preferences and decisions")
    max_items_per_turn: int = knob(2, "how many memories one turn may leave", least=1, most=4)
    max_chars_per_item: int = knob(240, "longest sentence that is kept; longer ones are left out", least=60, most=320)
    max_scanned_user_messages: int = knob(24, "how many of the newest user messages are read", least=1, most=64)
    max_text_blocks_per_message: int = knob(4, "how many text blocks of a message are read", least=1, most=8)
    max_total_input_chars: int = knob(48_000, "how much text is read in all", least=1_000, most=120_000)
    capture_preference: bool = knob(True, "keep preferences")
    capture_decision: bool = knob(True, "keep decisions")
    capture_todo: bool = knob(False, "keep things to do")
    max_todo_per_turn: int = knob(1, "how many things to do one turn may leave", least=0, most=3)
    todo_dedupe_window_hours: int = knob(24, "how long a thing to do is recognised by its words", least=1, most=168)
    todo_stale_ttl_days: int = knob(7, "older things to do are not recalled before a turn", least=1, most=90)
    dedupe_similarity_threshold: float = knob(
        0.92, "two sentences of a turn that share this part of their words are one", least=0.70, most=0.99
    )


@dataclass(frozen=True, slots=True)
class WorkingSetPolicy:
    """The summary of where things stand, in front of what is recalled before a turn."""

    enabled: bool = knob(False, "begin what is recalled with a working set")
    persist: bool = knob(True, "keep the working set as a memory of its scope")
    max_chars: int = knob(240, "longest working set", least=240, most=2_800)
    max_items_per_section: int = knob(2, "how many items a section has", least=1, most=5)
    max_goal_chars: int = knob(120, "longest goal", least=40, most=600)
    max_item_chars: int = knob(100, "longest item of a section", least=40, most=400)


@dataclass(frozen=True, slots=True)
class PreflightPolicy:
    """The check right before a write becomes memory."""

    enabled: bool = knob(False, "check every write before it becomes memory")
    command: str = knob("", "program that makes the check; empty means the one Satchel brings")
    command_args: tuple[str, ...] = knob((), "arguments of that program", most_items=32)
    url: str = knob("", "address that makes the check, instead of a program")
    db_path: str = knob("", "database named to that program")
    timeout_ms: int = knob(12_000, "longest wait for the check", least=1_000, most=120_000)
    fail_mode: str = knob(
        FailMode.OPEN, "when the check itself fails: open writes all the same, closed does not", choices=tuple(FailMode)
    )
    fail_on_queued: bool = knob(False, "do not write what the check wants reviewed")
    fail_on_rejected: bool = knob(False, "do not write what the check rejects")


@dataclass(frozen=True, slots=True)
class RerankPolicy:
    """Whether a model elsewhere looks at the best candidates once more, and how much it gets to see."""

    enabled: bool = knob(
        False, "let a rerank server look at the best candidates: it is sent the question and their texts"
    )
    url: str = knob("", "base address of the rerank server; /rerank is added to it")
    model: str = knob("", "model name sent to it; empty sends none")
    api_key: str = knob("", "key sent to it as a bearer token", secret=True)
    style: str = knob(
        RerankStyle.COHERE,
        "how it wants to be asked: cohere (also Jina, vLLM, llama.cpp), voyage, or tei (text-embeddings-inference)",
        choices=tuple(RerankStyle),
    )
    logits: bool = knob(False, "its scores are logits, as those of llama.cpp, and not values from 0 to 1")
    candidates: int = knob(20, "how many candidates it is sent at most", least=1, most=50)
    max_chars: int = knob(2000, "how much of the question and of each text it is sent at most", least=100, most=20_000)
    timeout_ms: int = knob(2000, "longest wait for it; after that the order stays as it was", least=100, most=10_000)
    weight: float = knob(1.0, "what a candidate gains that it finds perfect", least=0.0, most=10.0)


@dataclass(frozen=True, slots=True)
class Policies:
    """All of them."""

    scope: ScopePolicy = field(default_factory=ScopePolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    store: StorePolicy = field(default_factory=StorePolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    receipts: ReceiptPolicy = field(default_factory=ReceiptPolicy)
    rerank: RerankPolicy = field(default_factory=RerankPolicy)
    auto_recall: AutoRecallPolicy = field(default_factory=AutoRecallPolicy)
    auto_capture: AutoCapturePolicy = field(default_factory=AutoCapturePolicy)
    working_set: WorkingSetPolicy = field(default_factory=WorkingSetPolicy)
    preflight: PreflightPolicy = field(default_factory=PreflightPolicy)
    attention: AttentionPolicy = field(default_factory=AttentionPolicy)
    lifecycle: LifecyclePolicy = field(default_factory=LifecyclePolicy)
