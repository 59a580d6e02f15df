"""The graph: entities and relations, extracted by rules from files and memories, and followed to answer questions."""

import builtins
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

from satchel.core.erasure import ErasedRecords, compare_searches, sample_fragments, survives_elsewhere
from satchel.core.operations import AllScopes, Channel, LoweredTrust, Param, Scope, operation
from satchel.core.run import OperationRun
from satchel.core.service import Service, page_size
from satchel.domain.arguments import check_range, count_values
from satchel.domain.canonical import Json, digest
from satchel.domain.envelope import Ok
from satchel.domain.graph import ENTITY_TYPES, EntityType, GraphSource, GraphSourceType, RelationType, stable_id
from satchel.domain.imports import EntityItem, ImportTerms, RelationItem, Writer
from satchel.domain.inspection import is_inspected, order_warnings, orders_in
from satchel.domain.people import AGENTS, hide_people
from satchel.domain.receipt import question_facts
from satchel.domain.record import SourceKind, Trust
from satchel.domain.scope import Reach
from satchel.domain.text import check_text, replace_undecodable
from satchel.domain.trust import grant_trust
from satchel.domain.view import View
from satchel.errors import InvalidRequest, NotFound, SatchelError
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
from satchel.ports.graph import SourceExtract

if TYPE_CHECKING:
    from satchel.graph.extraction import SourceExtraction
    from satchel.graph.resolved_graph import ResolvedGraph
    from satchel.graph.snapshots import GraphSnapshot

MAX_RELATIONS = 50
MAX_HOPS = 5
MAX_LIMIT = 1_000
MAX_QUESTION_CHARS = 100_000
SOURCES_SHOWN = 50
FORMATS = ("markdown", "mermaid")
DIRECTIONS = ("out", "in", "both")

Result = TypeVar("Result")

_Limit = Annotated[int, Param("how many to return")]
_Trusted = Annotated[bool, Param("use trusted sources only")]
_Name = Annotated[str, Param("name, path or id of the entity", positional=True)]
_Type = Annotated[str | None, Param("type of entity, if several have the name", choices=ENTITY_TYPES)]
_Hops = Annotated[int, Param(f"how many steps to go, 1 to {MAX_HOPS}")]


