"""The graph: entities and relations, read from files and memories by rule, and walked to answer questions."""

import builtins
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from satchel.core.erasure import ErasedRecords, compare, fragments, survives_elsewhere
from satchel.core.service import Service, page_size
from satchel.domain.amount import amount, counted
from satchel.domain.canonical import Json, digest
from satchel.domain.envelope import Ok
from satchel.domain.graph import Source, SourceType, named_id
from satchel.domain.graph_answers import (
    Asked,
    EntityList,
    Extracted,
    GraphExport,
    GraphForgotten,
    GraphSource,
    GraphSummary,
    Matched,
    Neighbor,
    Neighbors,
    PathFound,
    RelationAdded,
    Shown,
)
from satchel.domain.receipt import Receipt, question_facts
from satchel.domain.record import SourceKind, Trust
from satchel.domain.scope import Reach
from satchel.domain.text import checked
from satchel.domain.trust import granted
from satchel.domain.view import View
from satchel.errors import InvalidRequest, NotFound
from satchel.graph.statements import end as end_of
from satchel.graph.statements import entity_type, statement
from satchel.graph.statements import relation as relation_of
from satchel.ports.graph import Graph as GraphPort
from satchel.ports.graph import Read

if TYPE_CHECKING:
    from satchel.graph.intake import Intake
    from satchel.graph.loaded import Loaded

MAX_TIES = 50
MAX_HOPS = 5
MAX_LIMIT = 1_000
SOURCES_SHOWN = 50
FORMATS = ("markdown", "mermaid")
DIRECTIONS = ("out", "in", "both")

# Putting a web together takes longer than walking it: those of the views that were asked for last are kept. Not many,
# since one of 100,000 relations takes two hundred megabytes.
_KEPT_WEBS = 2
_LOADED: "WeakKeyDictionary[GraphPort, dict[tuple[Reach, tuple[Trust, ...]], Loaded]]" = WeakKeyDictionary()


