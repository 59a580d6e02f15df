"""The graph: entities and relations, read from files and memories by rule, and walked to answer questions."""

import builtins
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated
from weakref import WeakKeyDictionary

from satchel.core.erasure import ErasedRecords, compare, fragments, survives_elsewhere
from satchel.core.operations import AllScopes, Channel, LoweredTrust, Param, Scope, operation
from satchel.core.service import Service, page_size
from satchel.domain.amount import amount, counted
from satchel.domain.canonical import Json, digest
from satchel.domain.envelope import Ok
from satchel.domain.graph import ENTITY_TYPES, GraphSource, GraphSourceType, RelationType, stable_id
from satchel.domain.receipt import Receipt, question_facts
from satchel.domain.record import SourceKind, Trust
from satchel.domain.scope import Reach
from satchel.domain.text import checked
from satchel.domain.trust import granted
from satchel.domain.view import View
from satchel.errors import InvalidRequest, NotFound
from satchel.graph.statements import STATABLE, parse_entity_type, parse_relation, stated_entity, statement
from satchel.graph.values import (
    EntityDetails,
    EntityList,
    Extracted,
    GraphAnswers,
    GraphExport,
    GraphForgotten,
    GraphSourceRow,
    GraphSummary,
    Neighbor,
    Neighbors,
    PathFound,
    ProjectMatches,
    RelationAdded,
)
from satchel.ports.graph import GraphStore, SourceExtract

if TYPE_CHECKING:
    from satchel.graph.extraction import SourceExtraction
    from satchel.graph.lookup import GraphSnapshot

MAX_RELATIONS = 50
MAX_HOPS = 5
MAX_LIMIT = 1_000
SOURCES_SHOWN = 50
FORMATS = ("markdown", "mermaid")
DIRECTIONS = ("out", "in", "both")

# Resolving the graph takes longer than searching it, so the snapshots of the last views are cached. Only a few: one of
# 100,000 relations takes 200 MB.
_MAX_SNAPSHOTS = 2
_SNAPSHOTS: "WeakKeyDictionary[GraphStore, dict[tuple[Reach, tuple[Trust, ...]], GraphSnapshot]]" = WeakKeyDictionary()


_Limit = Annotated[int, Param("how many to return")]
_Trusted = Annotated[bool, Param("use trusted sources only")]
_Name = Annotated[str, Param("name, path or id of the entity", positional=True)]
_Type = Annotated[str | None, Param("type of entity, if several have the name", choices=ENTITY_TYPES)]
_Hops = Annotated[int, Param(f"how many steps to go, 1 to {MAX_HOPS}")]


