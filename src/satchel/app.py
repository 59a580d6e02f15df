"""START HERE: Satchel, one memory on this machine, composed of its features.

Each feature is a property, loaded at its first use: `satchel.facts.current(…)`. The everyday verbs `store`, `recall`,
`forget`, `get`, `pack`, `review`, `confirm` and `turn` delegate to them. What a feature needs of another is handed in here.
"""

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from msgspec.structs import replace

from satchel.core.operations import AllScopes, Param, Quarantined, RecordId, Redact, Scope, operation
from satchel.core.references import record_id
from satchel.domain.arguments import one_of
from satchel.domain.attention import PACKET_PREFIX
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.observation import is_observation_id
from satchel.domain.record import SourceKind
from satchel.domain.scope import in_project
from satchel.memories.values import MemoryShown
from satchel.observations.values import Ingested, Observed

if TYPE_CHECKING:
    from satchel.attention.service import Attention
    from satchel.config import Settings
    from satchel.conversations.service import Conversations
    from satchel.core.parts import Parts
    from satchel.documents.service import Documents
    from satchel.domain.imports import ImportTargets
    from satchel.domain.observation import KeptObservation
    from satchel.episodes.service import Episodes
    from satchel.explaining.service import Explaining
    from satchel.facts.service import Facts
    from satchel.graph.service import Graph
    from satchel.importing.service import Importing
    from satchel.maintenance.backups import Backups
    from satchel.maintenance.scopes import Scopes
    from satchel.maintenance.service import Maintenance
    from satchel.memories.editing import Editing
    from satchel.memories.history import History
    from satchel.memories.reviews import Reviews
    from satchel.memories.service import Memories
    from satchel.memories.tags import Tags
    from satchel.memories.transfer import Transfer
    from satchel.observations.evidence_erasure import EvidenceErasure
    from satchel.observations.lifecycle import Lifecycle
    from satchel.observations.service import Observations
    from satchel.packing.lanes import PackLanes
    from satchel.packing.service import Packing
    from satchel.ports import Embedder
    from satchel.recall.recaller import DocumentLane, Recaller
    from satchel.recall.request import RecallQuestion
    from satchel.routing.backends_service import Backends
    from satchel.routing.lanes import Lanes
    from satchel.routing.service import Routing
    from satchel.turns.service import Turns
    from satchel.writeback.service import Writeback

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")


def _as_own(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate["Satchel", P], R]:
    """Give a delegating method the signature of the method it calls. For type checkers only."""
    return method


class _Feature(Generic[F]):
    """A feature of a store: its service is imported and made at the first use, so a command loads only its own."""

    def __init__(self, module: str, needs: "Callable[[Satchel], tuple[Any, ...]]" = lambda store: ()) -> None:
        """`needs` returns what the service is handed besides the store's parts."""
        self._module = module
        self._needs = needs

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, store: None, owner: type) -> Self: ...

    @overload
    def __get__(self, store: "Satchel", owner: type) -> F: ...

    def __get__(self, store: "Satchel | None", owner: type) -> Self | F:
        if store is None:
            return self
        service: F = getattr(import_module(self._module), self._name.capitalize())(store.parts, *self._needs(store))
        # From now on, this instance attribute shadows the descriptor.
        store.__dict__[self._name] = service
        return service


