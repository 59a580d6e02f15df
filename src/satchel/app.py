"""START HERE: Satchel, one memory on this machine, composed of its features.

Each feature is a property, loaded at its first use: `satchel.facts.current(…)`. The everyday verbs `store`, `recall`,
`forget`, `get`, `pack` and `turn` delegate to them. What a feature needs of another is handed in here.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, Self, TypeVar

from msgspec.structs import replace

from satchel.config import Settings, load
from satchel.core.operations import AllScopes, Param, Quarantined, RecordId, Scope, operation
from satchel.core.parts import Parts, without_receipts
from satchel.domain.answers import Forgotten, Found
from satchel.domain.envelope import Ok
from satchel.domain.observation import is_observation_id
from satchel.indexing.upkeep import Derived
from satchel.observations.values import Observed
from satchel.ports import Embedder
from satchel.recall.recaller import DocumentLane, Recaller
from satchel.wiring.adapters import new_id as random_id
from satchel.wiring.adapters import open_parts

if TYPE_CHECKING:
    from satchel.attention.service import Attention
    from satchel.conversations.service import Conversations
    from satchel.documents.service import Documents
    from satchel.episodes.service import Episodes
    from satchel.explaining.service import Explaining
    from satchel.facts.service import Facts
    from satchel.graph.service import Graph
    from satchel.maintenance.service import Maintenance
    from satchel.memories.service import Memories
    from satchel.memories.tags import Tags
    from satchel.memories.transfer import Transfer
    from satchel.observations.lifecycle import Lifecycle
    from satchel.observations.service import Observations
    from satchel.packing.service import Packing
    from satchel.routing.backends_service import Backends
    from satchel.routing.lanes import Lanes
    from satchel.routing.service import Routing
    from satchel.turns.service import Turns

P = ParamSpec("P")
R = TypeVar("R")


def _as_own(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate["Satchel", P], R]:
    """Give a delegating method the signature of the one it calls. For type checkers only."""
    return method


class Satchel:
    """A memory on this machine. Open it, use it, close it; `with` closes it for you."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        actor: str = "python",
        settings: Settings | None = None,
        pipes: bool = False,
        new_id: Callable[[], str] = random_id,
        embedder: Embedder | None = None,
    ) -> Self:
        """Open the store in a folder, creating it if there is none. With `pipes`, '-' names the standard streams.

        An `embedder` that is already loaded replaces the one that the settings name.
        """
        settings = settings or load(home=None if home is None else str(home))
        return cls(open_parts(settings, actor=actor, pipes=pipes, new_id=new_id, embedder=embedder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store's files."""
        self.parts.ledger.close()

    def acting_as(self, actor: str) -> "Satchel":
        """Return the same open store, with changes recorded under another actor."""
        return Satchel(replace(self.parts, actor=actor))

    # Everyday verbs

    if TYPE_CHECKING:
        store = _as_own(Memories.store)
        recall = _as_own(Memories.recall)
        pack = _as_own(Packing.pack)
    else:

        def store(self, *arguments: Any, **options: Any) -> Any:
            """Store a memory: see `Memories.store`."""
            return self.memories.store(*arguments, **options)

        def recall(self, *arguments: Any, **options: Any) -> Any:
            """Find the memories that answer a question: see `Memories.recall`."""
            return self.memories.recall(*arguments, **options)

        def pack(self, *arguments: Any, **options: Any) -> Any:
            """Make a small, cited bundle for a request: see `Packing.pack`."""
            return self.packing.pack(*arguments, **options)

    @property
    def turn(self) -> "Turns":
        """What a host calls around a turn: `turn.before(…)` and `turn.after(…)`."""
        return self.turns

    @operation("get", served=True)
    def get(
        self,
        id: RecordId,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        quarantined: Quarantined = True,
    ) -> Ok[Found | Observed]:
        """Show one memory or observation with its history."""
        feature = self.observations if is_observation_id(id) else self.memories
        return feature.get(id, scope=scope, all_scopes=all_scopes, quarantined=quarantined)

    @operation(
        "forget",
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        served=True,
        examples=('satchel forget --query "release day"', "satchel forget ID --verify"),
    )
    def forget(
        self,
        id: Annotated[str | None, Param("id of the memory or observation to erase", positional=True)] = None,
        *,
        query: Annotated[str | None, Param("list at most five candidates instead of erasing anything")] = None,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        # It finds the text in every scope, so an agent could ask by it what another scope holds.
        verify: Annotated[
            bool, Param("prove it: search every file of the store for the text, before and after", operator_only=True)
        ] = False,
        quarantined: Quarantined = True,
    ) -> Ok[Forgotten]:
        """Erase one memory or observation everywhere, by its id; a query only lists candidates.

        Erases the text from the ledger, its full-text index, vectors, history and search index, from spool, archive,
        dead letters, artifacts and log, with every observation of its scope that contains it, and leaves an empty
        tombstone. There is no undo.
        """
        if id is not None and query is None and is_observation_id(id):
            return self.observations.forget(id, scope=scope, all_scopes=all_scopes, verify=verify)
        return self.memories.forget(
            id, query=query, scope=scope, all_scopes=all_scopes, verify=verify, quarantined=quarantined
        )

    # Features

    @cached_property
    def memories(self) -> "Memories":
        """Store, recall, get, list, forget."""
        from satchel.memories.service import Memories

        return Memories(self.parts, self._recaller, lambda: self.observations)

    @cached_property
    def transfer(self) -> "Transfer":
        """Export and import of memories."""
        from satchel.memories.transfer import Transfer

        return Transfer(self.parts)

    @cached_property
    def tags(self) -> "Tags":
        """Named points in history, and restoring one."""
        from satchel.memories.tags import Tags

        return Tags(self.parts)

    @cached_property
    def observations(self) -> "Observations":
        """Captured events: capture, ingest, search, timeline, the observational log."""
        from satchel.observations.service import Observations

        return Observations(self.parts)

    @cached_property
    def lifecycle(self) -> "Lifecycle":
        """Grading, ageing, archiving and reviving records, and drift over time."""
        from satchel.observations.lifecycle import Lifecycle

        return Lifecycle(self.parts)

    @cached_property
    def turns(self) -> "Turns":
        """The hooks before and after a turn of an agent."""
        from satchel.turns.service import Turns

        return Turns(self.parts, self._recaller, self.store)

    @cached_property
    def episodes(self) -> "Episodes":
        """Turns of conversations, kept verbatim."""
        from satchel.episodes.service import Episodes

        return Episodes(self.parts)

    @cached_property
    def documents(self) -> "Documents":
        """Documents a person wrote, in searchable chunks."""
        from satchel.documents.service import Documents

        return Documents(self.parts)

    @cached_property
    def conversations(self) -> "Conversations":
        """Messages, lossless summaries, decisions and their reasons."""
        from satchel.conversations.service import Conversations

        return Conversations(self.parts)

    @cached_property
    def facts(self) -> "Facts":
        """Temporal facts about subjects, with their sources."""
        from satchel.facts.service import Facts

        return Facts(self.parts)

    @cached_property
    def graph(self) -> "Graph":
        """Entities and relations."""
        from satchel.graph.service import Graph

        return Graph(self.parts)

    @cached_property
    def packing(self) -> "Packing":
        """Small, cited bundles from every lane."""
        from satchel.packing.service import Packing, PackLanes

        lanes = PackLanes(
            facts=lambda text, **options: self._quiet.facts.search(text, **options).result.items,
            graph=lambda text, **options: self._quiet.graph.ask(text, **options).result.answers,
            conversations=lambda text, **options: self._quiet.conversations.search(text, **options).result.items,
            episodes=lambda text, **options: self._quiet.episodes.search(text, **options),
            documents=lambda text, **options: self._quiet.documents.search(text, **options).result.hits,
        )
        return Packing(self.parts, self._recaller, lanes)

    @cached_property
    def attention(self) -> "Attention":
        """Working-memory packets by role."""
        from satchel.attention.service import Attention

        return Attention(self.parts)

    @cached_property
    def routing(self) -> "Routing":
        """The dispatch router."""
        from satchel.routing.service import Routing

        return Routing(self.parts, self._router_lanes)

    @cached_property
    def backends(self) -> "Backends":
        """The backends that the dispatch router can send a question to."""
        from satchel.routing.backends_service import Backends

        return Backends(self.parts, self._router_lanes)

    @cached_property
    def explaining(self) -> "Explaining":
        """Why an answer was what it was, and why a record was not in it."""
        from satchel.explaining.service import Explaining

        return Explaining(self.parts, self._recaller)

    @cached_property
    def maintenance(self) -> "Maintenance":
        """Counts, health checks, the index, the receipts."""
        from satchel.maintenance.service import Maintenance

        return Maintenance(self.parts)

    # What features share

    @cached_property
    def _recaller(self) -> Recaller:
        parts = self.parts
        derived = Derived(parts.ledger, parts.index, parts.embedder, parts.clamp, parts.clock)
        return Recaller(derived, parts.policies, parts.reranker, self._document_lane)

    def _document_lane(self) -> DocumentLane:
        from satchel.documents.fallback import DocumentSearch

        return DocumentSearch(self.parts)

    @cached_property
    def _quiet(self) -> "Satchel":
        """The same store without receipts, for the lanes of a larger answer whose own receipt covers them."""
        return Satchel(without_receipts(self.parts))

    @cached_property
    def _router_lanes(self) -> "Lanes":
        from satchel.wiring.router_lanes import router_lanes

        return router_lanes(self._quiet)
