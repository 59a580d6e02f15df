"""All settings of Satchel, in groups. A new group is one more field of `Settings`."""

from pathlib import Path
from typing import Annotated

from msgspec import Struct, field

from satchel.config import scopes
from satchel.config.answers import Value
from satchel.config.catalogue import SettingEntry, catalogue
from satchel.config.values import check_value, folder, platform_folder
from satchel.domain.embedding import DEFAULT_PROVIDER, PROVIDERS, Clamp
from satchel.domain.policies import (
    AgentsPolicy,
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
from satchel.domain.setting import Setting
from satchel.locations import DATABASE_SCHEMES, LEDGER


class EmbeddingSettings(Struct, frozen=True):
    """The embedder that computes vectors."""

    provider: Annotated[
        str,
        Setting(
            f"{', '.join(PROVIDERS[:-1])} or {PROVIDERS[-1]}; empty means the one the store already uses, "
            f"else {DEFAULT_PROVIDER}",
            choices=("", *PROVIDERS),
            variable="EMBEDDER",
        ),
    ] = ""
    move: Annotated[
        str,
        Setting(
            "how a store with vectors of an earlier default model gets those of the present one: background means by a "
            "running server, manual only by 'satchel index rebuild'",
            choices=("background", "manual"),
        ),
    ] = "background"
    url: Annotated[str, Setting("base URL of an OpenAI-compatible endpoint")] = "http://127.0.0.1:11434/v1"
    model: Annotated[str, Setting("model name sent to that endpoint")] = "all-minilm"
    api_key: Annotated[str, Setting("API key of that endpoint, sent as a bearer token", secret=True)] = ""
    dimensions: Annotated[
        int, Setting("vector length to request from that endpoint; 0 means its default", 0, 16384)
    ] = 0
    timeout_ms: Annotated[int, Setting("timeout of that endpoint, in milliseconds", 100, 120_000)] = 10_000
    max_chars: Annotated[int, Setting("maximum characters to embed; longer texts lose their middle", 200, 200_000)] = (
        6_000
    )
    head_chars: Annotated[int, Setting("characters kept from the beginning of a longer text", 0, 20_000)] = 500
    max_bytes: Annotated[int, Setting("maximum UTF-8 bytes to embed", 500, 200_000, off=0)] = 0


class ServeSettings(Struct, frozen=True):
    """The server: when one that a hook started ends, and how much its users may ask for."""

    on_demand: Annotated[bool, Setting("let hooks start a server in the background, for the next turns")] = False
    idle_minutes: Annotated[
        float, Setting("minutes without a request after which a server that a hook started ends", 0.01, 10_080.0)
    ] = 30.0
    requests_per_minute: Annotated[
        int,
        Setting(
            "requests that a user, or a program with a token of its own, may send in a minute", 1, 1_000_000, off=0
        ),
    ] = 600
    records_per_day: Annotated[
        int,
        Setting("memories, turns and other records that each may store within a day", 1, 1_000_000_000, off=0),
    ] = 20_000


class ReplicaSettings(Struct, frozen=True):
    """Copies of a store in PostgreSQL that answer recalls."""

    addresses: Annotated[
        tuple[str, ...],
        Setting(
            "servers that replicate the database of the store, such as postgresql://user@host/database; recalls are spread over them",
            max_items=16,
            variable="REPLICAS",
        ),
    ] = ()
    max_lag_seconds: Annotated[
        float, Setting("how far a replica may be behind to answer; else the primary server does", 0.1, 3_600.0)
    ] = 5.0


class RemoteSettings(Struct, frozen=True):
    """A server on another machine, which performs commands instead of this one."""

    url: Annotated[
        str, Setting("address of the server, such as https://memory.example.com; empty means none", variable="URL")
    ] = ""
    token: Annotated[str, Setting("token of a user of that server", secret=True, variable="TOKEN")] = ""
    ca_file: Annotated[
        str,
        Setting(
            "file of certificates, in PEM, that vouch for that server; empty means those of the system",
            variable="CA_FILE",
        ),
    ] = ""


class Settings(Struct, frozen=True):
    """All settings. Each can also be set in the environment or in the settings file."""

    home: Annotated[str, Setting("folder of the store; empty means the platform's data folder for satchel")] = ""
    ledger: Annotated[
        str,
        Setting(
            "ledger file, or a database as postgresql://user@host/database?schema=name; "
            "empty means ledger.sqlite3 in the store's folder",
            alias="store",
        ),
    ] = ""
    index: Annotated[
        str,
        Setting(
            "bucket for the search index of a large store, as s3://bucket/folder, with keys from the AWS variables; "
            "empty means 'index' in the store's folder"
        ),
    ] = ""
    models: Annotated[
        str, Setting("folder of embedding models; empty means 'models' in the platform's data folder for satchel")
    ] = ""
    read_only: Annotated[bool, Setting("refuse every write to the store")] = False
    scope_policy: ScopePolicy = field(default_factory=ScopePolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    store: StorePolicy = field(default_factory=StorePolicy)
    agents: AgentsPolicy = field(default_factory=AgentsPolicy)
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
    serve: ServeSettings = field(default_factory=ServeSettings)
    remote: RemoteSettings = field(default_factory=RemoteSettings)
    replicas: ReplicaSettings = field(default_factory=ReplicaSettings)

    def __post_init__(self) -> None:
        for entry in catalogue(Settings).entries:
            check_value(entry, value_of(self, entry), "given")
        for name in scopes.SCOPE_SETTINGS:
            if error := scopes.scopes_problem(self.scope_policy, name):
                raise scopes.invalid_scope(name, error, "given")

    @property
    def policies(self) -> Policies:
        """The settings that the engine uses."""
        return Policies(
            scope=self.scope_policy,
            recall=self.recall,
            store=self.store,
            agents=self.agents,
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
        """The folder of the store."""
        return folder(self.home) if self.home else platform_folder()

    @property
    def ledger_file(self) -> Path:
        """The ledger file."""
        return folder(self.ledger) if self.has_own_file else self.home_folder / LEDGER

    @property
    def address(self) -> str:
        """The address of the database that holds the store; empty if a file does."""
        return self.ledger if self.ledger.startswith(DATABASE_SCHEMES) else ""

    @property
    def has_own_file(self) -> bool:
        """Whether the ledger is a file among other people's, which owns only the files that carry its name."""
        return bool(self.ledger) and not self.address

    @property
    def evidence_folder(self) -> Path:
        """The folder of captured events: the store's folder, or NAME-evidence beside a ledger set by `ledger`."""
        ledger = self.ledger_file.resolve()
        return ledger.parent / f"{ledger.name}-evidence" if self.has_own_file else ledger.parent

    @property
    def router_folder(self) -> Path:
        """The folder of the dispatch router's backends and log."""
        return folder(self.routing.state or "~/.openclaw/state")

    @property
    def router_rules(self) -> Path:
        """The file of custom routing rules."""
        return folder(self.routing.rules) if self.routing.rules else self.router_folder / "router-config.json"

    @property
    def models_folder(self) -> Path:
        """The folder of embedding models, shared by all stores: models are large and never change."""
        return folder(self.models) if self.models else platform_folder() / "models"

    @property
    def clamp(self) -> Clamp:
        """How much of a long text is embedded."""
        return Clamp(self.embedding.max_chars, self.embedding.head_chars, self.embedding.max_bytes)


def value_of(settings: Settings, entry: SettingEntry) -> Value:
    """Return the value of one setting."""
    group = getattr(settings, entry.group) if entry.group else settings
    value: Value = getattr(group, entry.name)
    return value