class Graph(Service):
    """Operations on entities and relations."""

    # Reading sources

    def extract(
        self,
        path: str | None = None,
        *,
        memories: bool = False,
        project: str | None = None,
        scope: str | None = None,
        trust: str | None = None,
        again: bool = False,
    ) -> Ok[Extracted]:
        """Read the files of a folder, or the memories of a scope; what has not changed is left as it is."""
        self._require_writable()
        if (path is None) == (not memories):
            raise InvalidRequest(
                "extract needs a folder or file, or --memories", code="missing_param", hint="give one of the two"
            )
        started = self._clock.ticks()
        within = self._reach(scope)
        intake = self._intake(
            "graph extract", within, again, started, {} if path is None else {"path_digest": digest(path)}
        )
        if path is None:
            return Ok(intake.memories(), self._kept(intake.receipts[-1], started))
        tier = granted(SourceKind.OPERATOR, None if trust is None else Trust(trust))
        found = intake.files(path, None if project is None else checked(project, "the project", limit=200), tier)
        return Ok(found, self._kept(intake.receipts[-1], started))

    def _intake(self, operation: str, within: Reach, again: bool, started: float, asked: dict[str, Json]) -> "Intake":
        from satchel.graph.intake import Intake

        wanted: dict[str, Json] = {"scope": within.name, "again": again, **asked}
        return Intake(
            self._parts,
            within,
            again=again,
            receipt=lambda decided: self._receipt(operation, started, asked=wanted, decided=decided),
        )

    def rebuild(self, *, scope: str | None = None) -> Ok[Extracted]:
        """Read every source of a scope anew, and drop those that are no longer there. Ids stay the same."""
        self._require_writable()
        started = self._clock.ticks()
        within = self._reach(scope)
        first = self._intake("graph rebuild", within, True, started, {})
        results, last = [first.memories()], first
        sources = self._ledger.graph.sources(within, SourceType.FILE)
        for root, space, trust in sorted({(one.root, one.space, one.trust) for one in sources}):
            last = self._intake("graph rebuild", within, True, started, {"path_digest": digest(root)})
            try:
                results.append(last.files(root, space, trust))
            except NotFound:
                results.append(last.nothing(space, [one.id for one in sources if one.root == root]))
        return Ok(_together(results), self._kept(last.receipts[-1], started))

    # Adding and forgetting

    def add(
        self,
        tail: str,
        relation: str,
        head: str,
        *,
        tail_type: str | None = None,
        head_type: str | None = None,
        scope: str | None = None,
        source_kind: str = SourceKind.OPERATOR,
        trust: str | None = None,
    ) -> Ok[RelationAdded]:
        """State a relation. It stands until it is forgotten."""
        self._require_writable()
        started = self._clock.ticks()
        within = self._reach(scope)
        joins = relation_of(relation)
        ends = (end_of(tail, tail_type, "the first name"), end_of(head, head_type, "the second name"))
        extract = statement(ends[0], joins, ends[1])
        tier = granted(SourceKind(source_kind), None if trust is None else Trust(trust))
        name = named_id("rel", ends[0].type, ends[0].name, joins, ends[1].type, ends[1].name, tier)
        source = Source(
            within.scopes[0], SourceType.ADDED, name, trust=tier, content_hash=digest(name), at=self._clock.now()
        )
        receipt = self._receipt(
            "graph add",
            started,
            asked={"scope": within.name, "relation": joins, "source_kind": source_kind},
            decided={"source": source.id, "trust": tier},
        )
        self._ledger.graph.replace([Read(source, extract)], [], receipt)
        added = RelationAdded(source.id, ends[0].name, joins, ends[1].name, tier)
        return Ok(added, self._kept(receipt, started))

    def forget(
        self,
        source: str | None = None,
        *,
        project: str | None = None,
        scope: str | None = None,
        verify: bool = False,
    ) -> Ok[GraphForgotten]:
        """Erase what rests on a source, by its id or path, or on all files of a project."""
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
        counts = self._ledger.graph.measure(ids)
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

    def status(self, *, scope: str | None = None, all_scopes: bool = False) -> Ok[GraphSummary]:
        """Say how much is known, and from which sources."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        web = self._loaded(within).web
        sources = sorted(web.sources.values(), key=lambda one: (one.scope, one.type, one.root, one.ref))
        summary = GraphSummary(
            len(web.nodes),
            len(web.edges),
            counted(node.type for node in web.nodes),
            counted(edge.relation for edge in web.edges),
            tuple(_source(one) for one in sources[:SOURCES_SHOWN]),
            max(0, len(sources) - SOURCES_SHOWN),
        )
        decided: dict[str, Json] = {"entities": summary.entities, "relations": summary.relations}
        return Ok(summary, self._receipt("graph status", started, asked={"scope": within.name}, decided=decided))

    def list(
        self,
        *,
        type: str | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        limit: int = 50,
        after: str | None = None,
    ) -> Ok[EntityList]:
        """List entities by type and name."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        web = self._loaded(within).web
        wanted = entity_type(type)
        numbers = [number for number, node in enumerate(web.nodes) if wanted is None or node.type is wanted]
        start = 0
        if after is not None:
            if after not in web.ids:
                raise InvalidRequest(f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use 'next'")
            start = next((place for place, one in enumerate(numbers) if one > web.ids[after]), len(numbers))
        page = numbers[start : start + page_size(limit)]
        more = start + len(page) < len(numbers)
        listed = EntityList(
            tuple(web.entity(one) for one in page), len(numbers), web.id(page[-1]) if page and more else None
        )
        asked: dict[str, Json] = {"scope": within.name, "type": type, "limit": limit, "after": after}
        return Ok(listed, self._receipt("graph list", started, asked=asked, decided={"returned": len(page)}))

    def show(
        self,
        name: str,
        *,
        type: str | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        limit: int = MAX_TIES,
    ) -> Ok[Shown]:
        """Show one entity: what it is called, where it is named, and what it has to do with others."""
        from satchel.graph.wording import told

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        loaded = self._loaded(within)
        web, number = loaded.web, loaded.one(name, entity_type(type))
        edges = [*web.out.get(number, ()), *web.into.get(number, ())]
        seen = [evidence for _, evidence in web.names[number]]
        result = Shown(
            web.entity(number),
            tuple(sorted({name for name, _ in web.names[number]}))[:MAX_TIES],
            web.trust(seen),
            web.citations(seen)[:MAX_TIES],
            tuple(web.tie(edge, told(web, edge)) for edge in edges[: _limit(limit)]),
            max(0, len(edges) - limit),
        )
        return Ok(result, self._looked("graph show", started, within, [number], loaded, {"relations": len(edges)}))

    def neighbors(
        self,
        name: str,
        *,
        type: str | None = None,
        relations: Collection[str] = (),
        direction: str = "both",
        hops: int = 1,
        limit: int = 20,
        trusted: bool = False,
        scope: str | None = None,
        all_scopes: bool = False,
    ) -> Ok[Neighbors]:
        """Return what an entity leads to within some hops, the nearest first, each with the way there."""
        from satchel.graph.walking import Direction
        from satchel.graph.wording import path_of

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        loaded = self._loaded(within, trusted)
        number = loaded.one(name, entity_type(type))
        kinds = [relation_of(one) for one in relations]
        ways = loaded.walks.around(number, direction=Direction(direction), relations=kinds, hops=_hops(hops))
        paths = [path_of(loaded.web, number, way) for way in ways[: _limit(limit)]]
        found = Neighbors(
            loaded.web.entity(number),
            tuple(Neighbor(path.entities[-1], path) for path in paths),
            len(ways) - len(paths),
        )
        return Ok(found, self._looked("graph neighbors", started, within, [number], loaded, {"found": len(ways)}))

    def path(
        self,
        start: str,
        goal: str,
        *,
        hops: int = MAX_HOPS,
        directed: bool = False,
        trusted: bool = False,
        scope: str | None = None,
        all_scopes: bool = False,
    ) -> Ok[PathFound]:
        """Say how one entity leads to another, in words."""
        from satchel.graph.wording import path_of

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        loaded = self._loaded(within, trusted)
        ends = [loaded.one(name, None) for name in (start, goal)]
        way = loaded.walks.between(ends[:1], ends[1:], hops=_hops(hops), directed=directed)
        path = None if way is None else path_of(loaded.web, *way)
        found = PathFound(loaded.web.entity(ends[0]), loaded.web.entity(ends[1]), path, hops)
        facts: dict[str, Json] = {"hops": None if path is None else path.hops}
        return Ok(found, self._looked("graph path", started, within, ends, loaded, facts))

    def match(
        self,
        idea: str,
        *,
        hops: int = 3,
        limit: int = 5,
        trusted: bool = False,
        scope: str | None = None,
        all_scopes: bool = False,
    ) -> Ok[Matched]:
        """Return the projects that an idea has to do with, each with the paths that say why."""
        from satchel.graph.answering import matched

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        loaded = self._loaded(within, trusted)
        named, found = matched(
            checked(idea, "the idea", limit=100_000), loaded.walks, loaded.lookup, _limit(limit), _hops(hops)
        )
        result = Matched(tuple(loaded.web.entity(one) for one in named), tuple(found))
        asked = {**question_facts(idea), "scope": within.name}
        decided: dict[str, Json] = {"projects": [one.project.id for one in found], "named": len(named)}
        return Ok(result, self._receipt("graph match", started, asked=asked, decided=decided))

    def ask(
        self,
        query: str,
        *,
        limit: int = 10,
        trusted: bool = False,
        scope: str | None = None,
        all_scopes: bool = False,
    ) -> Ok[Asked]:
        """Answer a question about entities, in English or Chinese; nothing where it names none that is known."""
        from satchel.graph.answering import answered

        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        loaded = self._loaded(within, trusted)
        asked = answered(checked(query, "the question", limit=100_000), loaded.walks, loaded.lookup, _limit(limit))
        facts: dict[str, Json] = {
            "intent": asked.intent,
            "named": [one.id for one in asked.named],
            "returned": len(asked.answers),
            "relevance": asked.relevance,
        }
        wanted = {**question_facts(query), "scope": within.name, "limit": limit}
        return Ok(asked, self._receipt("graph ask", started, asked=wanted, decided=facts))

    search = ask

    def export(
        self,
        name: str | None = None,
        *,
        format: str = "markdown",
        hops: int = 2,
        limit: int = 100,
        trusted: bool = False,
        scope: str | None = None,
        all_scopes: bool = False,
    ) -> Ok[GraphExport]:
        """Write a part of the graph as Markdown or Mermaid: what is around an entity, or all of it up to a limit."""
        from satchel.graph.export import exported

        started = self._clock.ticks()
        if format not in FORMATS:
            raise InvalidRequest(f"unknown format {format[:40]!r}", code="unknown_word", hint=", ".join(FORMATS))
        within = self._reach(scope, all_scopes)
        loaded = self._loaded(within, trusted)
        middle = None if name is None else loaded.one(name, None)
        result = exported(loaded.walks, middle, format, _hops(hops), _limit(limit))
        decided: dict[str, Json] = {"entities": result.entities, "relations": result.relations}
        return Ok(
            result,
            self._receipt("graph export", started, asked={"scope": within.name, "format": format}, decided=decided),
        )

    # How the operations above get at things

    def _loaded(self, within: Reach, trusted: bool = False) -> "Loaded":
        """Return the web of a view: the one that is kept, if nothing that it rests on has changed."""
        from satchel.graph.loaded import Loaded

        now = self._clock.now()
        view = View(within, now, trusts=(Trust.TRUSTED,)) if trusted else View(within, now)
        kept = _LOADED.setdefault(self._ledger.graph, {})
        loaded = kept.get((within, view.trusts))
        if loaded is None or not self._ledger.graph.is_current(loaded.web.edition, now):
            loaded = Loaded(self._ledger.graph.contents(view))
            kept.pop((within, view.trusts), None)
            kept[within, view.trusts] = loaded
            while len(kept) > _KEPT_WEBS:
                kept.pop(next(iter(kept)))
        return loaded

    def _looked(
        self,
        operation: str,
        started: float,
        within: Reach,
        numbers: Sequence[int],
        loaded: "Loaded",
        facts: dict[str, Json],
    ) -> Receipt:
        asked: dict[str, Json] = {"scope": within.name, "entities": [loaded.web.id(one) for one in numbers]}
        considered: dict[str, Json] = {"entities": len(loaded.web.nodes), "relations": len(loaded.web.edges)}
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


def _source(one: Source) -> GraphSource:
    return GraphSource(one.id, one.type, one.ref, one.root, one.space, one.scope, one.trust, one.at)
