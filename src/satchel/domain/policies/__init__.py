"""The policies an operator can set: plain values, each knob with its help, its limits and its default."""

from enum import StrEnum
from typing import Annotated

from msgspec import Struct, field

from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.domain.policies.episodes import EpisodePolicy
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.domain.policies.routing import RoutingPolicy
from satchel.domain.scope_name import DEFAULT_SCOPE, MAX_SCOPE_CHARS
from satchel.domain.setting import Knob


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


class ScopePolicy(Struct, frozen=True):
    """Which scope a request works in, and where else it may look."""

    enabled: Annotated[bool, Knob("keep scopes apart; off, a recall that names no scope sees every one")] = True
    default_scope: Annotated[str, Knob("scope used when a request names none", variable="SCOPE")] = DEFAULT_SCOPE
    fallback_scopes: Annotated[
        tuple[str, ...], Knob("scopes a recall also looks in, in this order, when its own has too little", most_items=6)
    ] = ()
    fallback_marker: Annotated[bool, Knob("say in receipts and warnings when a fallback scope was used")] = True
    skip_fallback_on_invalid_scope: Annotated[
        bool, Knob("look in no fallback scope when the scope's name is invalid")
    ] = True
    validation_mode: Annotated[
        str,
        Knob(
            "an invalid scope: strict uses the default one, normalize rewrites it, none takes it as it is",
            choices=tuple(Validation),
        ),
    ] = Validation.STRICT
    max_scope_length: Annotated[int, Knob("longest name of a scope", least=8, most=256)] = MAX_SCOPE_CHARS


class RecallPolicy(Struct, frozen=True):
    """How a recall chooses and orders."""

    limit: Annotated[int, Knob("how many memories a recall returns when it is not told", least=1, most=50)] = 5
    fusion: Annotated[
        str, Knob("how lanes become one ranking: by their scores, or by rank alone", choices=("scores", "rrf"))
    ] = "scores"
    min_relevance: Annotated[float, Knob("leave out hits less relevant than this", least=0.0, most=1.0)] = 0.0
    tiers: Annotated[bool, Knob("prefer what was graded important: must and nice, then unknown, then ignore")] = True
    trust_gate: Annotated[bool, Knob("look at untrusted memories only when trusted ones have no answer")] = True
    importance_weight: Annotated[float, Knob("what a memory that must be remembered gains", least=0.0, most=1.0)] = 0.1
    recency_weight: Annotated[float, Knob("what a memory of this moment gains", least=0.0, most=1.0)] = 0.03
    recency_half_life_days: Annotated[int, Knob("after so many days that gain is halved", least=1, most=3650)] = 30
    catch_up_ms: Annotated[
        int, Knob("longest a recall spends embedding and indexing what is new", least=0, most=60_000)
    ] = 200
    index_from: Annotated[
        int,
        Knob(
            "from how many memories on a store keeps a Lance index; a smaller one is searched in the ledger",
            least=0,
            most=1_000_000,
        ),
    ] = 20_000


class StorePolicy(Struct, frozen=True):
    """What a store takes in."""

    duplicates: Annotated[
        str,
        Knob(
            "which stored texts of the scope a new one is recognised by: near, exact, or off", choices=tuple(Duplicates)
        ),
    ] = Duplicates.NEAR


class BudgetPolicy(Struct, frozen=True):
    """How long a block of memories in front of a prompt may be."""

    enabled: Annotated[bool, Knob("hold the block to its budget")] = True
    max_chars: Annotated[int, Knob("longest block, in characters", least=300, most=12_000)] = 1800
    min_recent_slots: Annotated[int, Knob("so many of the newest memories are dropped last", least=0, most=5)] = 1
    overflow_action: Annotated[
        str, Knob("what is dropped first: the oldest, or the end of the ranking", choices=tuple(Overflow))
    ] = Overflow.OLDEST


