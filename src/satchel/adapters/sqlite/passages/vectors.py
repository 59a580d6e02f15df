"""The vectors of passages, one for each part, and the feed that an index of them follows."""

from collections.abc import Iterator, Sequence

import apsw

from satchel.adapters.sqlite.database import WRITE_PATIENCE_MS, Database, first
from satchel.adapters.sqlite.feed import Landmarks
from satchel.adapters.sqlite.float16 import packed, unpacked
from satchel.adapters.sqlite.memories.exact import cosines
from satchel.adapters.sqlite.vectors import SqliteVectors, space_number
from satchel.adapters.sqlite.where import IDS_PER_QUERY, one_of
from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import EvidenceLane, PassageId
from satchel.domain.record import MemoryId, Trust
from satchel.ports import Embedded, IndexedPassage, PassageItem, Unembedded

_OF_SPACE = "(SELECT id FROM spaces WHERE name = ? AND dimensions = ?)"


class SqlitePassageVectors:
    """Implements ports.Vectors for the parts of passages. The space is the store's, whoever was embedded first."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._store = SqliteVectors(database)

    def space(self) -> Space | None:
        return self._store.space()

    def adopt(self, space: Space) -> None:
        self._store.adopt(space)

    def waiting(self, space: Space, limit: int, *, retry: bool = False) -> list[Unembedded]:
        with self._database.reading() as db:
            condition, values = _waiting(db, space, retry)
            # Newest first, and what is embedded of a passage in the order it is read.
            rows = db.execute(
                f"""
                SELECT m.id, p.part, substr(iif(m.meaning = '', m.text, m.meaning), p.start, p.length), p.content_hash
                FROM (SELECT * FROM passage_parts p WHERE {condition} ORDER BY p.row DESC LIMIT ?) p
                JOIN passages m ON m.row = p.passage ORDER BY p.row DESC""",
                [*values, limit],
            )
            return [Unembedded(MemoryId(part_name(id, part)), text, hash) for id, part, text, hash in rows]

    def backlog(self, space: Space | None) -> tuple[int, int]:
        with self._database.reading() as db:
            condition, values = _waiting(db, space, retry=False)
            waiting = db.execute(f"SELECT count(*) FROM passage_parts p WHERE {condition}", values).get
            or_skipped, values = _waiting(db, space, retry=True)
            both = db.execute(f"SELECT count(*) FROM passage_parts p WHERE {or_skipped}", values).get
            return waiting, both - waiting

    def count(self, space: Space) -> int:
        with self._database.reading() as db:
            query = f"SELECT count(*) FROM passage_vectors v WHERE v.space = {_OF_SPACE} AND v.vector IS NOT NULL"
            return int(db.execute(query, (space.name, space.dimensions)).get)

    def put(self, space: Space, made: Sequence[Embedded], *, seconds: float | None = None) -> None:
        patience_ms = WRITE_PATIENCE_MS if seconds is None else max(0, round(seconds * 1000))
        with self._database.writing(patience_ms) as db:
            number = space_number(db, space)
            active = bool(db.execute("SELECT active FROM spaces WHERE id = ?", (number,)).get)
            touched = {row for one in made if (row := _put(db, number, one, active=active)) is not None}
            for row in sorted(touched):
                db.execute("UPDATE passages SET touched = ? WHERE row = ?", (next_passage_seq(db), row))

    def tidy(self) -> int:
        return self._store.tidy()

    def get(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, Vector]:
        passages = dict.fromkeys(PassageId(id.rpartition("#")[0]) for id in ids)
        with self._database.reading() as db:
            named = {MemoryId(part_name(id, part)): vector for id, part, vector in _vectors(db, space, list(passages))}
        return {id: named[id] for id in ids if id in named}

    def cosines(self, space: Space, vector: Vector, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        found = self.get(space, ids)
        return dict(zip(found, cosines(vector, [packed(one) for one in found.values()]), strict=True))

    def nearness(self, vector: Vector, space: Space, ids: Sequence[PassageId]) -> dict[PassageId, float]:
        """Return the cosine of each passage's nearest part, rounded so that it prints the same everywhere."""
        with self._database.reading() as db:
            parts = list(_kept(db, space, ids))
        found: dict[PassageId, float] = {}
        for (id, _, _), cosine in zip(parts, cosines(vector, [blob for _, _, blob in parts]), strict=True):
            found[id] = max(cosine, found.get(id, -1.0))
        return found


