"""Store edges between memories that were read from another program's file."""

from collections.abc import Mapping, Sequence

from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.arguments import one_of
from satchel.domain.edges import DEFAULT_WEIGHT, EdgeType, MemoryEdge
from satchel.domain.imports import EdgeItem, ImportTerms, Taken
from satchel.domain.record import Memory, MemoryId, SourceKind, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from satchel.errors import InvalidRequest, NotFound
from satchel.memories.known_rows import id_elsewhere


class ItemEdges(Service):
    """Stores edges between memories of the same source; a file cannot link memories that came in another way."""

    def __init__(self, parts: Parts, terms: ImportTerms) -> None:
        super().__init__(parts)
        self._terms = terms
        self._scope = terms.scope or self._policies.scope.default_scope

    def take(self, items: Sequence[EdgeItem]) -> Taken:
        """Store a batch."""
        refused, edges = list[tuple[int, str]](), dict[str, MemoryEdge]()
        with self._ledger.memories.transaction():
            ends = self._memories([key for one in items for key in (one.source, one.target)])
            for place, item in enumerate(items):
                try:
                    edge = self._edge(item, ends)
                except (InvalidRequest, NotFound) as error:
                    refused.append((place, error.code))
                else:
                    edges[edge.id] = edge
            new = [one for one in edges.values() if not self._is_known(one)]
            if new:
                self._save(new)
        return Taken(new=len(new), known=len(items) - len(refused) - len(new), refused=tuple(refused))

    def _save(self, edges: Sequence[MemoryEdge]) -> None:
        self._terms.before_write()
        self._ledger.edges.put(edges)
        asked = {"source": self._terms.source, "scope": self._terms.scope}
        self._ledger.memories.commit([], self._run("import edges", asked).receipt(edges=len(edges)))

    def _edge(self, item: EdgeItem, ends: Mapping[str, Memory]) -> MemoryEdge:
        if item.source == item.target:
            raise InvalidRequest("a memory cannot have an edge to itself", code="self_edge")
        source, target = ends.get(item.source), ends.get(item.target)
        if source is None or target is None:
            raise NotFound("the edge has no memory at one end", code="missing_memory")
        if source.trust is Trust.TRUSTED and not self._terms.trusted:
            # An edge counts as much as the memory that it leads from.
            raise InvalidRequest("a file gives a trusted memory no edges", code="trusted_memory")
        weight = DEFAULT_WEIGHT if item.weight is None else item.weight
        type = one_of(EdgeType, item.type, "edge type")
        return MemoryEdge(source.id, target.id, type, weight, self._clock.now() if item.at is None else item.at)

    def _is_known(self, edge: MemoryEdge) -> bool:
        return any(one.id == edge.id for one in self._ledger.edges.of(edge.source))

    def _memories(self, keys: Sequence[str]) -> dict[str, Memory]:
        """Return the memories that imports of this source made, by their keys in it."""
        own = {key: self._terms.id_of(key) for key in keys}
        # A memory whose id was taken in another scope got another one.
        others = {key: id_elsewhere(id, self._scope) for key, id in own.items()}
        view = admin_view(EVERYWHERE, self._clock.now())
        found = self._ledger.memories.fetch([*own.values(), *others.values()], view)
        here = {id: one for id, one in found.items() if self._is_of_source(one)}
        ids: dict[str, MemoryId | None] = {
            key: next((id for id in (own[key], others[key]) if id in here), None) for key in own
        }
        return {key: here[id] for key, id in ids.items() if id is not None}

    def _is_of_source(self, memory: Memory) -> bool:
        from_here = (memory.source_ref or "").startswith(f"{self._terms.source}: ")
        return memory.source_kind is SourceKind.IMPORT and from_here
