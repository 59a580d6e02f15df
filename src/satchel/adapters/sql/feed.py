"""The changes of a ledger, in the order in which an index follows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from satchel.adapters.sql.engine import Database, first
from satchel.adapters.sql.float16 import unpack_all
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED
from satchel.adapters.sql.records import decodable_rows
from satchel.adapters.sql.vectors import OF_SPACE, SAME_TEXT
from satchel.adapters.sql.where import IDS_PER_QUERY
from satchel.domain.record import MemoryId
from satchel.ports import FeedItem

if TYPE_CHECKING:
    from satchel.domain.embedding import Space


class SqlChangeFeed:
    """Positions in the change sequence and in the receipt chain, for memories and passages alike."""

    _SEQUENCE, _RECORDS, _TOMBSTONES = "sequence", "memories", "tombstones"

    def __init__(self, database: Database) -> None:
        self._database = database

    def tip(self) -> int:
        with self._database.reading_once() as db:
            return int(db.execute(f"SELECT value FROM {self._SEQUENCE}").get)

    def behind(self, seq: int) -> int:
        tables = (self._RECORDS, self._TOMBSTONES)
        with self._database.reading() as db:
            return sum(db.execute(f"SELECT count(*) FROM {name} WHERE touched > ?", (seq,)).get for name in tables)

    def landmark(self) -> str:
        with self._database.reading() as db:
            link: bytes = db.execute("SELECT CAST(link AS BLOB) FROM receipt_head").get or b""
            return link.decode("utf-8", "backslashreplace")

    def has_landmark(self, landmark: str) -> bool:
        with self._database.reading_once() as db:
            query = "SELECT 1 FROM receipts WHERE link = ?"
            return not landmark or first(db.execute(query, (landmark,))) is not None


class SqlFeed(SqlChangeFeed):
    """Implements ports.Feed."""

    def since(self, seq: int, space: Space, limit: int) -> list[FeedItem]:
        query = f"""
            SELECT m.touched, m.row, v.vector, {SELECTED} FROM memories m
            LEFT JOIN vectors v ON v.row = m.row AND {SAME_TEXT} AND v.space = {OF_SPACE}
            WHERE m.touched > ? ORDER BY m.touched LIMIT ?"""
        gone = "SELECT touched, id FROM tombstones WHERE touched > ? ORDER BY touched LIMIT ?"
        with self._database.reading() as db:
            items = [FeedItem(touched, MemoryId(id), None, None) for touched, id in db.execute(gone, (seq, limit))]
            # The index gets damaged records too: it only nominates, and its ids are compared with the ledger's.
            rows = list(MEMORIES.rows(db, query, (space.name, space.dimensions, seq, limit), verify=False))
            blobs = [one.extra[2] for one in rows if one.extra[2] is not None]
            vectors = iter(unpack_all(blobs, space.dimensions))
            for (touched, row, blob), memory, _ in rows:
                items.append(FeedItem(touched, memory.id, memory, None if blob is None else next(vectors), row))
        return sorted(items, key=lambda item: item.seq)[:limit]

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        last = MemoryId("")
        while True:
            with self._database.reading() as db:
                query = "SELECT id, content_hash FROM memories WHERE id > ? ORDER BY id LIMIT ?"
                batch = [(MemoryId(id), str(hash)) for id, hash in decodable_rows(db, query, (last, IDS_PER_QUERY))]
            if not batch:
                return
            yield from batch
            last = batch[-1][0]
