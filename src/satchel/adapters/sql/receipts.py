"""The receipt chain of a ledger; its head is stored apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql.engine import Connection, Database, Row, first
from satchel.adapters.sql.records import RecordFormat, read_page
from satchel.adapters.sql.where import Clause, all_of, one_of
from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.receipt import GENESIS, Receipt, chain_link
from satchel.errors import Unavailable
from satchel.ports import ChainState, PrunedReceipts, ReceiptSize, StoredReceipt

if TYPE_CHECKING:
    from satchel.domain.record import MemoryId

MAX_FOUND = 5
PRUNE = "receipts prune"
# What later operations read: how old a backup is, which trust an undo restores, what was pruned.
KEPT_OPERATIONS = (PRUNE, "backup", "backup restore", "confirm", "undo")
_IS_PRUNED = "body = ''"
_PRUNABLE = f"at < ? AND body <> '' AND operation NOT IN ({', '.join('?' * len(KEPT_OPERATIONS))})"
_PRUNE = "UPDATE receipts SET body = '' WHERE seq = ?"
_EVERY_RECEIPT = (
    "SELECT seq, at, CAST(digest AS BLOB), CAST(operation AS BLOB), CAST(body AS BLOB), CAST(link AS BLOB) "
    "FROM receipts ORDER BY seq"
)


class SqlReceipts:
    """Implements ports.ReceiptStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, receipt: Receipt, used: Sequence[MemoryId]) -> bool:
        if self._database.read_only:
            return False
        try:
            # Not synced to disk: a power cut may lose this receipt, which changes no memory.
            with self._database.writing(optional=True, durable=False) as db:
                append(db, receipt)
                count_use(db, used, receipt.at)
        except Unavailable:
            return False
        return True

    def recent(
        self,
        limit: int,
        operation: str | Sequence[str] | None = None,
        scope: str | None = None,
        *,
        since: int | None = None,
        until: int | None = None,
        before: int | None = None,
        mentions: str | None = None,
        actor: str | None = None,
        among: int | None = None,
    ) -> list[StoredReceipt]:
        operations = [operation] if isinstance(operation, str) else operation
        wanted: dict[str, object] = {
            "seq > (SELECT coalesce(max(seq), 0) FROM receipts) - ?": among,
            "seq < ?": before,
            "at >= ?": since,
            "at < ?": until,
            # An id is one JSON string of the body. Columns before the body are compared first: it is large.
            "instr(body, ?) > 0": None if mentions is None else canonical(mentions),
        }
        clauses: list[Clause] = [(sql, [value]) for sql, value in wanted.items() if value is not None]
        if operations is not None:
            clauses.insert(0, one_of("operation", operations))
        return self._newest(all_of(*clauses, _asked_in(scope), _asked_by(actor)), limit)

    def find(self, name: str, scope: str | None = None) -> list[StoredReceipt]:
        wanted = name if name.startswith("sha256:") else f"sha256:{name}"
        named: Clause = ("digest >= ? AND digest < ?", [wanted, wanted + "\x7f"])
        return self._newest(all_of(named, _asked_in(scope)), MAX_FOUND)

    def size(self) -> ReceiptSize:
        with self._database.reading() as db:
            count, since, stored = db.execute(
                "SELECT count(*), min(at), coalesce(sum(length(body)), 0) FROM receipts"
            ).get
            pruned = db.execute(f"SELECT count(*) FROM receipts WHERE {_IS_PRUNED}").get
            return ReceiptSize(count, pruned, stored, since)

    def prunable(self, before: int) -> tuple[int, int]:
        with self._database.reading() as db:
            query = f"SELECT count(*), coalesce(sum(length(body)), 0) FROM receipts WHERE {_PRUNABLE}"
            number, stored = db.execute(query, (before, *KEPT_OPERATIONS)).get
            return int(number), int(stored)

    def prune(self, before: int, limit: int, receipt: Callable[[PrunedReceipts], Receipt]) -> Iterator[PrunedReceipts]:
        query = f"SELECT seq, length(body), CAST(digest AS BLOB) FROM receipts WHERE seq > ? AND {_PRUNABLE} ORDER BY seq LIMIT ?"
        last, all_pruned = 0, _PrunedProof()
        while True:
            with self._database.writing() as db:
                found = list[Row](db.execute(query, (last, before, *KEPT_OPERATIONS, limit)))
                if not found:
                    return
                last = found[-1][0]
                if all_pruned.is_before(found[0][0]) and all_pruned.state == _attested(db):
                    all_pruned.add((seq, body_digest) for seq, _, body_digest in found)
                    db.executemany(_PRUNE, [(seq,) for seq, *_ in found])
                else:
                    # The first batch, or another process has pruned meanwhile.
                    db.executemany(_PRUNE, [(seq,) for seq, *_ in found])
                    all_pruned = _pruned(db)
                pruned = PrunedReceipts(len(found), sum(chars for _, chars, _ in found), *all_pruned.state)
                append(db, receipt(pruned))
            yield pruned

    def verify(self) -> ChainState:
        with self._database.reading() as db:
            count, previous = 0, GENESIS
            for seq, at, *texts in db.execute(_EVERY_RECEIPT):
                # A text that cannot be decoded differs from every digest.
                body_digest, operation, body, kept_link = (one.decode("utf-8", "backslashreplace") for one in texts)
                count += 1
                if body and digest(body) != body_digest:
                    return ChainState(count, seq, "its body was changed")
                previous = chain_link(previous, body_digest, at)
                if previous != kept_link:
                    return ChainState(count, seq, "a receipt before it was removed, added or moved")
                if body and json.loads(body)["operation"] != operation:
                    return ChainState(count, seq, "it is filed under another operation")
            if _pruned(db).state != _attested(db):
                return ChainState(count, count, "a body was removed, and no prune accounts for it")
            if _head(db) != (count, previous):
                return ChainState(count, count, "the newest receipts were removed or added")
            orphans = "SELECT count(*) FROM events WHERE receipt NOT IN (SELECT digest FROM receipts)"
            if changes := db.execute(orphans).get:
                return ChainState(count, count, f"{changes} changes of memories have no receipt")
            return ChainState(count, None)

    def _newest(self, clause: Clause, limit: int) -> list[StoredReceipt]:
        where, values = all_of(clause, ("body <> ''", []))
        query = f"SELECT {_RECEIPTS.selected} FROM receipts m WHERE {where} ORDER BY seq DESC LIMIT ?"
        with self._database.reading() as db:
            return read_page(_RECEIPTS, db, query, values, limit)