class Graph(Service):
    """Operations on entities and relations."""

    # Reading sources

    @operation(
        "graph extract",
        writes=True,
        idempotent=True,
        operator_only=True,
        terminal_only=True,
        long=True,
        examples=("satchel graph extract .", "satchel graph extract --memories --scope project/shop"),
    )
    def extract(
        self,
        path: Annotated[str | None, Param("folder or file to read", positional=True)] = None,
        *,
        memories: Annotated[bool, Param("read the memories of the scope instead")] = False,
        project: Annotated[str | None, Param("name of the folder's project; the folder's name if omitted")] = None,
        scope: Scope = None,
        trust: LoweredTrust = None,
        again: Annotated[bool, Param("also read unchanged files")] = False,
    ) -> Ok[Extracted]:
        """Extract entities and relations from a folder, or from the memories of a scope.

        Code is read by its syntax; Markdown, text and manifests by their structure and their sentences. Files that
        version control ignores are skipped. Nothing is executed, and no model is used.
        """
        self._require_writable()
        if (path is None) == (not memories):
            raise InvalidRequest(
                "extract needs a folder or file, or --memories", code="missing_param", hint="give one of the two"
            )
        started = self._clock.ticks()
        within = self._reach(scope)
        extraction = self._extraction(
            "graph extract", within, again, started, {} if path is None else {"path_digest": digest(path)}
        )
        if path is None:
            return Ok(extraction.memories(), self._kept(extraction.receipts[-1], started))
        tier = granted(SourceKind.OPERATOR, None if trust is None else Trust(trust))
        found = extraction.files(path, None if project is None else checked(project, "the project", limit=200), tier)
        return Ok(found, self._kept(extraction.receipts[-1], started))

    def _extraction(
        self, operation: str, within: Reach, again: bool, started: float, asked: dict[str, Json]
    ) -> "SourceExtraction":
        from satchel.graph.extraction import SourceExtraction

        wanted: dict[str, Json] = {"scope": within.name, "again": again, **asked}
        return SourceExtraction(
            self._parts,
            within,
            again=again,
            receipt=lambda decided: self._receipt(operation, started, asked=wanted, decided=decided),
        )

    @operation("graph rebuild", writes=True, idempotent=True, operator_only=True, terminal_only=True, long=True)
    def rebuild(self, *, scope: Scope = None) -> Ok[Extracted]:
        """Read every source of a scope again.

        Ids stay the same. Sources that no longer exist are dropped; relations added by hand stay.
        """
        self._require_writable()
        started = self._clock.ticks()
        within = self._reach(scope)
        first = self._extraction("graph rebuild", within, True, started, {})
        results, last = [first.memories()], first
        sources = self._ledger.graph.sources(within, GraphSourceType.FILE)
        for root, space, trust in sorted({(one.root, one.space, one.trust) for one in sources}):
            last = self._extraction("graph rebuild", within, True, started, {"path_digest": digest(root)})
            try:
                results.append(last.files(root, space, trust))
            except NotFound:
                results.append(last.remove(space, [one.id for one in sources if one.root == root]))
        return Ok(_together(results), self._kept(last.receipts[-1], started))

    # Adding and forgetting

    @operation(
        "graph add",
        writes=True,
        idempotent=True,
        examples=("satchel graph add Checkout DEPENDS_ON Ledger --tail-type Project",),
    )
    def add(
        self,
        tail: Annotated[str, Param("name of the first entity", positional=True)],
        relation: Annotated[
            str, Param(f"what it has to do with the other: {', '.join(RelationType)}", positional=True)
        ],
        head: Annotated[str, Param("name of the second entity", positional=True)],
        *,
        tail_type: Annotated[
            str | None, Param("type of the first; any known entity of that name if omitted", choices=STATABLE)
        ] = None,
        head_type: Annotated[
            str | None, Param("type of the second; any known entity of that name if omitted", choices=STATABLE)
        ] = None,
        scope: Scope = None,
        source_kind: Channel = SourceKind.OPERATOR,
        trust: LoweredTrust = None,
    ) -> Ok[RelationAdded]:
        """Add a relation by hand."""
        self._require_writable()
        started = self._clock.ticks()
        within = self._reach(scope)
        joins = parse_relation(relation)
        ends = (stated_entity(tail, tail_type, "the first name"), stated_entity(head, head_type, "the second name"))
        extract = statement(ends[0], joins, ends[1])
        tier = granted(SourceKind(source_kind), None if trust is None else Trust(trust))
        name = stable_id("rel", ends[0].type, ends[0].name, joins, ends[1].type, ends[1].name, tier)
        source = GraphSource(
            within.scopes[0], GraphSourceType.ADDED, name, trust=tier, content_hash=digest(name), at=self._clock.now()
        )
        receipt = self._receipt(
            "graph add",
            started,
            asked={"scope": within.name, "relation": joins, "source_kind": source_kind},
            decided={"source": source.id, "trust": tier},
        )
        self._ledger.graph.replace([SourceExtract(source, extract)], [], receipt)
        added = RelationAdded(source.id, ends[0].name, joins, ends[1].name, tier)
        return Ok(added, self._kept(receipt, started))

    @operation(
        "graph forget",
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        examples=("satchel graph forget --project shop",),
    )
    def forget(
        self,
        source: Annotated[str | None, Param("id or path of the source, or id of the memory", positional=True)] = None,
        *,
        project: Annotated[str | None, Param("every file of this project instead")] = None,
        scope: Scope = None,
        verify: Annotated[bool, Param("search every file of the store to prove that it is gone")] = False,
    ) -> Ok[GraphForgotten]:
        """Erase what a source says.

        What other sources say as well stays. A file or memory that still exists can be extracted again.
        """
        self._require_writable()
        started = self._clock.ticks()
        within = self._reach(scope)
        if (source is None) == (project is None):
            raise InvalidRequest("forget needs a source or a project", code="missing_param", hint="give one of the two")
        doomed = [
            one
            for one in self._ledger.graph.sources(within)
            if (source in (one.id, one.ref) if project is None else one.space == project)
        ]
        if not doomed:
            raise NotFound(f"no such source in {within}", hint="satchel graph status lists them")
        ids = [one.id for one in doomed]
        counts = self._ledger.graph.count(ids)
        needles = self._needles(ids) if verify else []
        before = self._parts.files.search(needles) if verify else None
        receipt = self._receipt(
            "graph forget",
            started,
            asked={"scope": within.name, "verify": verify},
            decided={"sources": ids, "sightings": counts[0], "claims": counts[1]},
        )
        self._ledger.graph.replace([], ids, receipt)
        clean = self._ledger.memories.scrub()
        check = None if before is None else compare(len(needles), before, self._parts.files.search(needles))
        return Ok(GraphForgotten(tuple(ids), *counts, clean, check), self._kept(receipt, started))

    def _needles(self, ids: Sequence[str]) -> builtins.list[bytes]:
        """Return pieces of the names that no other record holds."""
        names = "\n".join(self._ledger.graph.names(ids))
        is_elsewhere = survives_elsewhere(self._ledger, ErasedRecords(source=ids[0]))
        return [piece.encode() for piece in fragments(names) if not is_elsewhere(piece)]

    # Looking

    @operation("graph status", operator_only=True, served=True)
    def status(self, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[GraphSummary]:
        """Count entities, relations and sources."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        graph = self._snapshot(within).graph
        sources = sorted(graph.sources.values(), key=lambda one: (one.scope, one.type, one.root, one.ref))
        summary = GraphSummary(
            len(graph.nodes),
            len(graph.edges),
            counted(node.type for node in graph.nodes),
            counted(edge.relation for edge in graph.edges),
            tuple(_source(one) for one in sources[:SOURCES_SHOWN]),
            max(0, len(sources) - SOURCES_SHOWN),
        )
        decided: dict[str, Json] = {"entities": summary.entities, "relations": summary.relations}
        return Ok(summary, self._receipt("graph status", started, asked={"scope": within.name}, decided=decided))

    @operation("graph list", served=True)
    def list(
        self,
        *,
        type: Annotated[str | None, Param("only entities of this type", choices=ENTITY_TYPES)] = None,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: _Limit = 50,
        after: Annotated[str | None, Param("continue after this page: its 'next'")] = None,
    ) -> Ok[EntityList]:
        """List entities by type and name."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        graph = self._snapshot(within).graph
        wanted = parse_entity_type(type)
        numbers = [number for number, node in enumerate(graph.nodes) if wanted is None or node.type is wanted]
        start = 0
        if after is not None:
            if after not in graph.ids:
                raise InvalidRequest(f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use 'next'")
            start = next((place for place, one in enumerate(numbers) if one > graph.ids[after]), len(numbers))
        page = numbers[start : start + page_size(limit)]
        more = start + len(page) < len(numbers)
        listed = EntityList(
            tuple(graph.entity(one) for one in page), len(numbers), graph.id(page[-1]) if page and more else None
        )
        asked: dict[str, Json] = {"scope": within.name, "type": type, "limit": limit, "after": after}
        return Ok(listed, self._receipt("graph list", started, asked=asked, decided={"returned": len(page)}))

    @operation("graph show", served=True, examples=("satchel graph show SessionStore",))
    def show(
        self,
        name: _Name,
        *,
        type: _Type = None,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: _Limit = MAX_RELATIONS,
    ) -> Ok[EntityDetails]:
        """Show an entity: where it is mentioned, and its relations."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        snapshot = self._snapshot(within)
        graph, number = snapshot.graph, snapshot.lookup.find_one(name, parse_entity_type(type))
        edges = [*graph.outgoing.get(number, ()), *graph.incoming.get(number, ())]
        seen = [evidence for _, evidence in graph.names[number]]
        result = EntityDetails(
            graph.entity(number),
            tuple(sorted({name for name, _ in graph.names[number]}))[:MAX_RELATIONS],
            graph.trust(seen),
            graph.citations(seen)[:MAX_RELATIONS],
            tuple(graph.relation(edge) for edge in edges[: _limit(limit)]),
            max(0, len(edges) - limit),
        )
        return Ok(result, self._looked("graph show", started, within, [number], snapshot, {"relations": len(edges)}))

    @operation(
        "graph neighbors", served=True, examples=("satchel graph neighbors SessionStore --direction in --hops 2",)
    )
    def neighbors(
        self,
        name: _Name,
        *,
        type: _Type = None,
        relations: Annotated[
            Collection[str], Param("follow only this relation", flag="relation", choices=RelationType)
        ] = (),
        direction: Annotated[str, Param("direction in which relations are followed", choices=DIRECTIONS)] = "both",
        hops: _Hops = 1,
        limit: _Limit = 20,
        trusted: _Trusted = False,
        scope: Scope = None,
        all_scopes: AllScopes = False,
    ) -> Ok[Neighbors]:
        """Show the entities connected with an entity, nearest first."""
        from satchel.graph.traversal import Direction

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        snapshot = self._snapshot(within, trusted)
        number = snapshot.lookup.find_one(name, parse_entity_type(type))
        kinds = [parse_relation(one) for one in relations]
        ways = snapshot.traversal.paths_around(
            number, direction=Direction(direction), relations=kinds, hops=_hops(hops)
        )
        paths = [snapshot.graph.path(number, way) for way in ways[: _limit(limit)]]
        found = Neighbors(
            snapshot.graph.entity(number),
            tuple(Neighbor(path.entities[-1], path) for path in paths),
            len(ways) - len(paths),
        )
        return Ok(found, self._looked("graph neighbors", started, within, [number], snapshot, {"found": len(ways)}))

    @operation("graph path", served=True, examples=("satchel graph path AuthMiddleware SessionStore",))
    def path(
        self,
        start: Annotated[str, Param("name, path or id of the first entity", positional=True)],
        goal: Annotated[str, Param("name, path or id of the second entity", positional=True)],
        *,
        hops: _Hops = MAX_HOPS,
        directed: Annotated[
            bool, Param("follow relations only in their direction, from the first to the second")
        ] = False,
        trusted: _Trusted = False,
        scope: Scope = None,
        all_scopes: AllScopes = False,
    ) -> Ok[PathFound]:
        """Show how two entities are connected, step by step."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        snapshot = self._snapshot(within, trusted)
        ends = [snapshot.lookup.find_one(name, None) for name in (start, goal)]
        way = snapshot.traversal.path_between(ends[:1], ends[1:], hops=_hops(hops), directed=directed)
        path = None if way is None else snapshot.graph.path(*way)
        found = PathFound(snapshot.graph.entity(ends[0]), snapshot.graph.entity(ends[1]), path, hops)
        facts: dict[str, Json] = {"hops": None if path is None else path.hops}
        return Ok(found, self._looked("graph path", started, within, ends, snapshot, facts))

    @operation("graph match", served=True, examples=('satchel graph match "cache sessions in Redis"',))
    def match(
        self,
        idea: Annotated[str, Param("the idea, in a few sentences", positional=True, stdin=True)],
        *,
        hops: _Hops = 3,
        limit: _Limit = 5,
        trusted: _Trusted = False,
        scope: Scope = None,
        all_scopes: AllScopes = False,
    ) -> Ok[ProjectMatches]:
        """Find the projects related to an idea, and say why."""
        from satchel.graph.answers import match_projects

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        snapshot = self._snapshot(within, trusted)
        named, found = match_projects(
            checked(idea, "the idea", limit=100_000), snapshot.traversal, snapshot.lookup, _limit(limit), _hops(hops)
        )
        result = ProjectMatches(tuple(snapshot.graph.entity(one) for one in named), tuple(found))
        asked = {**question_facts(idea), "scope": within.name}
        decided: dict[str, Json] = {"projects": [one.project.id for one in found], "named": len(named)}
        return Ok(result, self._receipt("graph match", started, asked=asked, decided=decided))

    @operation(
        "graph ask",
        served=True,
        examples=('satchel graph ask "what depends on SessionStore"', 'satchel graph ask "谁调用 parse_token"'),
    )
    def ask(
        self,
        query: Annotated[str, Param("the question, in English or Chinese", positional=True, stdin=True)],
        *,
        limit: _Limit = 10,
        trusted: _Trusted = False,
        scope: Scope = None,
        all_scopes: AllScopes = False,
    ) -> Ok[GraphAnswers]:
        """Answer a question about entities: what depends on what, how two are connected, who decided.

        A question that names no known entity is not answered.
        """
        from satchel.graph.answers import answer_question

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        snapshot = self._snapshot(within, trusted)
        asked = answer_question(
            checked(query, "the question", limit=100_000), snapshot.traversal, snapshot.lookup, _limit(limit)
        )
        facts: dict[str, Json] = {
            "intent": asked.intent,
            "named": [one.id for one in asked.named],
            "returned": len(asked.answers),
            "relevance": asked.relevance,
        }
        wanted = {**question_facts(query), "scope": within.name, "limit": limit}
        return Ok(asked, self._receipt("graph ask", started, asked=wanted, decided=facts))

    search = ask

    @operation("graph export", served=True, examples=("satchel graph export SessionStore --format mermaid",))
    def export(
        self,
        name: Annotated[
            str | None, Param("name, path or id of the central entity; everything if omitted", positional=True)
        ] = None,
        *,
        format: Annotated[str, Param("format of the export", choices=FORMATS)] = "markdown",
        hops: _Hops = 2,
        limit: Annotated[int, Param("maximum number of relations")] = 100,
        trusted: _Trusted = False,
        scope: Scope = None,
        all_scopes: AllScopes = False,
    ) -> Ok[GraphExport]:
        """Export a part of the graph as Markdown or Mermaid."""
        from satchel.graph.export import export_graph

        started = self._clock.ticks()
        if format not in FORMATS:
            raise InvalidRequest(f"unknown format {format[:40]!r}", code="unknown_word", hint=", ".join(FORMATS))
        within = self._reach(scope, all_scopes)
        snapshot = self._snapshot(within, trusted)
        middle = None if name is None else snapshot.lookup.find_one(name, None)
        result = export_graph(snapshot.traversal, middle, format, _hops(hops), _limit(limit))
        decided: dict[str, Json] = {"entities": result.entities, "relations": result.relations}
        return Ok(
            result,
            self._receipt("graph export", started, asked={"scope": within.name, "format": format}, decided=decided),
        )

    # How the operations above get at things

    def _snapshot(self, within: Reach, trusted: bool = False) -> "GraphSnapshot":
        """Return the web of a view: the one that is kept, if nothing that it rests on has changed."""
        from satchel.graph.lookup import GraphSnapshot

        now = self._clock.now()
        view = View(within, now, trusts=(Trust.TRUSTED,)) if trusted else View(within, now)
        kept = _SNAPSHOTS.setdefault(self._ledger.graph, {})
        snapshot = kept.get((within, view.trusts))
        if snapshot is None or not self._ledger.graph.is_current(snapshot.graph.edition, now):
            snapshot = GraphSnapshot(self._ledger.graph.contents(view))
            kept.pop((within, view.trusts), None)
            kept[within, view.trusts] = snapshot
            while len(kept) > _MAX_SNAPSHOTS:
                kept.pop(next(iter(kept)))
        return snapshot

    def _looked(
        self,
        operation: str,
        started: float,
        within: Reach,
        numbers: Sequence[int],
        snapshot: "GraphSnapshot",
        facts: dict[str, Json],
    ) -> Receipt:
        asked: dict[str, Json] = {"scope": within.name, "entities": [snapshot.graph.id(one) for one in numbers]}
        considered: dict[str, Json] = {"entities": len(snapshot.graph.nodes), "relations": len(snapshot.graph.edges)}
        return self._receipt(operation, started, asked=asked, considered=considered, decided=facts)


def _together(results: Sequence[Extracted]) -> Extracted:
    """Add up what several readings came to."""
    return Extracted(
        project="",
        read=sum(one.read for one in results),
        unchanged=sum(one.unchanged for one in results),
        removed=sum(one.removed for one in results),
        entities=sum(one.entities for one in results),
        relations=sum(one.relations for one in results),
        skipped=sum(one.skipped for one in results),
        left_out=tuple(skipped for one in results for skipped in one.left_out),
    )


def _hops(hops: int) -> int:
    return amount(hops, "hops", 1, MAX_HOPS, "such as 2")


def _limit(limit: int) -> int:
    return amount(limit, "limit", 1, MAX_LIMIT, "such as 20")


def _source(one: GraphSource) -> GraphSourceRow:
    return GraphSourceRow(one.id, one.type, one.ref, one.root, one.space, one.scope, one.trust, one.at)
