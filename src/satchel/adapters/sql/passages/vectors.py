"""Vectors of passages, one per part, and the change feed that their index follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from satchel.adapters.sql.engine import Connection, first
from satchel.adapters.sql.feed import SqlChangeFeed
from satchel.adapters.sql.float16 import cosines, unpack
from satchel.adapters.sql.records import decodable_rows
from satchel.adapters.sql.vectors import OF_SPACE, SqlVectors, embeddable, embedding_state
from satchel.adapters.sql.where import Clause, id_batches, passage_clause
from satchel.domain.passage import MAX_PARTS, EvidenceLane, PassageId
from satchel.domain.record import MemoryId, Trust
from satchel.ports import Embedded, IndexedPassage, PassageItem, Unembedded

if TYPE_CHECKING:
    from satchel.domain.embedding import Space, Vector
    from satchel.domain.passage import PassageView


class SqlPassageVectors(SqlVectors):
    """Implements ports.VectorStore for the parts of passages. They share the store's embedding space."""

    _TEXTS, _ALIAS = "passage_parts p", "p"
    _VECTORS, _TEXT_ROW = "passage_vectors", "part"

    def _texts(self, db: Connection, which: Clause, limit: int) -> list[Unembedded]:
        rows = db.execute(
            f"""
            SELECT m.id, p.part,
                CAST(substr(CASE m.meaning WHEN '' THEN m.text ELSE m.meaning END, p.start, p.length) AS BLOB), p.content_hash
            FROM (SELECT * FROM passage_parts p WHERE {which[0]} ORDER BY p.row DESC LIMIT ?) p
            JOIN passages m ON m.row = p.passage ORDER BY p.row DESC""",
            [*which[1], limit],
        )
        return [Unembedded(MemoryId(part_name(id, part)), embeddable(text), hash) for id, part, text, hash in rows]

    def pending_of(self, space: Space, ids: Sequence[PassageId]) -> list[Unembedded]:
        found: list[Unembedded] = []
        with self._database.reading() as db:
            pending, values = self._pending(db, space, retry=False)
            for among, some in id_batches("id", ids):
                which = f"p.passage IN (SELECT row FROM passages WHERE {among}) AND {pending}", [*some, *values]
                found += self._texts(db, which, len(some) * MAX_PARTS)
        return found

    def pending_passages(self, space: Space | None, view: PassageView) -> int:
        where, values = passage_clause(view)
        with self._database.reading() as db:
            pending, of_space = self._pending(db, space, retry=False)
            rows = f"SELECT p.passage FROM passage_parts p WHERE {pending}"
            query = f"SELECT count(*) FROM passages m WHERE m.row IN ({rows}) AND {where}"
            return int(db.execute(query, [*of_space, *values]).get)

    def similarities(self, vector: Vector, space: Space, ids: Sequence[PassageId]) -> dict[PassageId, float]:
        """Return the cosine of each passage's nearest part, rounded so that it prints the same everywhere."""
        with self._database.reading() as db:
            parts = list(_stored_parts(db, space, ids))
        found: dict[PassageId, float] = {}
        for (id, _, _), cosine in zip(parts, cosines(vector, [blob for _, _, blob in parts]), strict=True):
            found[id] = max(cosine, found.get(id, -1.0))
        return found

    def _blobs(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, bytes]:
        passages = dict.fromkeys(PassageId(id.rpartition("#")[0]) for id in ids)
        with self._database.reading() as db:
            rows = _stored_parts(db, space, list(passages))
            named = {MemoryId(part_name(id, part)): blob for id, part, blob in rows}
        return {id: named[id] for id in ids if id in named}

    def _put(self, db: Connection, space: int, made: Sequence[Embedded], *, active: bool) -> None:
        query = """
            SELECT p.row, p.passage FROM passage_parts p
            WHERE p.passage = (SELECT row FROM passages WHERE id = ?) AND p.part = ? AND p.content_hash = ?"""
        touched = set()
        for one in made:
            passage, _, part = one.id.rpartition("#")
            found = first(db.execute(query, (passage, int(part), one.content_hash)))
            if found is None:
                continue
            self._put_vectors(db, space, [(found[0], one.content_hash, one)])
            if active:
                state = embedding_state(one)
                db.execute("UPDATE passage_parts SET embedding = ? WHERE row = ?", (state, found[0]))
                if one.vector is not None:
                    touched.add(found[1])
        for row in sorted(touched):
            db.execute("UPDATE passages SET touched = ? WHERE row = ?", (next_passage_seq(db), row))