class _PrunedProof:
    """A digest of which receipts have no body any more, in their order. Later ones can be added to it."""

    def __init__(self) -> None:
        self._number, self._last = 0, 0
        self._digest = hashlib.sha256()

    @property
    def state(self) -> tuple[int, str]:
        """How many receipts there are, and the digest."""
        return self._number, f"sha256:{self._digest.hexdigest()}"

    def is_before(self, seq: int) -> bool:
        """Return whether all receipts came before another one."""
        return self._last < seq

    def add(self, receipts: Iterable[tuple[int, bytes]]) -> None:
        """Add receipts in their order, each with its digest."""
        for seq, body_digest in receipts:
            self._number, self._last = self._number + 1, seq
            self._digest.update(b"%d %s\n" % (seq, body_digest))


def _pruned(db: Connection) -> _PrunedProof:
    """Return the proof of all receipts that have no body any more."""
    proof = _PrunedProof()
    proof.add(db.execute(f"SELECT seq, CAST(digest AS BLOB) FROM receipts WHERE {_IS_PRUNED} ORDER BY seq"))
    return proof


def _attested(db: Connection) -> tuple[int, str]:
    """Return what the last prune says that is pruned. Its own receipt is in the chain, and is never pruned."""
    query = "SELECT body FROM receipts WHERE operation = ? ORDER BY seq DESC LIMIT 1"
    row = first(db.execute(query, (PRUNE,)))
    if row is None:
        return _PrunedProof().state
    decided = json.loads(row[0])["decided"]
    return decided["pruned_in_all"], decided["proof"]


def append(db: Connection, receipt: Receipt) -> None:
    """Add a receipt to the chain, in the transaction of the change that it belongs to."""
    count, previous = _head(db)
    body = canonical(receipt.body)
    body_digest = digest(body)
    next_link = chain_link(previous, body_digest, receipt.at)
    db.execute(
        "INSERT INTO receipts (digest, operation, at, duration_ms, body, link) VALUES (?, ?, ?, ?, ?, ?)",
        (body_digest, receipt.operation, receipt.at, receipt.duration_ms, body, next_link),
    )
    db.execute("DELETE FROM receipt_head")
    db.execute("INSERT INTO receipt_head VALUES (?, ?)", (count + 1, next_link))


def append_follow_up(
    db: Connection, cause: Receipt, operation: str, asked: Mapping[str, Json], decided: Mapping[str, Json]
) -> Receipt:
    """Append the receipt of a step that another write causes, at its time and by its actor; return it."""
    receipt = Receipt(operation, asked, decided=decided, at=cause.at, actor=cause.actor)
    append(db, receipt)
    return receipt


def count_use(db: Connection, used: Sequence[MemoryId], at: int) -> None:
    """Count the use of memories that were returned."""
    db.executemany(
        "INSERT INTO use VALUES (?, 1, ?) ON CONFLICT (memory_id) DO UPDATE SET "
        "recalled = use.recalled + 1, last_recalled_at = excluded.last_recalled_at",
        [(id, at) for id in used],
    )


def _asked_in(scope: str | None) -> Clause:
    # A damaged receipt must not hide the others.
    asked = "CASE WHEN json_valid(body) THEN json_extract(body, '$.asked.scope') END = ?"
    return ("true", []) if scope is None else (asked, [scope])


def _asked_by(actor: str | None) -> Clause:
    """A name without a token means every token of the user."""
    if actor is None:
        return "true", []
    asked = "CASE WHEN json_valid(body) THEN json_extract(body, '$.actor') END"
    # "0" is the character after "/".
    return f"({asked} = ? OR ({asked} >= ? AND {asked} < ?))", [actor, f"{actor}/", f"{actor}0"]


def _head(db: Connection) -> tuple[int, str]:
    row = first(db.execute("SELECT receipts, CAST(link AS BLOB) FROM receipt_head"))
    # From a damaged head the chain goes on, and its verification reports the next receipt.
    return (0, GENESIS) if row is None else (row[0], row[1].decode("utf-8", "backslashreplace"))


def _receipt(row: Row) -> StoredReceipt:
    body_digest, _, seq, operation, at, duration_ms, body = row
    if digest(body) != body_digest:
        raise ValueError(body_digest)
    return StoredReceipt(seq, body_digest, operation, at, duration_ms, json.loads(body))


# A damaged receipt is left out of lists, and stays as it is: a chain that was mended would prove nothing.
_RECEIPTS = RecordFormat(
    "receipt",
    {
        "id": "m.digest",
        "scope": "''",
        **{name: f"m.{name}" for name in ("seq", "operation", "at", "duration_ms", "body")},
    },
    from_row=_receipt,
)