class SqlitePassageFeed(Landmarks):
    """Implements ports.PassageFeed."""

    def tip(self) -> int:
        with self._database.reading() as db:
            return int(db.execute("SELECT value FROM passage_sequence").get)

    def behind(self, seq: int) -> int:
        with self._database.reading() as db:
            query = (
                "SELECT (SELECT count(*) FROM passages WHERE touched > ?1) "
                "+ (SELECT count(*) FROM passage_tombstones WHERE touched > ?1)"
            )
            return int(db.execute(query, (seq,)).get)

    def since(self, seq: int, space: Space, limit: int) -> list[PassageItem]:
        gone = "SELECT touched, id FROM passage_tombstones WHERE touched > ? ORDER BY touched LIMIT ?"
        changed = (
            'SELECT touched, id, lane, scope, trust, kind, "group", at, content_hash FROM passages '
            "WHERE touched > ? ORDER BY touched LIMIT ?"
        )
        with self._database.reading() as db:
            items = [PassageItem(touched, PassageId(id), None) for touched, id in db.execute(gone, (seq, limit))]
            for touched, id, lane, scope, trust, kind, group, at, content_hash in db.execute(changed, (seq, limit)):
                row = IndexedPassage(
                    PassageId(id), EvidenceLane(lane), scope, Trust(trust), kind, group, at, content_hash
                )
                items.append(PassageItem(touched, PassageId(id), row))
            items = sorted(items, key=lambda item: item.seq)[:limit]
            parts: dict[str, list[tuple[str, Vector]]] = {}
            for id, part, vector in _vectors(db, space, [item.id for item in items if item.passage is not None]):
                parts.setdefault(id, []).append((part_name(id, part), vector))
        return [PassageItem(one.seq, one.id, one.passage, tuple(parts.get(one.id, ()))) for one in items]

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        query = """
            SELECT m.id || '#' || p.part, m.content_hash FROM passages m JOIN passage_parts p ON p.passage = m.row
            JOIN passage_vectors v ON v.part = p.row AND v.vector IS NOT NULL AND v.content_hash = p.content_hash
            JOIN spaces s ON s.id = v.space AND s.active ORDER BY 1"""
        with self._database.snapshot() as db:
            yield from ((MemoryId(name), str(content_hash)) for name, content_hash in db.execute(query))


def part_name(passage: str, part: int) -> str:
    """Return the name of one part of a passage."""
    return f"{passage}#{part}"


def next_passage_seq(db: apsw.Connection) -> int:
    """Take the next number of the passages' own sequence."""
    return int(db.execute("UPDATE passage_sequence SET value = value + 1 RETURNING value").get)


def _vectors(db: apsw.Connection, space: Space, ids: Sequence[PassageId]) -> list[tuple[PassageId, int, Vector]]:
    return [(PassageId(id), part, unpacked(blob, space.dimensions)) for id, part, blob in _kept(db, space, ids)]


def _kept(db: apsw.Connection, space: Space, ids: Sequence[PassageId]) -> Iterator[tuple[PassageId, int, bytes]]:
    for start in range(0, len(ids), IDS_PER_QUERY):
        among, values = one_of("m.id", ids[start : start + IDS_PER_QUERY])
        # In this order: the few passages asked for first, then the parts of each, then the vector of each.
        query = f"""
            SELECT m.id, p.part, v.vector FROM passages m INDEXED BY passages_id
            CROSS JOIN passage_parts p ON p.passage = m.row
            CROSS JOIN passage_vectors v ON v.part = p.row AND v.space = {_OF_SPACE}
            WHERE {among} AND v.vector IS NOT NULL AND v.content_hash = p.content_hash ORDER BY m.id, p.part"""
        yield from db.execute(query, [space.name, space.dimensions, *values])


def _waiting(db: apsw.Connection, space: Space | None, retry: bool) -> tuple[str, list[str | int]]:
    own = first(db.execute("SELECT name, dimensions FROM spaces WHERE active"))
    if own is None or space in (None, Space(*own)):
        return ("p.embedding IN ('waiting', 'skipped')" if retry else "p.embedding = 'waiting'"), []
    assert space is not None
    unless = "AND v.skipped IS NULL" if retry else ""
    return (
        f"NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.part = p.row AND v.space = {_OF_SPACE} "
        f"AND v.content_hash = p.content_hash {unless})",
        [space.name, space.dimensions],
    )


def _put(db: apsw.Connection, space_number: int, one: Embedded, *, active: bool) -> int | None:
    """Keep one vector; return the passage that an index has to look at again, if any."""
    passage, _, part = one.id.rpartition("#")
    query = """
        SELECT p.row, p.passage FROM passage_parts p
        WHERE p.passage = (SELECT row FROM passages WHERE id = ?) AND p.part = ? AND p.content_hash = ?"""
    found = first(db.execute(query, (passage, int(part), one.content_hash)))
    if found is None:
        return None
    blob = None if one.vector is None else packed(one.vector)
    db.execute(
        "INSERT OR REPLACE INTO passage_vectors (space, part, content_hash, vector, skipped) VALUES (?, ?, ?, ?, ?)",
        (space_number, found[0], one.content_hash, blob, one.skipped),
    )
    if not active:
        return None
    state = "skipped" if blob is None else "made"
    db.execute("UPDATE passage_parts SET embedding = ? WHERE row = ?", (state, found[0]))
    return None if blob is None else int(found[1])
