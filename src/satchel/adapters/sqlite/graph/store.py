"""Entities and relations in a SQLite ledger, by the source that names them."""

from collections.abc import Iterable, Sequence

import apsw

from satchel.adapters.sqlite import receipts
from satchel.adapters.sqlite.database import Database, first
from satchel.adapters.sqlite.where import Clause, all_of, id_batches, one_of, reach_clause, view_clause
from satchel.domain.graph import EntityMention, EntityRef, EntityType, GraphSource, GraphSourceType
from satchel.domain.receipt import Receipt
from satchel.domain.record import Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.ports.graph import GraphContents, GraphRevision, RelationRow, SourceExtract

_COLUMNS = ("scope", "type", "ref", "root", "space", "trust", "content_hash", "rules", "at")
_TYPES = {one.value: one for one in EntityType}
_SELECTED = ", ".join(f"s.{name}" for name in _COLUMNS)
# A memory counts with its present state, and only while its text is the one that was read.
_CURRENT = "JOIN memories m ON m.id = s.ref AND m.content_hash = s.content_hash AND m.scope = s.scope"


class SqliteGraph:
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
            rows = db.execute(f"SELECT {_SELECTED} FROM graph_sources s WHERE {where} {order}", values)
            return [_source(*row) for row in rows]

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
            return sorted({name for id in ids for (name,) in db.execute(query, (id,))})

    def contents(self, view: View) -> GraphContents:
        with self._database.reading() as db:
            sources = dict(_admitted(db, view))
            return GraphContents(
                _revision(db, view), sources, list(_mentions(db, sources)), list(_relations(db, sources))
            )

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
        query = """
            SELECT 1 FROM graph_sightings g JOIN graph_sources s ON s.row = g.source
            WHERE instr(g.name, ?1) AND s.ref <> ?2 AND s.id <> ?2 LIMIT 1"""
        with self._database.reading() as db:
            return first(db.execute(query, (fragment, excluding))) is not None


def erase_dependents(db: apsw.Connection, ids: Sequence[str]) -> None:
    """Erase what these memories name."""
    erased = [_erase(db, (f"type = 'memory' AND {among}", values)) for among, values in id_batches("ref", ids)]
    if any(erased):
        db.execute("UPDATE graph_revision SET value = value + 1")


def _erase(db: apsw.Connection, clause: Clause) -> int:
    where, values = clause
    rows = [row for (row,) in db.execute(f"SELECT row FROM graph_sources WHERE {where}", values)]
    for table, column in (("graph_claims", "source"), ("graph_sightings", "source"), ("graph_sources", "row")):
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(row,) for row in rows])
    return len(rows)


def _insert(db: apsw.Connection, read: SourceExtract) -> None:
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


def _admitted(db: apsw.Connection, view: View) -> Iterable[tuple[int, GraphSource]]:
    """Yield the sources that a view admits, with their present trust."""
    where, values = all_of(_within(view.reach), one_of("s.trust", view.trusts), ("s.type <> 'memory'", []))
    for row, *columns in db.execute(f"SELECT s.row, {_SELECTED} FROM graph_sources s WHERE {where}", values):
        yield row, _source(*columns)
    where, values = view_clause(view)
    selected = _SELECTED.replace("s.trust", "m.trust")
    query = f"SELECT s.row, {selected} FROM graph_sources s {_CURRENT} WHERE s.type = 'memory' AND {where}"
    for row, *columns in db.execute(query, values):
        yield row, _source(*columns)


def _revision(db: apsw.Connection, view: View) -> GraphRevision:
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


def _mentions(db: apsw.Connection, sources: Iterable[int]) -> Iterable[tuple[int, int, EntityMention]]:
    query = (
        "SELECT number, type, space, name, rule, line, defining FROM graph_sightings WHERE source = ? ORDER BY number"
    )
    for source in sources:
        for number, type, space, name, rule, line, defining in db.execute(query, (source,)):
            yield source, number, EntityMention(EntityRef(_TYPES[type], name, space), rule, line, bool(defining))


def _relations(db: apsw.Connection, sources: Iterable[int]) -> Iterable[RelationRow]:
    query = "SELECT source, tail, relation, head, rule, line FROM graph_claims WHERE source = ? ORDER BY number"
    for source in sources:
        yield from (RelationRow(*row) for row in db.execute(query, (source,)))


def _source(
    scope: str, type: str, ref: str, root: str, space: str, trust: str, content_hash: str, rules: int, at: int
) -> GraphSource:
    return GraphSource(scope, GraphSourceType(type), ref, root, space, Trust(trust), content_hash, rules, at)
