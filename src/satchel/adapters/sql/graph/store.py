"""Entities and relations in a ledger, by the source that names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql import receipts
from satchel.adapters.sql.engine import Connection, Database, Row, first
from satchel.adapters.sql.records import ReadableColumn, RecordFormat, decodable_rows
from satchel.adapters.sql.where import Clause, all_of, id_batches, one_of, reach_clause, view_clause
from satchel.domain.graph import EntityMention, EntityRef, EntityType, GraphSource, GraphSourceType, RelationType
from satchel.domain.record import Trust
from satchel.ports.damage import report
from satchel.ports.graph import GraphContents, GraphRevision, RelationRow, SourceExtract

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach
    from satchel.domain.view import View

_COLUMNS = ("scope", "type", "ref", "root", "space", "trust", "content_hash", "rules", "at")
_TYPES = {one.value: one for one in EntityType}
# A memory counts with its present state, and only while its text is the one that was read.
_CURRENT = "JOIN memories m ON m.id = s.ref AND m.content_hash = s.content_hash AND m.scope = s.scope"


class SqlGraph:
    """Implements ports.GraphStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def sources(self, reach: Reach, type: str | None = None, root: str | None = None) -> list[GraphSource]:
        within, values = _within(reach)
        clauses: list[Clause] = [(within, values)]
        clauses += [(f"s.{name} = ?", [value]) for name, value in (("type", type), ("root", root)) if value is not None]
        where, values = all_of(*clauses)
        order = "ORDER BY s.scope, s.type, s.root, s.ref"
        with self._database.reading() as db:
            return list(
                SOURCES.read(db, f"SELECT {SOURCES.selected} FROM graph_sources s WHERE {where} {order}", values)
            )

    def replace(self, put: Sequence[SourceExtract], remove: Sequence[str], receipt: Receipt) -> None:
        with self._database.writing() as db:
            for id in (*remove, *(one.source.id for one in put)):
                _erase(db, ("id = ?", [id]))
            for one in put:
                _insert(db, one)
            db.execute("UPDATE graph_revision SET value = value + 1")
            receipts.append(db, receipt)

    def count(self, ids: Sequence[str]) -> tuple[int, int]:
        owned = "WHERE source = (SELECT row FROM graph_sources WHERE id = ?)"
        with self._database.reading() as db:
            return (
                sum(db.execute(f"SELECT count(*) FROM graph_sightings {owned}", (id,)).get for id in ids),
                sum(db.execute(f"SELECT count(*) FROM graph_claims {owned}", (id,)).get for id in ids),
            )

    def names(self, ids: Sequence[str]) -> list[str]:
        query = "SELECT DISTINCT name FROM graph_sightings WHERE source = (SELECT row FROM graph_sources WHERE id = ?)"
        with self._database.reading() as db:
            return sorted({name for id in ids for (name,) in decodable_rows(db, query, (id,))})

    def contents(self, view: View) -> GraphContents:
        with self._database.reading() as db:
            sources = dict(_admitted(db, view))
            mentions = list(_mentions(db, sources))
            known = {(source, number) for source, number, _ in mentions}
            # A relation goes with a damaged mention.
            relations = [
                one for one in _relations(db, sources) if {(one.source, one.tail), (one.source, one.head)} <= known
            ]
            return GraphContents(_revision(db, view), sources, mentions, relations)

    def is_current(self, edition: GraphRevision, now: int) -> bool:
        if edition.until is not None and now >= edition.until:
            return False
        # Only records touched since then are checked, and of those only sources of the graph.
        touched = """
            SELECT 1 FROM memories m INDEXED BY memories_touched
            CROSS JOIN graph_sources s INDEXED BY graph_sources_record ON s.ref = m.id AND s.type = 'memory'
            WHERE m.touched > ? LIMIT 1"""
        with self._database.reading() as db:
            revision = db.execute("SELECT value FROM graph_revision").get
            return revision == edition.revision and first(db.execute(touched, (edition.tip,))) is None

    def contains(self, fragment: str, excluding: str) -> bool:
        # A rule holds what a source calls a type.
        query = """
            SELECT 1 FROM graph_{} g JOIN graph_sources s ON s.row = g.source
            WHERE {} AND s.ref <> ?2 AND s.id <> ?2 LIMIT 1"""
        named = query.format("sightings", "(instr(g.name, ?1) > 0 OR instr(g.rule, ?1) > 0)")
        related = query.format("claims", "instr(g.rule, ?1) > 0")
        with self._database.reading() as db:
            return any(first(db.execute(one, (fragment, excluding))) is not None for one in (named, related))


def erase_dependents(db: Connection, ids: Sequence[str]) -> None:
    """Erase what these memories name."""
    erased = [_erase(db, (f"type = 'memory' AND {among}", values)) for among, values in id_batches("ref", ids)]
    if any(erased):
        db.execute("UPDATE graph_revision SET value = value + 1")


def erase_scope(db: Connection, scope: str) -> None:
    """Erase what the sources of a scope name."""
    if _erase(db, ("scope = ?", [scope])):
        db.execute("UPDATE graph_revision SET value = value + 1")


def erase_source(db: Connection, id: str) -> None:
    """Erase what a source names."""
    _erase(db, ("id = ?", [id]))


def _erase(db: Connection, clause: Clause) -> int:
    where, values = clause
    rows = [row for (row,) in db.execute(f"SELECT row FROM graph_sources WHERE {where}", values)]
    for table, column in (("graph_claims", "source"), ("graph_sightings", "source"), ("graph_sources", "row")):
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(row,) for row in rows])
    return len(rows)