class ReceiptPolicy(Struct, frozen=True):
    """What a recall's receipt says."""

    enabled: Annotated[bool, Knob("write lifecycle receipts, and keep the receipts of reads")] = True
    verbosity: Annotated[str, Knob("high also leaves a comment with ids in the prompt", choices=tuple(Verbosity))] = (
        Verbosity.LOW
    )
    max_items: Annotated[int, Knob("how many ids each list of a lifecycle receipt names", least=1, most=10)] = 3


class Selection(StrEnum):
    """How recall before a turn fills its places."""

    TIER_FIRST = "tier_first_v1"
    TIER_QUOTA = "tier_quota_v1"


class FailMode(StrEnum):
    """What becomes of a write when its check could not be made."""

    OPEN = "open"
    CLOSED = "closed"


class AutoRecallPolicy(Struct, frozen=True):
    """What is recalled before a turn, without being asked for."""

    enabled: Annotated[bool, Knob("recall memories before a turn")] = True
    max_items: Annotated[int, Knob("how many memories go in front of a prompt", least=1, most=6)] = 4
    skip_trivial_prompts: Annotated[
        bool, Knob("recall nothing for greetings, thanks, emoji, commands and heartbeats")
    ] = True
    trivial_min_chars: Annotated[int, Knob("a prompt with fewer letters and digits is trivial", least=2, most=40)] = 8
    include_unknown_fallback: Annotated[
        bool, Knob("when must and nice have too little, look at what was never graded")
    ] = True
    tier_search_multiplier: Annotated[
        int, Knob("how many candidates a tier brings, per place to fill", least=1, most=6)
    ] = 2
    min_relevance: Annotated[
        float, Knob("memories less relevant than this stay out of a prompt", least=0.0, most=1.0)
    ] = 0.3
    selection_mode: Annotated[
        str, Knob("fill places tier by tier, or with a quota for each", choices=tuple(Selection))
    ] = Selection.TIER_FIRST


class AutoCapturePolicy(Struct, frozen=True):
    """What is kept of a turn, without being told to."""

    enabled: Annotated[bool, Knob("keep what a turn says of preferences and decisions")] = True
    max_items_per_turn: Annotated[int, Knob("how many memories one turn may leave", least=1, most=4)] = 2
    max_chars_per_item: Annotated[
        int, Knob("longest sentence that is kept; longer ones are left out", least=60, most=320)
    ] = 240
    max_scanned_user_messages: Annotated[
        int, Knob("how many of the newest user messages are read", least=1, most=64)
    ] = 24
    max_text_blocks_per_message: Annotated[int, Knob("how many text blocks of a message are read", least=1, most=8)] = 4
    max_total_input_chars: Annotated[int, Knob("how much text is read in all", least=1_000, most=120_000)] = 48_000
    capture_preference: Annotated[bool, Knob("keep preferences")] = True
    capture_decision: Annotated[bool, Knob("keep decisions")] = True
    capture_todo: Annotated[bool, Knob("keep things to do")] = False
    max_todo_per_turn: Annotated[int, Knob("how many things to do one turn may leave", least=0, most=3)] = 1
    todo_dedupe_window_hours: Annotated[
        int, Knob("how long a thing to do is recognised by its words", least=1, most=168)
    ] = 24
    todo_stale_ttl_days: Annotated[int, Knob("older things to do are not recalled before a turn", least=1, most=90)] = 7
    dedupe_similarity_threshold: Annotated[
        float, Knob("two sentences of a turn that share this part of their words are one", least=0.70, most=0.99)
    ] = 0.92


class WorkingSetPolicy(Struct, frozen=True):
    """The summary of where things stand, in front of what is recalled before a turn."""

    enabled: Annotated[bool, Knob("begin what is recalled with a working set")] = False
    persist: Annotated[bool, Knob("keep the working set as a memory of its scope")] = True
    max_chars: Annotated[int, Knob("longest working set", least=240, most=2_800)] = 240
    max_items_per_section: Annotated[int, Knob("how many items a section has", least=1, most=5)] = 2
    max_goal_chars: Annotated[int, Knob("longest goal", least=40, most=600)] = 120
    max_item_chars: Annotated[int, Knob("longest item of a section", least=40, most=400)] = 100


