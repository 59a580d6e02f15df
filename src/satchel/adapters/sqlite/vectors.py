"""The vectors of a SQLite ledger, each with its space."""

from collections.abc import Sequence

import apsw

from satchel.adapters.sqlite.database import WRITE_PATIENCE_MS, Database, Row, first
from satchel.adapters.sqlite.float16 import SINGLE, packed, repacked, unpacked
from satchel.adapters.sqlite.memories.exact import cosines
from satchel.adapters.sqlite.sequence import next_seq
from satchel.adapters.sqlite.where import IDS_PER_QUERY, one_of
from satchel.domain.embedding import Space, Vector
from satchel.domain.record import MemoryId
from satchel.ports import Embedded, Unembedded

ROWS_PER_BATCH = 1_000


class SqliteVectors:
    """Implements ports.Vectors."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def space(self) -> Space | None:
        with self._database.reading() as db:
            row = first(db.execute("SELECT name, dimensions FROM spaces WHERE active"))
            return None if row is None else Space(*row)

    def adopt(self, space: Space) -> None:
        with self._database.writing() as db:
            number = space_number(db, space)
            db.execute("UPDATE spaces SET active = 0")
            db.execute("UPDATE spaces SET active = 1 WHERE id = ?", (number,))
            db.execute("DELETE FROM vectors WHERE space <> ?", (number,))
            _adopt_for_passages(db, number)
            db.execute("DELETE FROM spaces WHERE id <> ?", (number,))
            db.execute("""
                UPDATE memories AS m SET embedding = coalesce((
                    SELECT iif(v.skipped IS NULL, 'made', 'skipped') FROM vectors v
                    WHERE v.row = m.row AND v.content_hash = m.content_hash
                ), 'waiting')""")

    def waiting(self, space: Space, limit: int, *, retry: bool = False) -> list[Unembedded]:
        with self._database.reading() as db:
            condition, values = _waiting(db, space, retry)
            rows = db.execute(
                f"SELECT m.id, m.text, m.content_hash FROM memories m WHERE {condition} ORDER BY m.row DESC LIMIT ?",
                [*values, limit],
            )
            return [Unembedded(*row) for row in rows]

    def backlog(self, space: Space | None) -> tuple[int, int]:
        with self._database.reading() as db:
            condition, values = _waiting(db, space, retry=False)
            waiting = db.execute(f"SELECT count(*) FROM memories m WHERE {condition}", values).get
            or_skipped, values = _waiting(db, space, retry=True)
            both = db.execute(f"SELECT count(*) FROM memories m WHERE {or_skipped}", values).get
            return waiting, both - waiting

    def count(self, space: Space) -> int:
        with self._database.reading() as db:
            query = (
                "SELECT count(*) FROM vectors v JOIN spaces s ON s.id = v.space "
                "WHERE s.name = ? AND s.dimensions = ? AND v.vector IS NOT NULL"
            )
            return int(db.execute(query, (space.name, space.dimensions)).get)

    def put(self, space: Space, made: Sequence[Embedded], *, seconds: float | None = None) -> None:
        patience_ms = WRITE_PATIENCE_MS if seconds is None else max(0, round(seconds * 1000))
        with self._database.writing(patience_ms) as db:
            number = space_number(db, space)
            active = bool(db.execute("SELECT active FROM spaces WHERE id = ?", (number,)).get)
            for one in made:
                _put(db, number, one, active=active)

    def tidy(self) -> int:
        return sum(_halved(self._database, table) for table in ("vectors", "passage_vectors"))

    def get(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, Vector]:
        return {id: unpacked(blob, space.dimensions) for id, blob in self._blobs(space, ids).items()}

    def cosines(self, space: Space, vector: Vector, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        found = self._blobs(space, ids)
        return dict(zip(found, cosines(vector, list(found.values())), strict=True))

    def _blobs(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, bytes]:
        found: dict[MemoryId, bytes] = {}
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_QUERY):
                among, values = one_of("m.id", ids[start : start + IDS_PER_QUERY])
                # In this order: the few records asked for first, then the vector of each.
                rows = db.execute(
                    "SELECT m.id, v.vector FROM memories m INDEXED BY memories_id CROSS JOIN vectors v ON v.row = m.row "
                    "AND v.space = (SELECT id FROM spaces WHERE name = ? AND dimensions = ?) "
                    f"WHERE {among} AND v.vector IS NOT NULL AND v.content_hash = m.content_hash",
                    [space.name, space.dimensions, *values],
                )
                found.update((MemoryId(id), blob) for id, blob in rows)
        return found


def _halved(database: Database, table: str) -> int:
    """Halve the vectors of an earlier version, a batch at a time: stopping and starting again loses nothing."""
    done, last = 0, 0
    query = f"""
        SELECT v.rowid, v.vector, s.dimensions FROM {table} v JOIN spaces s ON s.id = v.space
        WHERE v.rowid > ? AND length(v.vector) = {SINGLE} * s.dimensions ORDER BY v.rowid LIMIT ?"""
    while True:
        with database.writing() as db:
            batch: list[Row] = db.execute(query, (last, ROWS_PER_BATCH)).fetchall()
            halves = [(repacked(blob, dimensions), row) for row, blob, dimensions in batch]
            db.executemany(f"UPDATE {table} SET vector = ? WHERE rowid = ?", halves)
        if not batch:
            return done
        done, last = done + len(batch), batch[-1][0]


def space_number(db: apsw.Connection, space: Space) -> int:
    """Return the number of a space, which it gets when first used."""
    named = (space.name, space.dimensions)
    db.execute("INSERT INTO spaces (name, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING", named)
    return int(db.execute("SELECT id FROM spaces WHERE name = ? AND dimensions = ?", named).get)


def _adopt_for_passages(db: apsw.Connection, number: int) -> None:
    """Drop the vectors of every other space, and note which parts have one in this."""
    db.execute("DELETE FROM passage_vectors WHERE space <> ?", (number,))
    db.execute("""
        UPDATE passage_parts AS p SET embedding = coalesce((
            SELECT iif(v.skipped IS NULL, 'made', 'skipped') FROM passage_vectors v
            WHERE v.part = p.row AND v.content_hash = p.content_hash
        ), 'waiting')""")


def _waiting(db: apsw.Connection, space: Space | None, retry: bool) -> tuple[str, list[str | int]]:
    own = first(db.execute("SELECT name, dimensions FROM spaces WHERE active"))
    if own is None or space in (None, Space(*own)):
        return ("m.embedding IN ('waiting', 'skipped')" if retry else "m.embedding = 'waiting'"), []
    assert space is not None
    unless = "AND v.skipped IS NULL" if retry else ""
    return (
        "NOT EXISTS (SELECT 1 FROM vectors v JOIN spaces s ON s.id = v.space WHERE v.row = m.row "
        f"AND s.name = ? AND s.dimensions = ? AND v.content_hash = m.content_hash {unless})",
        [space.name, space.dimensions],
    )


def _put(db: apsw.Connection, number: int, one: Embedded, *, active: bool) -> None:
    query = "SELECT row FROM memories WHERE id = ? AND content_hash = ?"
    found = first(db.execute(query, (one.id, one.content_hash)))
    if found is None:
        return
    blob = None if one.vector is None else packed(one.vector)
    db.execute(
        "INSERT OR REPLACE INTO vectors (space, row, content_hash, vector, skipped) VALUES (?, ?, ?, ?, ?)",
        (number, found[0], one.content_hash, blob, one.skipped),
    )
    if active:
        state = "skipped" if blob is None else "made"
        db.execute("UPDATE memories SET embedding = ?, touched = ? WHERE row = ?", (state, next_seq(db), found[0]))
