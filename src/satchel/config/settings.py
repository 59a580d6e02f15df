"""How a Satchel is set up: groups of knobs. A new group is one more field here."""

from pathlib import Path
from typing import Annotated

from msgspec import Struct, field

from satchel.config import scopes
from satchel.config.answers import Value
from satchel.config.catalogue import Setting, catalogue
from satchel.config.folders import folder, platform_folder
from satchel.config.values import taken
from satchel.domain.embedding import Clamp
from satchel.domain.policies import (
    AutoCapturePolicy,
    AutoRecallPolicy,
    BudgetPolicy,
    PackPolicy,
    Policies,
    PreflightPolicy,
    RecallPolicy,
    ReceiptPolicy,
    RerankPolicy,
    ScopePolicy,
    StorePolicy,
    WorkingSetPolicy,
)
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.domain.policies.episodes import EpisodePolicy
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.domain.policies.routing import RoutingPolicy
from satchel.domain.setting import Knob
from satchel.locations import LEDGER


class EmbeddingSettings(Struct, frozen=True):
    """What makes the vectors."""

    provider: Annotated[
        str,
        Knob(
            "minilm, openai, hashing or none; empty means what the store remembers, else minilm",
            choices=("", "minilm", "openai", "hashing", "none"),
            variable="EMBEDDER",
        ),
    ] = ""
    url: Annotated[str, Knob("base address of an OpenAI-compatible endpoint")] = "http://127.0.0.1:11434/v1"
    model: Annotated[str, Knob("model name sent to that endpoint")] = "all-minilm"
    api_key: Annotated[str, Knob("key sent to that endpoint as a bearer token", secret=True)] = ""
    dimensions: Annotated[
        int, Knob("vector length asked of that endpoint; 0 takes what it gives", least=0, most=16384)
    ] = 0
    timeout_ms: Annotated[int, Knob("longest wait for that endpoint", least=100, most=120_000)] = 10_000
    max_chars: Annotated[
        int, Knob("longest text that is embedded; longer ones lose their middle", least=200, most=200_000)
    ] = 6_000
    head_chars: Annotated[int, Knob("how much of a long text's beginning is kept", least=0, most=20_000)] = 500
    max_bytes: Annotated[
        int, Knob("longest text that is embedded, in bytes of UTF-8", least=500, most=200_000, off=0)
    ] = 0


class Settings(Struct, frozen=True):
    """How this Satchel is set up. Each knob can be set by environment, by file, or here."""

    home: Annotated[str, Knob("folder of the store; empty means the platform's data folder for satchel")] = ""
    ledger: Annotated[str, Knob("file of the store's ledger; empty means ledger.sqlite3 in its folder")] = ""
    models: Annotated[
        str, Knob("folder of embedding models; empty means 'models' in the platform's data folder for satchel")
    ] = ""
    read_only: Annotated[bool, Knob("refuse every write to the store")] = False
    scope_policy: ScopePolicy = field(default_factory=ScopePolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    store: StorePolicy = field(default_factory=StorePolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    receipts: ReceiptPolicy = field(default_factory=ReceiptPolicy)
    rerank: RerankPolicy = field(default_factory=RerankPolicy)
    auto_recall: AutoRecallPolicy = field(default_factory=AutoRecallPolicy)
    auto_capture: AutoCapturePolicy = field(default_factory=AutoCapturePolicy)
    working_set: WorkingSetPolicy = field(default_factory=WorkingSetPolicy)
    weiji_memory_preflight: PreflightPolicy = field(default_factory=PreflightPolicy)
    attention: AttentionPolicy = field(default_factory=AttentionPolicy)
    lifecycle: LifecyclePolicy = field(default_factory=LifecyclePolicy)
    pack: PackPolicy = field(default_factory=PackPolicy)
    docs_cold_lane: DocumentsPolicy = field(default_factory=DocumentsPolicy)
    routing: RoutingPolicy = field(default_factory=RoutingPolicy)
    episodes: EpisodePolicy = field(default_factory=EpisodePolicy)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)

    def __post_init__(self) -> None:
        for setting in catalogue(Settings).settings:
            taken(setting, value_of(self, setting), "given")
        for name in scopes.NAMING:
            if error := scopes.unfit_scope(self.scope_policy, name):
                raise scopes.refusal(name, error, "given")

    @property
    def policies(self) -> Policies:
        """The policies that the engine follows."""
        return Policies(
            scope=self.scope_policy,
            recall=self.recall,
            store=self.store,
            budget=self.budget,
            receipts=self.receipts,
            rerank=self.rerank,
            auto_recall=self.auto_recall,
            auto_capture=self.auto_capture,
            working_set=self.working_set,
            preflight=self.weiji_memory_preflight,
            attention=self.attention,
            lifecycle=self.lifecycle,
            pack=self.pack,
            documents=self.docs_cold_lane,
            routing=self.routing,
            episodes=self.episodes,
        )

    @property
    def home_folder(self) -> Path:
        """Where the store lives."""
        return folder(self.home) if self.home else platform_folder()

    @property
    def ledger_file(self) -> Path:
        """Where the store's truth is."""
        return folder(self.ledger) if self.ledger else self.home_folder / LEDGER

    @property
    def evidence_folder(self) -> Path:
        """Where captured events are kept: in the store's folder; beside a ledger of another name, under that name."""
        ledger = self.ledger_file.resolve()
        return ledger.parent / f"{ledger.name}-evidence" if self.ledger else ledger.parent

    @property
    def router_folder(self) -> Path:
        """Where the dispatch router finds its backends and keeps its log."""
        return folder(self.routing.state or "~/.openclaw/state")

    @property
    def router_rules(self) -> Path:
        """Where the dispatch router finds rules of its operator's own."""
        return folder(self.routing.rules) if self.routing.rules else self.router_folder / "router-config.json"

    @property
    def models_folder(self) -> Path:
        """Where embedding models live: shared by every store, since they are large and never change."""
        return folder(self.models) if self.models else platform_folder() / "models"

    @property
    def clamp(self) -> Clamp:
        """How much of a long text is embedded."""
        return Clamp(self.embedding.max_chars, self.embedding.head_chars, self.embedding.max_bytes)


def value_of(settings: Settings, setting: Setting) -> Value:
    """Return the value that a setting has."""
    holder = getattr(settings, setting.group) if setting.group else settings
    value: Value = getattr(holder, setting.name)
    return value