class Graph(Service):
    """Extracts entities and relations, and answers questions about them."""

    # Extracting

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
        path: Annotated[str | None, Param("folder or file to read", positional=True, metavar="PATH")] = None,
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
        with self._run("graph extract", writes=True) as run:
            if (path is None) == (not memories):
                raise InvalidRequest(
                    "extract needs a folder or file, or --memories", code="missing_param", hint="give one of the two"
                )
            within = self._reach(scope)
            extraction = self._extraction(run, within, path, again=again)
            if path is None:
                return run.committed(*extraction.memories())
            tier = grant_trust(SourceKind.OPERATOR, None if trust is None else Trust(trust))
            name = None if project is None else check_text(project, "the project", limit=200)
            return run.committed(*extraction.files(path, name, tier))

    def _extraction(self, run: OperationRun, within: Reach, path: str | None, *, again: bool) -> "SourceExtraction":
        from satchel.graph.extraction import SourceExtraction

        read: dict[str, Json] = {} if path is None else {"path_digest": digest(replace_undecodable(path))}
        run.asked = {"scope": within.name, "again": again, **read}
        return SourceExtraction(self._parts, run, within, again=again)

    @operation(
        "graph rebuild",
        writes=True,
        idempotent=True,
        operator_only=True,
        terminal_only=True,
        long=True,
        examples=("satchel graph rebuild --scope project/shop",),
    )
    def rebuild(self, *, scope: Scope = None) -> Ok[Extracted]:
        """Read every source of a scope again.

        Ids stay the same. Sources that no longer exist are dropped; relations added by hand stay.
        """
        with self._run("graph rebuild", writes=True) as run:
            within = self._reach(scope)
            result, receipt = self._extraction(run, within, None, again=True).memories()
            results = [result]
            sources = self._ledger.graph.sources(within, GraphSourceType.FILE)
            for root, space, trust in sorted({(one.root, one.space, one.trust) for one in sources}):
                extraction = self._extraction(run, within, root, again=True)
                try:
                    result, receipt = extraction.files(root, space, trust)
                except NotFound:
                    result, receipt = extraction.remove(space, [one.id for one in sources if one.root == root])
                results.append(result)
            return run.committed(_sum(results), receipt)

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
            str, Param(f"relation of the first to the second: {', '.join(RelationType)}", positional=True)
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
        with self._run("graph add", writes=True) as run:
            within = self._reach(scope)
            relation_type = parse_relation(relation)
            first = stated_entity(tail, tail_type, "the first name")
            second = stated_entity(head, head_type, "the second name")
            extract = statement(first, relation_type, second)
            tier = grant_trust(SourceKind(source_kind), None if trust is None else Trust(trust))
            if is_inspected(SourceKind(source_kind)) and (orders := orders_in((first.name, second.name))):
                tier = Trust.QUARANTINED
                run.warn(*order_warnings(1, orders))
            name = stable_id("rel", first.type, first.name, relation_type, second.type, second.name, tier)
            source = GraphSource(
                within.scopes[0],
                GraphSourceType.ADDED,
                name,
                trust=tier,
                content_hash=digest(name),
                at=self._clock.now(),
            )
            run.asked = {"scope": within.name, "relation": relation_type, "source_kind": source_kind}
            receipt = run.receipt(source=source.id, trust=tier)
            self._ledger.graph.replace([SourceExtract(source, extract)], [], receipt)
            return run.committed(RelationAdded(source.id, first.name, relation_type, second.name, tier), receipt)

    def item_writer(self, terms: ImportTerms) -> Writer[EntityItem | RelationItem]:
        """Return what stores entities and relations that were read from another program's file."""
        from satchel.graph.items import StatementWriter

        writer = StatementWriter(self._parts)
        return lambda items: writer.take(items, terms)

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
        project: Annotated[str | None, Param("erase what every file of this project says instead")] = None,
        scope: Scope = None,
        verify: Annotated[bool, Param("search every file of the store to prove that it is gone")] = False,
    ) -> Ok[GraphForgotten]:
        """Erase what a source says.

        What other sources say as well stays. A file or memory that still exists can be extracted again.
        """
        with self._run("graph forget", writes=True) as run:
            within = self._reach(scope)
            if (source is None) == (project is None):
                raise InvalidRequest(
                    "forget needs a source or a project", code="missing_param", hint="give one of the two"
                )
            ids = [
                one.id
                for one in self._ledger.graph.sources(within)
                if (source in (one.id, one.ref) if project is None else one.space == project)
            ]
            if not ids:
                raise NotFound(f"no such source in {within}", hint="satchel graph status lists them")
            mentions, relations = self._ledger.graph.count(ids)
            needles = self._needles(ids) if verify else []
            before = self._parts.files.search(needles) if verify else None
            run.asked = {"scope": within.name, "verify": verify}
            receipt = run.receipt(sources=ids, sightings=mentions, claims=relations)
            self._ledger.graph.replace([], ids, receipt)
            clean = self._ledger.memories.scrub()
            check = (
                None if before is None else compare_searches(len(needles), before, self._parts.files.search(needles))
            )
            return run.committed(GraphForgotten(tuple(ids), mentions, relations, clean, check), receipt)

    def _needles(self, ids: Sequence[str]) -> builtins.list[bytes]:
        """Return pieces of the names that no other record holds."""
        names = "\n".join(self._ledger.graph.names(ids))
        is_elsewhere = survives_elsewhere(self._ledger, ErasedRecords(source=ids[0]))
        return [piece.encode() for piece in sample_fragments(names) if not is_elsewhere(piece)]

    # Reading

    @operation("graph status", operator_only=True, served=True, examples=("satchel graph status",))
    def status(self, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[GraphSummary]:
        """Count entities, relations and sources."""
        within = self._reach(scope, all_scopes)
        with self._run("graph status", {"scope": within.name}) as run:
            graph = self._snapshot(within).graph
            sources = sorted(graph.sources.values(), key=lambda one: (one.scope, one.type, one.root, one.ref))
            summary = GraphSummary(
                len(graph.nodes),
                len(graph.edges),
                count_values(node.type for node in graph.nodes),
                count_values(edge.relation for edge in graph.edges),
                tuple(_source_row(one) for one in sources[:SOURCES_SHOWN]),
                max(0, len(sources) - SOURCES_SHOWN),
            )
            return run.done(summary, entities=summary.entities, relations=summary.relations)

    @operation("graph list", served=True, examples=("satchel graph list --type Project",))
    def list(
        self,
        *,
        type: Annotated[str | None, Param("only entities of this type", choices=ENTITY_TYPES)] = None,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: _Limit = 50,
        after: Annotated[str | None, Param("continue after the previous page: its 'next'")] = None,
    ) -> Ok[EntityList]:
        """List entities by type and name."""
        within = self._reach(scope, all_scopes)
        asked: dict[str, Json] = {"scope": within.name, "type": type, "limit": limit, "after": after}
        with self._run("graph list", asked) as run:
            graph = self._snapshot(within).graph
            wanted = parse_entity_type(type)
            numbers = [number for number, node in enumerate(graph.nodes) if wanted is None or node.type is wanted]
            start = 0
            if after is not None:
                if after not in graph.ids:
                    raise InvalidRequest(f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use 'next'")
                start = bisect_right(numbers, graph.ids[after])
            page = numbers[start : start + page_size(limit)]
            has_more = start + len(page) < len(numbers)
            following = graph.id(page[-1]) if page and has_more else None
            entities = tuple(graph.entity(number) for number in page)
            found = self._shown(EntityList(entities, len(numbers), following), graph)
            return run.done(found, returned=len(page))

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
        within = self._reach(scope, all_scopes)
        with self._run("graph show") as run:
            snapshot = self._snapshot(within)
            graph, number = snapshot.graph, self._find(snapshot, name, parse_entity_type(type))
            edges = [*graph.outgoing.get(number, ()), *graph.incoming.get(number, ())]
            evidence = [one for _, one in graph.names[number]]
            details = EntityDetails(
                graph.entity(number),
                tuple(sorted({name for name, _ in graph.names[number]}))[:MAX_RELATIONS],
                graph.trust(evidence),
                graph.citations(evidence)[:MAX_RELATIONS],
                tuple(graph.relation(edge) for edge in edges[: _limit(limit)]),
                max(0, len(edges) - limit),
            )
            _describe_lookup(run, within, snapshot, [number])
            return run.done(self._shown(details, graph), relations=len(edges))

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

        within = self._reach(scope, all_scopes)
        with self._run("graph neighbors") as run:
            snapshot = self._snapshot(within, trusted)
            number = self._find(snapshot, name, parse_entity_type(type))
            wanted = [parse_relation(one) for one in relations]
            routes = snapshot.traversal.paths_around(
                number, direction=Direction(direction), relations=wanted, hops=_hops(hops)
            )
            paths = [snapshot.graph.path(number, one) for one in routes[: _limit(limit)]]
            neighbors = tuple(Neighbor(path.entities[-1], path) for path in paths)
            found = Neighbors(snapshot.graph.entity(number), neighbors, len(routes) - len(paths))
            _describe_lookup(run, within, snapshot, [number])
            return run.done(self._shown(found, snapshot.graph), found=len(routes))

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
        within = self._reach(scope, all_scopes)
        with self._run("graph path") as run:
            snapshot = self._snapshot(within, trusted)
            graph, ends = snapshot.graph, [self._find(snapshot, name, None) for name in (start, goal)]
            route = snapshot.traversal.path_between(ends[:1], ends[1:], hops=_hops(hops), directed=directed)
            path = None if route is None else graph.path(*route)
            _describe_lookup(run, within, snapshot, ends)
            found = PathFound(graph.entity(ends[0]), graph.entity(ends[1]), path, hops)
            return run.done(self._shown(found, graph), hops=None if path is None else path.hops)

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

        within = self._reach(scope, all_scopes)
        with self._run("graph match") as run:
            snapshot = self._snapshot(within, trusted)
            text = check_text(idea, "the idea", limit=MAX_QUESTION_CHARS)
            named, found = match_projects(text, snapshot.traversal, snapshot.lookup, _limit(limit), _hops(hops))
            run.asked = {**question_facts(idea), "scope": within.name}
            matches = ProjectMatches(tuple(snapshot.graph.entity(one) for one in named), tuple(found))
            shown = self._shown(matches, snapshot.graph)
            return run.done(shown, projects=[one.project.id for one in found], named=len(named))

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

        within = self._reach(scope, all_scopes)
        with self._run("graph ask") as run:
            snapshot = self._snapshot(within, trusted)
            text = check_text(query, "the question", limit=MAX_QUESTION_CHARS)
            found = answer_question(text, snapshot.traversal, snapshot.lookup, _limit(limit))
            run.asked = {**question_facts(query), "scope": within.name, "limit": limit}
            run.decided = {
                "intent": found.intent,
                "named": [one.id for one in found.named],
                "returned": len(found.answers),
                "relevance": found.relevance,
            }
            return run.done(self._shown(found, snapshot.graph))

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

        with self._run("graph export") as run:
            if format not in FORMATS:
                raise InvalidRequest(f"unknown format {format[:40]!r}", code="unknown_word", hint=", ".join(FORMATS))
            within = self._reach(scope, all_scopes)
            snapshot = self._snapshot(within, trusted)
            center = None if name is None else self._find(snapshot, name, None)
            exported = export_graph(snapshot.traversal, center, format, _hops(hops), _limit(limit))
            run.asked = {"scope": within.name, "format": format}
            shown = self._shown(exported, snapshot.graph)
            return run.done(shown, entities=exported.entities, relations=exported.relations)

    def _find(self, snapshot: "GraphSnapshot", name: str, type: EntityType | None) -> int:
        """Return the entity that a name means. An error that suggests others hides people like a result."""
        try:
            return snapshot.lookup.find_one(name, type)
        except SatchelError as error:
            error.message, error.hint = self._shown((error.message, error.hint), snapshot.graph)
            error.args = (error.message,)
            raise

    def _shown(self, result: Result, graph: "ResolvedGraph") -> Result:
        """Return a result as the actor may see it: an agent sees no names of people, unless the operator allows it."""
        if self._policies.agents.show_people or self._parts.actor not in AGENTS:
            return result
        return hide_people(result, graph.people)

    def _snapshot(self, within: Reach, trusted: bool = False) -> "GraphSnapshot":
        from satchel.graph.snapshots import current_snapshot

        now = self._clock.now()
        view = View(within, now, trusts=(Trust.TRUSTED,)) if trusted else View(within, now)
        return current_snapshot(self._ledger.graph, view)


def _describe_lookup(run: OperationRun, within: Reach, snapshot: "GraphSnapshot", numbers: Sequence[int]) -> None:
    graph = snapshot.graph
    run.asked = {"scope": within.name, "entities": [graph.id(number) for number in numbers]}
    run.considered = {"entities": len(graph.nodes), "relations": len(graph.edges)}


def _sum(results: Sequence[Extracted]) -> Extracted:
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
    return check_range(hops, "hops", 1, MAX_HOPS, "such as 2")


def _limit(limit: int) -> int:
    return check_range(limit, "limit", 1, MAX_LIMIT, "such as 20")


def _source_row(one: GraphSource) -> GraphSourceRow:
    return GraphSourceRow(one.id, one.type, one.ref, one.root, one.space, one.scope, one.trust, one.at)