class Satchel:
    """A memory on this machine. Open it, use it, close it; `with` closes it for you."""

    def __init__(self, parts: "Parts") -> None:
        self.parts = parts

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        actor: str = "python",
        settings: "Settings | None" = None,
        pipes: bool = False,
        new_id: Callable[[], str] | None = None,
        embedder: "Embedder | None" = None,
        folder: str | Path | None = ".",
    ) -> Self:
        """Open the store in a folder, creating it if there is none. With `pipes`, '-' names the standard streams.

        An `embedder` that is already loaded replaces the one that the settings name. The scope `auto` is the project
        that `folder` belongs to; None means that there is none.
        """
        # Imported here: a command that a server performs loads this module, but opens no store.
        from satchel.config import load
        from satchel.wiring.adapters import open_parts, random_id

        settings = settings or load(home=None if home is None else str(home))
        place = None if folder is None else str(folder)
        return cls(
            open_parts(settings, actor=actor, pipes=pipes, new_id=new_id or random_id, embedder=embedder, folder=place)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store's files."""
        self.parts.ledger.close()

    def acting_as(self, actor: str, folder: str | None = None) -> "Satchel":
        """Return the same open store, with changes recorded under another actor, who works in another folder."""
        policies = self.parts.policies
        if folder is not None:
            policies = replace(policies, scope=in_project(policies.scope, self.parts.project_of(folder)))
        return Satchel(replace(self.parts, actor=actor, policies=policies))

    # Everyday verbs

    if TYPE_CHECKING:
        store = _as_own(Memories.store)
        recall = _as_own(Memories.recall)
        pack = _as_own(Packing.pack)
        review = _as_own(Reviews.review)
        confirm = _as_own(Reviews.confirm)
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

        def review(self, *arguments: Any, **options: Any) -> Any:
            """Look through what is not trusted: see `Reviews.review`."""
            return self.reviews.review(*arguments, **options)

        def confirm(self, *arguments: Any, **options: Any) -> Any:
            """Make records trusted: see `Reviews.confirm`."""
            return self.reviews.confirm(*arguments, **options)

    @property
    def turn(self) -> "Turns":
        """What a host calls around a turn: `turn.before(…)` and `turn.after(…)`."""
        return self.turns

    @operation("get", operator_only=True, served=True, examples=("satchel get ID",))
    def get(
        self,
        id: RecordId,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        redact: Redact = True,
        quarantined: Quarantined = True,
    ) -> Ok[MemoryShown | Observed]:
        """Show one memory or observation with its history."""
        meant = record_id(self.parts, id, scope=scope, all_scopes=all_scopes, quarantined=quarantined)
        feature = self.observations if is_observation_id(meant) else self.memories
        return feature.get(meant, scope=scope, all_scopes=all_scopes, redact=redact, quarantined=quarantined)

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
        id: Annotated[str | None, Param("id of the memory, observation or packet to erase", positional=True)] = None,
        *,
        query: Annotated[str | None, Param("list at most five candidates instead of erasing anything")] = None,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        # It finds the text in every scope, so an agent could ask by it what another scope holds.
        verify: Annotated[
            bool,
            Param(
                "search every file of the store for the text, before and after, to prove that it is gone",
                operator_only=True,
            ),
        ] = False,
        quarantined: Quarantined = True,
        source_kind: Annotated[
            str,
            Param(
                "erase only what this channel may: agents may not erase trusted records",
                choices=SourceKind,
                operator_only=True,
            ),
        ] = SourceKind.OPERATOR.value,
        reason: Annotated[str | None, Param("why; the receipt keeps it", choices=ForgetReason)] = None,
        with_versions: Annotated[
            bool, Param("erase also the memories that it replaced other than by 'edit'", operator_only=True)
        ] = False,
    ) -> Ok[Forgotten]:
        """Erase one memory, observation or packet everywhere, by its id; a query only lists candidates.

        The versions of a memory before each 'edit' are erased with it; other memories that it replaced are named, and
        erased with --with-versions. Erases the text from the ledger, its full-text index, vectors, history and search index, from spool, archive,
        dead letters, artifacts and log, with every observation of its scope that contains it and every packet that was
        made of it or repeats it, and leaves an empty tombstone. With the last memory of a scope go all its packets. There
        is no undo.
        """
        channel = one_of(SourceKind, source_kind, "source kind")
        why = None if reason is None else one_of(ForgetReason, reason, "reason")
        if id is not None and query is None:
            if id.startswith(f"{PACKET_PREFIX}_"):
                return self.attention.forget(id, scope=scope, all_scopes=all_scopes, verify=verify, reason=why)
            id = record_id(self.parts, id, scope=scope, all_scopes=all_scopes, quarantined=quarantined)
            if is_observation_id(id):
                return self.observations.forget(
                    id,
                    scope=scope,
                    all_scopes=all_scopes,
                    verify=verify,
                    quarantined=quarantined,
                    channel=channel,
                    reason=why,
                )
        return self.memories.forget(
            id,
            query=query,
            scope=scope,
            all_scopes=all_scopes,
            verify=verify,
            quarantined=quarantined,
            channel=channel,
            reason=why,
            with_versions=with_versions,
        )

    # Features

    memories: "_Feature[Memories]" = _Feature(
        "satchel.memories.service", lambda store: (store._recaller, store._evidence_erasure)
    )
    """Store, recall, get, list, forget."""
    transfer: "_Feature[Transfer]" = _Feature("satchel.memories.transfer", lambda store: (store.facts.rebuild,))
    """Export of memories, and import of an export."""
    importing: "_Feature[Importing]" = _Feature(
        "satchel.importing.service",
        lambda store: (store._import_targets, store.transfer.import_),
    )
    """Import of files and databases of other programs."""
    editing: "_Feature[Editing]" = _Feature("satchel.memories.editing", lambda store: (store.store,))
    """Replacing a memory by a changed one."""
    reviews: "_Feature[Reviews]" = _Feature("satchel.memories.reviews")
    """Review of untrusted records, and confirming them."""
    tags: "_Feature[Tags]" = _Feature("satchel.memories.tags")
    """Named points in history, and restoring one."""
    history: "_Feature[History]" = _Feature("satchel.memories.history")
    """The list of changes, and undo."""
    observations: "_Feature[Observations]" = _Feature("satchel.observations.service")
    """Captured events: capture, ingest, search, timeline, the observational log."""
    lifecycle: "_Feature[Lifecycle]" = _Feature("satchel.observations.lifecycle")
    """Grading, ageing, archiving and reviving records, and drift over time."""
    turns: "_Feature[Turns]" = _Feature(
        "satchel.turns.service", lambda store: (store._recaller, store.store, store._kept_observations)
    )
    """The hooks before and after a turn of an agent."""
    episodes: "_Feature[Episodes]" = _Feature("satchel.episodes.service")
    """Turns of conversations, kept verbatim."""
    documents: "_Feature[Documents]" = _Feature("satchel.documents.service")
    """Documents a person wrote, in searchable chunks."""
    conversations: "_Feature[Conversations]" = _Feature("satchel.conversations.service")
    """Messages, lossless summaries, decisions and their reasons."""
    facts: "_Feature[Facts]" = _Feature(
        "satchel.facts.service", lambda store: (lambda within: store.graph.hidden_people(within),)
    )
    """Temporal facts about subjects, with their sources."""
    graph: "_Feature[Graph]" = _Feature("satchel.graph.service")
    """Entities and relations."""
    packing: "_Feature[Packing]" = _Feature(
        "satchel.packing.service", lambda store: (store._recaller, store._pack_lanes())
    )
    """Small, cited bundles from every lane."""
    attention: "_Feature[Attention]" = _Feature("satchel.attention.service", lambda store: (store._recaller,))
    """Working-memory packets by role."""
    routing: "_Feature[Routing]" = _Feature("satchel.routing.service", lambda store: (store._router_lanes,))
    """The dispatch router."""
    backends: "_Feature[Backends]" = _Feature("satchel.routing.backends_service", lambda store: (store._router_lanes,))
    """The backends that the dispatch router can send a question to."""
    writeback: "_Feature[Writeback]" = _Feature("satchel.writeback.service")
    """Grades, scopes and trust, written into a table of another program."""
    explaining: "_Feature[Explaining]" = _Feature("satchel.explaining.service", lambda store: (store._recaller,))
    """Why an answer was what it was, and why a record was not in it."""
    scopes: "_Feature[Scopes]" = _Feature(
        "satchel.maintenance.scopes", lambda store: (store._ingest, store._evidence_erasure)
    )
    """What each scope contains, and erasing one."""
    backups: "_Feature[Backups]" = _Feature("satchel.maintenance.backups")
    """Copies of the store in one file."""
    maintenance: "_Feature[Maintenance]" = _Feature("satchel.maintenance.service")
    """Counts, health checks, the index, the receipts."""

    # What features share

    @cached_property
    def _recaller(self) -> "Recaller":
        from satchel.indexing.memory_index import IndexedStore
        from satchel.recall.recaller import Recaller

        parts = self.parts
        derived = IndexedStore(parts.ledger, parts.index, parts.embedder, parts.clamp, parts.clock)
        return Recaller(derived, parts.policies, parts.reranker, self._document_lane)

    def _document_lane(self) -> "DocumentLane":
        from satchel.documents.search import DocumentSearch

        return DocumentSearch(self.parts)

    def _import_targets(self) -> "ImportTargets":
        from satchel.domain.imports import ImportTargets
        from satchel.memories.item_edges import ItemEdges
        from satchel.memories.revision import ItemRevision

        return ImportTargets(
            memories=self.transfer.item_writer,
            edges=lambda terms: ItemEdges(self.parts, terms).take,
            turns=lambda terms: self.episodes.item_writer(terms),
            documents=lambda terms: self.documents.item_writer(terms),
            graph=lambda terms: self.graph.item_writer(terms),
            revision=lambda terms: ItemRevision(self.parts, terms),
        )

    def _ingest(self, **options: Any) -> "Ok[Ingested]":
        return self.observations.ingest(**options)

    def _evidence_erasure(self) -> "EvidenceErasure":
        from satchel.observations.evidence_erasure import EvidenceErasure

        return EvidenceErasure(self.parts)

    def _pack_lanes(self) -> "PackLanes":
        from satchel.packing.lanes import PackLanes

        return PackLanes(
            facts=lambda text, **options: self._quiet.facts.search(text, **options).result.items,
            graph=lambda text, **options: self._quiet.graph.ask(text, **options).result.answers,
            conversations=lambda text, **options: self._quiet.conversations.search(text, **options).result.items,
            episodes=lambda text, **options: self._quiet.episodes.search(text, **options),
            documents=lambda text, **options: self._quiet.documents.search(text, **options).result.hits,
            observations=self._kept_observations,
        )

    def _kept_observations(self, question: "RecallQuestion", **options: Any) -> "list[KeptObservation]":
        from satchel.observations.kept import KeptObservations

        return KeptObservations(self.parts).find(question, **options)

    @cached_property
    def _quiet(self) -> "Satchel":
        """The same store without receipts, for the lanes of a larger answer whose own receipt covers them."""
        from satchel.core.parts import without_receipts

        return Satchel(without_receipts(self.parts))

    @cached_property
    def _router_lanes(self) -> "Lanes":
        from satchel.wiring.router_lanes import router_lanes

        return router_lanes(self._quiet)