class SqlPassageFeed(SqlChangeFeed):
    """Implements ports.PassageFeed."""

    _SEQUENCE, _RECORDS, _TOMBSTONES = "passage_sequence", "passages", "passage_tombstones"

    def since(self, seq: int, space: Space, limit: int) -> list[PassageItem]:
        gone = "SELECT touched, id FROM passage_tombstones WHERE touched > ? ORDER BY touched LIMIT ?"
        changed = (
            'SELECT touched, id, lane, scope, trust, kind, "group", at, content_hash FROM passages '
            "WHERE touched > ? ORDER BY touched LIMIT ?"
        )
        with self._database.reading() as db:
            items = [PassageItem(touched, PassageId(id), None) for touched, id in db.execute(gone, (seq, limit))]
            for touched, id, *columns in decodable_rows(db, changed, (seq, limit)):
                if (row := _indexed(id, *columns)) is not None:
                    items.append(PassageItem(touched, PassageId(id), row))
            items = sorted(items, key=lambda item: item.seq)[:limit]
            present = [item.id for item in items if item.passage is not None]
            parts: dict[str, list[tuple[str, Vector]]] = {}
            for id, part, blob in _stored_parts(db, space, present):
                parts.setdefault(id, []).append((part_name(id, part), unpack(blob, space.dimensions)))
        return [PassageItem(one.seq, one.id, one.passage, tuple(parts.get(one.id, ()))) for one in items]

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        query = """
            SELECT m.id || '#' || p.part, m.content_hash FROM passages m JOIN passage_parts p ON p.passage = m.row
            JOIN passage_vectors v ON v.part = p.row AND v.vector IS NOT NULL AND v.content_hash = p.content_hash
            JOIN spaces s ON s.id = v.space AND s.active = 1 ORDER BY 1"""
        with self._database.snapshot() as db:
            yield from ((MemoryId(name), str(content_hash)) for name, content_hash in decodable_rows(db, query))


def _indexed(id: str, lane: str, scope: str, trust: str, *columns: Any) -> IndexedPassage | None:
    """Return what the index gets of a passage; None if it is damaged."""
    try:
        return IndexedPassage(PassageId(id), EvidenceLane(lane), scope, Trust(trust), *columns)
    except ValueError:
        return None


def part_name(passage: str, part: int) -> str:
    """Return the id of one part of a passage."""
    return f"{passage}#{part}"


def next_passage_seq(db: Connection) -> int:
    """Take the next number of the passages' change sequence."""
    return db.advance("passage_sequence")


def _stored_parts(db: Connection, space: Space, ids: Sequence[PassageId]) -> Iterator[tuple[PassageId, int, bytes]]:
    for among, values in id_batches("m.id", ids):
        # The order of the joins matters: the few requested passages first, then their parts, then the vectors.
        query = f"""
            SELECT m.id, p.part, v.vector FROM passages m INDEXED BY passages_id
            CROSS JOIN passage_parts p ON p.passage = m.row
            CROSS JOIN passage_vectors v ON v.part = p.row AND v.space = {OF_SPACE}
            WHERE {among} AND v.vector IS NOT NULL AND v.content_hash = p.content_hash ORDER BY m.id, p.part"""
        yield from db.execute(query, [space.name, space.dimensions, *values])
