"""What the memories of a SQLite ledger carry beside their text."""

import json
from collections.abc import Mapping, Sequence

import apsw

from satchel.adapters.sqlite.database import Database
from satchel.adapters.sqlite.where import IDS_PER_QUERY, one_of
from satchel.domain.attention import Details
from satchel.domain.canonical import canonical
from satchel.domain.record import MemoryId


class SqliteDetails:
    """Implements ports.DetailsBook."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, id: MemoryId, details: Details) -> None:
        if details == Details():
            return
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO details (memory_id, data, source_refs, recency) VALUES (?, ?, ?, ?)",
                (id, canonical(details.data), canonical(details.source_refs), details.recency),
            )

    def of(self, ids: Sequence[MemoryId]) -> Mapping[MemoryId, Details]:
        found: dict[MemoryId, Details] = {}
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_QUERY):
                among, values = one_of("memory_id", ids[start : start + IDS_PER_QUERY])
                query = f"SELECT memory_id, data, source_refs, recency FROM details WHERE {among}"
                for id, data, refs, recency in db.execute(query, values):
                    found[MemoryId(id)] = Details(json.loads(data), tuple(json.loads(refs)), recency)
        return found


def erase(db: apsw.Connection, id: MemoryId) -> None:
    """Remove the details of a memory."""
    db.execute("DELETE FROM details WHERE memory_id = ?", (id,))