class PreflightPolicy(Struct, frozen=True):
    """The check right before a write becomes memory."""

    enabled: Annotated[bool, Knob("check every write before it becomes memory")] = False
    command: Annotated[str, Knob("program that makes the check; empty means the one Satchel brings")] = ""
    command_args: Annotated[tuple[str, ...], Knob("arguments of that program", most_items=32)] = ()
    url: Annotated[str, Knob("address that makes the check, instead of a program")] = ""
    db_path: Annotated[str, Knob("database named to that program")] = ""
    timeout_ms: Annotated[int, Knob("longest wait for the check", least=1_000, most=120_000)] = 12_000
    fail_mode: Annotated[
        str, Knob("when the check itself fails: open writes all the same, closed does not", choices=tuple(FailMode))
    ] = FailMode.OPEN
    fail_on_queued: Annotated[bool, Knob("do not write what the check wants reviewed")] = False
    fail_on_rejected: Annotated[bool, Knob("do not write what the check rejects")] = False


class RerankPolicy(Struct, frozen=True):
    """Whether a model elsewhere looks at the best candidates once more, and how much it gets to see."""

    enabled: Annotated[
        bool, Knob("let a rerank server look at the best candidates: it is sent the question and their texts")
    ] = False
    url: Annotated[str, Knob("base address of the rerank server; /rerank is added to it")] = ""
    model: Annotated[str, Knob("model name sent to it; empty sends none")] = ""
    api_key: Annotated[str, Knob("key sent to it as a bearer token", secret=True)] = ""
    style: Annotated[
        str,
        Knob(
            "how it wants to be asked: cohere (also Jina, vLLM, llama.cpp), voyage, or tei (text-embeddings-inference)",
            choices=tuple(RerankStyle),
        ),
    ] = RerankStyle.COHERE
    logits: Annotated[bool, Knob("its scores are logits, as those of llama.cpp, and not values from 0 to 1")] = False
    candidates: Annotated[int, Knob("how many candidates it is sent at most", least=1, most=50)] = 20
    max_chars: Annotated[
        int, Knob("how much of the question and of each text it is sent at most", least=100, most=20_000)
    ] = 2000
    timeout_ms: Annotated[
        int, Knob("longest wait for it; after that the order stays as it was", least=100, most=10_000)
    ] = 2000
    weight: Annotated[float, Knob("what a candidate gains that it finds perfect", least=0.0, most=10.0)] = 1.0


class PackPolicy(Struct, frozen=True):
    """What goes into a ContextPack."""

    budget_tokens: Annotated[
        int, Knob("longest bundle when a request names no budget, in tokens", least=1, most=200_000)
    ] = 1200
    max_state_lines: Annotated[int, Knob("how many lines of state: memories, facts, relations", least=1, most=100)] = 15
    max_l2_items: Annotated[int, Knob("how many items may be told in full", least=0, most=50)] = 3
    max_detail_chars: Annotated[int, Knob("longest text that is told in full", least=100, most=20_000)] = 2_400
    nice_cap: Annotated[int, Knob("how many items that are only nice to have", least=0, most=100)] = 10
    state_share: Annotated[float, Knob("part of the budget for state while there is evidence", least=0.0, most=1.0)] = (
        0.6
    )
    tail_share: Annotated[float, Knob("part of the budget that the newest turns may take", least=0.0, most=1.0)] = 0.4
    tail_max_items: Annotated[int, Knob("how many of the newest turns are kept", least=0, most=50)] = 4
    min_relevance: Annotated[float, Knob("state less relevant than this stays out", least=0.0, most=1.0)] = 0.2
    min_evidence_relevance: Annotated[
        float,
        Knob(
            "where nothing that was said is about the question, less relevant turns than this stay out",
            least=0.0,
            most=1.0,
        ),
    ] = 0.02


class Policies(Struct, frozen=True):
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
    pack: PackPolicy = field(default_factory=PackPolicy)
    documents: DocumentsPolicy = field(default_factory=DocumentsPolicy)
    routing: RoutingPolicy = field(default_factory=RoutingPolicy)
    episodes: EpisodePolicy = field(default_factory=EpisodePolicy)