def _insert(db: Connection, read: SourceExtract) -> None:
    source, extract = read.source, read.extract
    places = ", ".join("?" * (len(_COLUMNS) + 1))
    values = [source.id, *(getattr(source, name) for name in _COLUMNS)]
    db.execute(
        f"INSERT INTO graph_sources (id, {', '.join(_COLUMNS)}) VALUES ({places})",
        [str(value) if isinstance(value, str) else value for value in values],
    )
    row = db.last_insert_rowid()
    numbers = {one.ref: number for number, one in enumerate(extract.mentions)}
    db.executemany(
        "INSERT INTO graph_sightings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (row, number, one.ref.type.value, one.ref.space, one.ref.name, one.rule, one.line, int(one.defining))
            for number, one in enumerate(extract.mentions)
        ],
    )
    db.executemany(
        "INSERT INTO graph_claims VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (row, number, numbers[one.tail], one.relation.value, numbers[one.head], one.rule, one.line)
            for number, one in enumerate(extract.relations)
        ],
    )


def _within(reach: Reach) -> Clause:
    text, values = reach_clause(reach)
    return text.replace("m.scope", "s.scope"), values


def _admitted(db: Connection, view: View) -> Iterable[tuple[int, GraphSource]]:
    """Yield the sources that a view admits, with their present trust."""
    where, values = all_of(_within(view.reach), one_of("s.trust", view.trusts), ("s.type <> 'memory'", []))
    for form, query, bound in (
        (SOURCES, f"SELECT s.row, {SOURCES.selected} FROM graph_sources s WHERE {where}", values),
        (MEMORY_SOURCES, *_memory_sources(view)),
    ):
        for (row,), source, damage in form.rows(db, query, bound):
            if damage is None:
                yield row, source
            else:
                report(damage)


def _memory_sources(view: View) -> Clause:
    where, values = view_clause(view)
    selected = MEMORY_SOURCES.selected
    return f"SELECT s.row, {selected} FROM graph_sources s {_CURRENT} WHERE s.type = 'memory' AND {where}", values


def _revision(db: Connection, view: View) -> GraphRevision:
    revision = db.execute("SELECT value FROM graph_revision").get
    tip = db.execute("SELECT value FROM sequence").get
    # Dated memories are few, and have their own index.
    changes = f"""
        SELECT min(at) FROM (
            SELECT min(m.valid_from) AS at FROM graph_sources s {_CURRENT}
            WHERE s.type = 'memory' AND m.valid_from > ?1
            UNION ALL
            SELECT min(m.valid_to) AS at FROM graph_sources s {_CURRENT} WHERE s.type = 'memory' AND m.valid_to > ?1
        )"""
    return GraphRevision(revision, tip, db.execute(changes, (view.now,)).get)


def _mentions(db: Connection, sources: Iterable[int]) -> Iterable[tuple[int, int, EntityMention]]:
    query = f"SELECT {MENTIONS.selected} FROM graph_sightings m WHERE m.source = ? ORDER BY m.number"
    for source in sources:
        for number, mention in MENTIONS.read(db, query, (source,)):
            yield source, number, mention


def _relations(db: Connection, sources: Iterable[int]) -> Iterable[RelationRow]:
    query = f"SELECT {RELATIONS.selected} FROM graph_claims m WHERE m.source = ? ORDER BY m.number"
    for source in sources:
        yield from RELATIONS.read(db, query, (source,))


def erase_damaged(db: Connection, rows: Iterable[int]) -> None:
    """Erase sources by row: what they name is read again with the next refresh of the graph."""
    for row in rows:
        _erase(db, ("row = ?", [row]))
    db.execute("UPDATE graph_revision SET value = value + 1")


def _source(row: Row) -> GraphSource:
    _, scope, type, ref, root, space, trust, content_hash, rules, at = row
    return GraphSource(scope, GraphSourceType(type), ref, root, space, Trust(trust), content_hash, rules, at)


def _mention(row: Row) -> tuple[int, EntityMention]:
    _, _, number, type, space, name, rule, line, defining = row
    known = _TYPES.get(type) or EntityType(type)
    return number, EntityMention(EntityRef(known, name, space), rule, line, bool(defining))


def _relation(row: Row) -> RelationRow:
    RelationType(row[4])
    return RelationRow(*row[2:])


_SOURCE_COLUMNS = {"id": "s.id", **{name: f"s.{name}" for name in _COLUMNS}}
_UNREADABLE_SOURCE = {
    "type": ReadableColumn(GraphSourceType, next(iter(GraphSourceType)).value),
    "trust": ReadableColumn(Trust, Trust.QUARANTINED.value),
}
SOURCES = RecordFormat("graph source", _SOURCE_COLUMNS, from_row=_source, readable=_UNREADABLE_SOURCE)
# With the present trust of the memory.
MEMORY_SOURCES = RecordFormat(
    "graph source", {**_SOURCE_COLUMNS, "trust": "m.trust"}, from_row=_source, readable=_UNREADABLE_SOURCE
)
_OWNER = "(SELECT id FROM graph_sources o WHERE o.row = m.source)"
MENTIONS = RecordFormat(
    "entity",
    {
        "id": _OWNER,
        "scope": "''",
        **{name: f"m.{name}" for name in ("number", "type", "space", "name", "rule", "line", "defining")},
    },
    from_row=_mention,
)
RELATIONS = RecordFormat(
    "relation",
    {
        "id": _OWNER,
        "scope": "''",
        **{name: f"m.{name}" for name in ("source", "tail", "relation", "head", "rule", "line")},
    },
    from_row=_relation,
)
