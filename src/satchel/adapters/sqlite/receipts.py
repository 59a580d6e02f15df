"""The book of receipts in a SQLite ledger: a chain, whose head stands apart."""

import json
from collections.abc import Sequence

import apsw

from satchel.adapters.sqlite.database import Database, Row, first
from satchel.adapters.sqlite.where import Clause, every
from satchel.domain.canonical import canonical, digest
from satchel.domain.receipt import GENESIS, Receipt, link
from satchel.domain.record import MemoryId
from satchel.errors import Unavailable
from satchel.ports import ChainState, KeptReceipt

# A read is not held up for its own receipt: under heavy writing it goes without, and says so.
READ_PATIENCE_MS = 250
MAX_FOUND = 5


class SqliteReceipts:
    """Implements ports.Receipts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, receipt: Receipt, used: Sequence[MemoryId]) -> bool:
        if self._database.read_only:
            return False
        try:
            # Nor does it wait for the disk: should a power cut take its receipt along, no memory is any different.
            with self._database.writing(READ_PATIENCE_MS, durable=False) as db:
                append(db, receipt)
                count_use(db, used, receipt.at)
        except Unavailable:
            return False
        return True

    def recent(self, limit: int, operation: str | None = None, scope: str | None = None) -> list[KeptReceipt]:
        named: Clause = ("1", []) if operation is None else ("operation = ?", [operation])
        condition, values = every(named, _asked_in(scope))
        return self._select(f"WHERE {condition} ORDER BY seq DESC LIMIT ?", [*values, limit])

    def find(self, name: str, scope: str | None = None) -> list[KeptReceipt]:
        wanted = name if name.startswith("sha256:") else f"sha256:{name}"
        named: Clause = ("digest >= ? AND digest < ?", [wanted, wanted + "\x7f"])
        condition, values = every(named, _asked_in(scope))
        return self._select(f"WHERE {condition} ORDER BY seq DESC LIMIT ?", [*values, MAX_FOUND])

    def verify(self) -> ChainState:
        with self._database.reading() as db:
            count, previous = 0, GENESIS
            for seq, body_digest, operation, at, body, kept_link in db.execute(
                "SELECT seq, digest, operation, at, body, link FROM receipts ORDER BY seq"
            ):
                count += 1
                if digest(body) != body_digest:
                    return ChainState(count, seq, "its body was changed")
                previous = link(previous, body_digest, at)
                if previous != kept_link:
                    return ChainState(count, seq, "a receipt before it was removed, added or moved")
                if json.loads(body)["operation"] != operation:
                    return ChainState(count, seq, "it is filed under another operation")
            if _head(db) != (count, previous):
                return ChainState(count, count, "the newest receipts were removed or added")
            orphans = "SELECT count(*) FROM events WHERE receipt NOT IN (SELECT digest FROM receipts)"
            if changes := db.execute(orphans).get:
                return ChainState(count, count, f"{changes} changes of memories have no receipt")
            return ChainState(count, None)

    def _select(self, condition: str, values: Sequence[str | int]) -> list[KeptReceipt]:
        with self._database.reading() as db:
            rows = db.execute(f"SELECT seq, digest, operation, at, duration_ms, body FROM receipts {condition}", values)
            return [_kept(row) for row in rows]


def append(db: apsw.Connection, receipt: Receipt) -> None:
    """Add a receipt to the chain, within the transaction of what it is the receipt for."""
    count, previous = _head(db)
    body = canonical(receipt.body)
    body_digest = digest(body)
    next_link = link(previous, body_digest, receipt.at)
    db.execute(
        "INSERT INTO receipts (digest, operation, at, duration_ms, body, link) VALUES (?, ?, ?, ?, ?, ?)",
        (body_digest, receipt.operation, receipt.at, receipt.duration_ms, body, next_link),
    )
    db.execute("DELETE FROM receipt_head")
    db.execute("INSERT INTO receipt_head VALUES (?, ?)", (count + 1, next_link))


def count_use(db: apsw.Connection, used: Sequence[MemoryId], at: int) -> None:
    """Count that memories were handed out."""
    db.executemany(
        "INSERT INTO use VALUES (?, 1, ?) ON CONFLICT (memory_id) DO UPDATE SET "
        "recalled = recalled + 1, last_recalled_at = excluded.last_recalled_at",
        [(id, at) for id in used],
    )


def _asked_in(scope: str | None) -> Clause:
    # One receipt that somebody damaged by hand must not hide the others.
    asked = "iif(json_valid(body), json_extract(body, '$.asked.scope'), NULL) = ?"
    return ("1", []) if scope is None else (asked, [scope])


def _head(db: apsw.Connection) -> tuple[int, str]:
    count, head = first(db.execute("SELECT receipts, link FROM receipt_head")) or (0, GENESIS)
    return count, head


def _kept(row: Row) -> KeptReceipt:
    seq, body_digest, operation, at, duration_ms, body = row
    return KeptReceipt(seq, body_digest, operation, at, duration_ms, json.loads(body))
