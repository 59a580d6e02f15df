"""Copies a store from one database into another: the same rows, so the same history, receipts and forgotten ids.

The copy can be interrupted and goes on where it stopped. What can be derived, such as full text, is built again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from satchel.adapters.sql.engine import Connection, Row, first
from satchel.errors import Corrupt

if TYPE_CHECKING:
    from satchel.adapters.sql.sql_ledger import SqlLedger
    from satchel.ports import Progress

ROWS_PER_BATCH = 1_000
# Every table with its key, in an order in which what a row refers to is there before it.
TABLES: dict[str, tuple[str, ...]] = {
    "memories": ("row",),
    "tombstones": ("id",),
    "events": ("seq",),
    "spaces": ("id",),
    "vectors": ("space", "row"),
    "receipts": ("seq",),
    "use": ("memory_id",),
    "edges": ("source", "target", "type"),
    "details": ("memory_id",),
    "packets": ("row",),
    "packet_items": ("row",),
    "observations": ("row",),
    "observation_events": ("seq",),
    "spool_cursors": ("source",),
    "selections": ("record_id",),
    "grades": ("memory_id",),
    "log_lines": ("number",),
    "passages": ("row",),
    "passage_parts": ("row",),
    "passage_vectors": ("space", "part"),
    "passage_tombstones": ("id",),
    "document_collections": ("scope", "name"),
    "documents": ("scope", "collection", "path"),
    "documents_forgotten": ("scope", "collection", "path_digest"),
    "graph_sources": ("row",),
    "graph_sightings": ("source", "number"),
    "graph_claims": ("source", "number"),
    "fact_events": ("seq",),
    "facts": ("row",),
    "fact_sources": ("fact_id", "place"),
    "conversations": ("conversation_id",),
    "messages": ("message_id",),
    "summaries": ("summary_id",),
    "summary_messages": ("summary_id", "message_id"),
    "summary_parents": ("summary_id", "parent_summary_id"),
    "decisions": ("row",),
    "decision_clauses": ("decision_id", "ordinal"),
    "tags": ("name",),
    "edge_events": ("seq", "source", "target", "type"),
    "scope_moves": ("number",),
    "moved_records": ("move", "kind", "key"),
    "scope_seeds": ("scope", "seed"),
}
# Tables of one row, which come last: a copy without them is not complete.
COUNTERS = ("sequence", "passage_sequence", "graph_revision", "receipt_head")


def copy_rows(source: Connection, target: SqlLedger, progress: Progress | None) -> int:
    """Copy every row that the target lacks, in batches, each in a transaction of its own; return how many there are."""
    total = sum(int(source.execute(f"SELECT count(*) FROM {table}").get) for table in TABLES)
    done = 0
    for table, key in TABLES.items():
        columns = source.columns(table)
        with target.database.reading() as db:
            done += int(db.execute(f"SELECT count(*) FROM {table}").get)
            last = first(db.execute(f"SELECT {_list(key)} FROM {table} ORDER BY {_list(key, ' DESC')} LIMIT 1"))
        insert = f"INSERT INTO {table} ({_list(columns)}) VALUES ({', '.join('?' * len(columns))})"
        for batch in _batches(source, table, columns, key, last):
            with target.database.writing() as db:
                db.executemany(insert, batch)
            done += len(batch)
            if progress is not None:
                progress(done, total, "rows")
    with target.database.writing() as db:
        for table in COUNTERS:
            rows, columns = source.execute(f"SELECT * FROM {table}").fetchall(), source.columns(table)
            db.execute(f"DELETE FROM {table}")
            db.executemany(f"INSERT INTO {table} ({_list(columns)}) VALUES ({', '.join('?' * len(columns))})", rows)
    return total


def state_digest(db: Connection) -> str:
    """Return the digest of every row of a store, the same in every engine."""
    digest = hashlib.sha256()
    for table, key in TABLES.items():
        columns = sorted(db.columns(table))
        for batch in _batches(db, table, columns, key, None):
            for row in batch:
                digest.update(repr([table, *map(_plain, row)]).encode("utf-8", "surrogatepass"))
    for table in COUNTERS:
        digest.update(repr([table, *map(_plain, first(db.execute(f"SELECT * FROM {table}")) or ())]).encode())
    return f"sha256:{digest.hexdigest()}"


def check_copied(source: Connection, target: SqlLedger) -> str:
    """Return the digest of both stores, or raise Corrupt if they differ."""
    with target.database.reading() as db:
        found = state_digest(db)
    if found != state_digest(source):
        raise Corrupt(
            "the copy differs from the store", code="damaged_copy", hint="run 'satchel doctor' on the store, then again"
        )
    return found


def _batches(
    db: Connection, table: str, columns: Sequence[str], key: Sequence[str], after: Row | None
) -> Iterator[list[Row]]:
    """Yield the rows of a table in the order of its key, after a key."""
    places = [columns.index(name) for name in key]
    while True:
        where = f"WHERE ({_list(key)}) > ({', '.join('?' * len(key))})" if after is not None else ""
        query = f"SELECT {_list(columns)} FROM {table} {where} ORDER BY {_list(key)} LIMIT {ROWS_PER_BATCH}"
        batch: list[Row] = db.execute(query, after or ()).fetchall()
        if not batch:
            return
        yield batch
        after = tuple(batch[-1][place] for place in places)


def _list(names: Sequence[str], suffix: str = "") -> str:
    return ", ".join(f'"{name}"{suffix}' for name in names)


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) else value
