"""The graph: entities and relations, extracted by rules from files and memories, and followed to answer questions."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated

from satchel.core.audience import hides_people
from satchel.core.operations import AllScopes, Channel, LoweredTrust, Param, Scope, operation
from satchel.core.run import OperationRun
from satchel.core.service import Service
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.graph import ENTITY_TYPES, RelationType
from satchel.domain.imports import EntityItem, ImportTerms, RelationItem, Writer
from satchel.domain.inspection import is_inspected, order_warnings, orders_in
from satchel.domain.receipt import question_facts
from satchel.domain.record import SourceKind, Trust
from satchel.domain.scope import Reach
from satchel.domain.text import check_text
from satchel.domain.trust import grant_trust
from satchel.domain.view import View
from satchel.errors import InvalidRequest
from satchel.graph.browsing import MAX_RELATIONS, describe_entity, read_page, summarize
from satchel.graph.forget import forget_sources
from satchel.graph.statements import (
    STATABLE,
    parse_entity_type,
    parse_relation,
    stated_entity,
    stated_source,
    statement,
)
from satchel.graph.values import (
    EntityDetails,
    EntityList,
    Extracted,
    GraphAnswers,
    GraphExport,
    GraphForgotten,
    GraphSummary,
    Neighbor,
    Neighbors,
    PathFound,
    ProjectMatches,
    RelationAdded,
)
from satchel.ports.graph import SourceExtract

if TYPE_CHECKING:
    from satchel.graph.snapshots import GraphSnapshot

MAX_HOPS = 5
MAX_LIMIT = 1_000
MAX_QUESTION_CHARS = 100_000
FORMATS = ("markdown", "mermaid")
DIRECTIONS = ("out", "in", "both")

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
        from satchel.graph.extraction import SourceExtraction

        with self._run("graph extract", writes=True) as run:
            if (path is None) == (not memories):
                raise InvalidRequest(
                    "extract needs a folder or file, or --memories", code="missing_param", hint="give one of the two"
                )
            within = self._reach(scope)
            extraction = SourceExtraction(self._parts, run, within, again=again)
            if path is None:
                return run.committed(*extraction.memories())
            tier = grant_trust(SourceKind.OPERATOR, None if trust is None else Trust(trust))
            name = None if project is None else check_text(project, "the project", limit=200)
            return run.committed(*extraction.files(path, name, tier))

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
        from satchel.graph.extraction import reread_sources

        with self._run("graph rebuild", writes=True) as run:
            return run.committed(*reread_sources(self._parts, run, self._reach(scope)))

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
            words = (first.type, first.name, relation_type, second.type, second.name)
            source = stated_source(within.scopes[0], words, tier, self._clock.now())
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
        source: Annotated[
            str | None,
            Param("id or path of the source, id of the memory, or name of an imported file", positional=True),
        ] = None,
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
            return forget_sources(run, within, source, project, self._parts, verify=verify)

    # Reading

    @operation("graph status", operator_only=True, served=True, examples=("satchel graph status",))
    def status(self, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[GraphSummary]:
        """Count entities, relations and sources."""
        within = self._reach(scope, all_scopes)
        with self._run("graph status", {"scope": within.name}) as run:
            summary = summarize(self._snapshot(within).graph)
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
            page = read_page(graph, parse_entity_type(type), after, limit)
            return run.done(page, returned=len(page.entities))

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
            graph, number = snapshot.graph, snapshot.lookup.find_one(name, parse_entity_type(type))
            details = describe_entity(graph, number, _limit(limit))
            _describe_lookup(run, within, snapshot, [number])
            return run.done(details, relations=len(details.ties) + details.more)

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
            number = snapshot.lookup.find_one(name, parse_entity_type(type))
            wanted = [parse_relation(one) for one in relations]
            routes = snapshot.traversal.paths_around(
                number, direction=Direction(direction), relations=wanted, hops=_hops(hops)
            )
            paths = [snapshot.graph.path(number, one) for one in routes[: _limit(limit)]]
            neighbors = tuple(Neighbor(path.entities[-1], path) for path in paths)
            found = Neighbors(snapshot.graph.entity(number), neighbors, len(routes) - len(paths))
            _describe_lookup(run, within, snapshot, [number])
            return run.done(found, found=len(routes))

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
            graph, ends = snapshot.graph, [snapshot.lookup.find_one(name, None) for name in (start, goal)]
            route = snapshot.traversal.path_between(ends[:1], ends[1:], hops=_hops(hops), directed=directed)
            path = None if route is None else graph.path(*route)
            _describe_lookup(run, within, snapshot, ends)
            found = PathFound(graph.entity(ends[0]), graph.entity(ends[1]), path, hops)
            return run.done(found, hops=None if path is None else path.hops)

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
            return run.done(matches, projects=[one.project.id for one in found], named=len(named))

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
            return run.done(found)

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

        # The names are masked one by one: beside some of them, the id of a relation looks like a secret.
        with self._run("graph export", redact=False) as run:
            if format not in FORMATS:
                raise InvalidRequest(f"unknown format {format[:40]!r}", code="unknown_word", hint=", ".join(FORMATS))
            within = self._reach(scope, all_scopes)
            snapshot = self._snapshot(within, trusted)
            center = None if name is None else snapshot.lookup.find_one(name, None)
            exported = export_graph(snapshot.traversal, center, format, _hops(hops), _limit(limit))
            run.asked = {"scope": within.name, "format": format}
            return run.done(exported, entities=exported.entities, relations=exported.relations)

    def hidden_people(self, within: Reach) -> frozenset[str]:
        """Return the folded names of people that the reader of the present answer may not know."""
        if not hides_people(self._parts):
            return frozenset()
        return self._snapshot(within).known_people

    def _snapshot(self, within: Reach, trusted: bool = False) -> "GraphSnapshot":
        from satchel.graph.snapshots import current_snapshot

        now = self._clock.now()
        view = View(within, now, trusts=(Trust.TRUSTED,)) if trusted else View(within, now)
        snapshot = current_snapshot(self._ledger.graph, view)
        return snapshot.without_people if hides_people(self._parts) else snapshot


def _describe_lookup(run: OperationRun, within: Reach, snapshot: "GraphSnapshot", numbers: Sequence[int]) -> None:
    graph = snapshot.graph
    run.asked = {"scope": within.name, "entities": [graph.id(number) for number in numbers]}
    run.considered = {"entities": len(graph.nodes), "relations": len(graph.edges)}


def _hops(hops: int) -> int:
    return check_range(hops, "hops", 1, MAX_HOPS, "such as 2")


def _limit(limit: int) -> int:
    return check_range(limit, "limit", 1, MAX_LIMIT, "such as 20")
