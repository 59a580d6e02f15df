"""Detection of manual edits of the receipt chain."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.canonical import digest
from satchel.domain.record import MemoryId
from satchel.ports import ChainState
from tests.adapters.samples import memory, receipt, store

RECEIPTS = 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with a chain of receipts, closed."""
    ledger = SqliteLedger(tmp_path / "ledger.sqlite3")
    for number in range(RECEIPTS):
        store(ledger, memory(f"m{number}"))
    assert ledger.receipts.verify() == ChainState(RECEIPTS, None)
    ledger.close()
    return tmp_path / "ledger.sqlite3"


def edited(path: Path, *statements: str) -> ChainState:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()
    ledger = SqliteLedger(path)
    try:
        return ledger.receipts.verify()
    finally:
        ledger.close()


def swap(one: int, other: int) -> tuple[str, ...]:
    numbers = ((one, -1), (other, one), (-1, other))
    return tuple(f"UPDATE receipts SET seq = {to} WHERE seq = {number}" for number, to in numbers)


@pytest.mark.parametrize("seq", range(1, RECEIPTS + 1))
@pytest.mark.parametrize(
    "tampering",
    [
        lambda seq: (f"UPDATE receipts SET body = replace(body, 'tore', 'TORE') WHERE seq = {seq}",),
        lambda seq: (f"UPDATE receipts SET body = body || ' ' WHERE seq = {seq}",),
        lambda seq: (f"UPDATE receipts SET body = '{{}}', digest = '{digest('{}')}' WHERE seq = {seq}",),
        lambda seq: (f"UPDATE receipts SET at = at + 1 WHERE seq = {seq}",),
        lambda seq: (f"UPDATE receipts SET link = digest WHERE seq = {seq}",),
    ],
    ids=["body", "blank", "body and digest", "at", "link"],
)
def test_a_changed_receipt_is_found(path: Path, seq: int, tampering: Callable[[int], tuple[str, ...]]) -> None:
    assert edited(path, *tampering(seq)).broken_at == seq


@pytest.mark.parametrize("seq", range(1, RECEIPTS))
def test_a_removed_receipt_is_found_at_the_next_one(path: Path, seq: int) -> None:
    assert edited(path, f"DELETE FROM receipts WHERE seq = {seq}").broken_at == seq + 1


@pytest.mark.parametrize("left", range(RECEIPTS))
def test_removing_the_newest_receipts_is_found(path: Path, left: int) -> None:
    assert edited(path, f"DELETE FROM receipts WHERE seq > {left}").broken_at is not None


@pytest.mark.parametrize(("one", "other"), [(1, 2), (2, 4), (4, 5), (1, 5)])
def test_swapped_receipts_are_found(path: Path, one: int, other: int) -> None:
    assert edited(path, *swap(one, other)).broken_at == one


def test_an_added_receipt_is_found(path: Path) -> None:
    columns = "digest, operation, at, duration_ms, body, link"
    added = f"INSERT INTO receipts ({columns}) SELECT {columns} FROM receipts WHERE seq = 2"
    assert edited(path, added).broken_at == RECEIPTS + 1


def test_a_changed_operation_of_a_receipt_is_found(path: Path) -> None:
    assert edited(path, "UPDATE receipts SET operation = 'recall' WHERE seq = 3").broken_at == 3


def test_the_chain_goes_on_after_reopening(path: Path) -> None:
    ledger = SqliteLedger(path)
    assert ledger.receipts.keep(receipt("one more"), [])
    assert ledger.receipts.verify() == ChainState(RECEIPTS + 1, None)
    ledger.close()


def test_use_is_counted_apart_from_the_records(path: Path) -> None:
    ledger = SqliteLedger(path)
    ledger.receipts.keep(receipt("recall", at=5), [MemoryId("m0"), MemoryId("m1")])
    ledger.receipts.keep(receipt("recall", at=7), [MemoryId("m0")])
    ledger.close()
    connection = apsw.Connection(str(path))
    assert list(connection.execute("SELECT * FROM use ORDER BY memory_id")) == [("m0", 2, 7), ("m1", 1, 5)]
    connection.close()


def test_a_read_does_not_wait_for_a_writer_to_keep_its_receipt(path: Path) -> None:
    ledger, writer = SqliteLedger(path), apsw.Connection(str(path))
    writer.execute("BEGIN IMMEDIATE")
    assert not ledger.receipts.keep(receipt("recall"), [MemoryId("m0")])
    writer.execute("ROLLBACK")
    assert ledger.receipts.keep(receipt("recall"), [MemoryId("m0")])
    assert ledger.receipts.verify() == ChainState(RECEIPTS + 1, None)
    writer.close()
    ledger.close()


def test_a_damaged_receipt_does_not_hide_those_of_a_scope(path: Path) -> None:
    edited(path, "UPDATE receipts SET body = 'no json' WHERE seq = 2")
    ledger = SqliteLedger(path)
    assert ledger.receipts.recent(9, scope="global") == []
    ledger.close()


FULL, NORMAL = 2, 1


def test_only_the_receipt_of_a_read_is_not_synced(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite3")
    connection, seen = ledger._database._connection, list[int]()

    def look(event: dict[str, Any]) -> None:
        if event["sql"].startswith("INSERT INTO receipts"):
            seen.append(connection.pragma("synchronous"))

    connection.trace_v2(apsw.SQLITE_TRACE_STMT, look)
    store(ledger, memory("m1"))
    assert ledger.receipts.keep(receipt("a recall"), [MemoryId("m1")])
    store(ledger, memory("m2"))
    assert seen == [FULL, NORMAL, FULL]
    assert ledger.receipts.verify() == ChainState(3, None)
    ledger.close()


def test_writes_after_a_failed_receipt_are_still_durable(tmp_path: Path) -> None:
    ledger, other = SqliteLedger(tmp_path / "ledger.sqlite3"), apsw.Connection(str(tmp_path / "ledger.sqlite3"))
    other.execute("BEGIN IMMEDIATE")
    assert not ledger.receipts.keep(receipt("a recall"), [])
    assert ledger._database._connection.pragma("synchronous") == FULL
    other.close()
    ledger.close()
