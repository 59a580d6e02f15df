"""Detection of manual edits of the receipt chain."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from satchel.adapters.sql.receipts import MAX_FOUND, append_follow_up
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.canonical import canonical, digest
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId
from satchel.errors import Corrupt
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
    assert ledger.receipts.keep(receipt("recall"), [MemoryId("m0")]) is False
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
    connection, seen = ledger.database._connection, list[int]()

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
    assert ledger.database._connection.pragma("synchronous") == FULL
    other.close()
    ledger.close()


def test_each_break_of_the_chain_is_described(path: Path) -> None:
    def why(*statements: str) -> tuple[int, str]:
        copy = path.with_name("copy")
        copy.write_bytes(path.read_bytes())
        state = edited(copy, *statements)
        return state.receipts, state.problem

    assert why("UPDATE receipts SET body = body || ' ' WHERE seq = 2") == (2, "its body was changed")
    assert why("DELETE FROM receipts WHERE seq = 2") == (2, "a receipt before it was removed, added or moved")
    assert why("UPDATE receipts SET operation = 'x' WHERE seq = 3") == (3, "it is filed under another operation")
    assert why("DELETE FROM receipts WHERE seq = 5") == (4, "the newest receipts were removed or added")
    assert why("UPDATE receipts SET body = '' WHERE seq = 2") == (
        5,
        "a body was removed, and no prune accounts for it",
    )
    assert why("UPDATE receipt_head SET receipts = 4") == (5, "the newest receipts were removed or added")
    assert why("UPDATE events SET receipt = 'sha256:0' WHERE seq > 3") == (5, "2 changes of memories have no receipt")


def test_an_undecodable_text_is_a_change(path: Path) -> None:
    assert edited(path, "UPDATE receipts SET body = CAST(x'7bff7d' AS TEXT) WHERE seq = 2").broken_at == 2
    assert edited(path, "UPDATE receipt_head SET link = CAST(x'ff' AS TEXT)").broken_at is not None


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[SqliteLedger]:
    """A ledger with receipts of three operations in two scopes, at 1 to 8."""
    ledger = SqliteLedger(tmp_path / "kept")
    for at in range(1, 9):
        asked = {"scope": "mine" if at % 2 else "theirs", "n": at}
        assert ledger.receipts.keep(Receipt(("store", "recall", "pack")[at % 3], asked, at=at), [])
    yield ledger
    ledger.close()


def test_recent_receipts_come_newest_first_by_operation_and_scope(kept: SqliteLedger) -> None:
    def found(limit: int, *which: str | None) -> list[int]:
        return [one.at for one in kept.receipts.recent(limit, *which)]

    assert found(3) == [8, 7, 6]
    assert found(9) == [8, 7, 6, 5, 4, 3, 2, 1]
    assert found(9, "store") == [6, 3]
    assert found(9, "store", "mine") == [3]
    assert found(9, None, "theirs") == [8, 6, 4, 2]
    assert found(9, "nothing") == []


def test_recent_receipts_are_narrowed_by_time_number_and_record(kept: SqliteLedger) -> None:
    def found(**narrowed: Any) -> list[int]:
        return [one.at for one in kept.receipts.recent(9, **narrowed)]

    assert found(since=7) == [8, 7]
    assert found(until=3) == [2, 1]
    assert found(since=3, until=6, scope="mine") == [5, 3]
    assert found(before=4) == [3, 2, 1]
    kept.receipts.keep(Receipt("recall", {}, decided={"hits": [{"id": "abc-1"}], "used": {"abc-2": 1}}, at=9), [])
    kept.receipts.keep(Receipt("pack", {}, decided={"ids": ["abc-1", '"%_']}, at=10), [])
    assert found(mentions="abc-1") == [10, 9]
    assert found(mentions="abc-1", operation="pack") == [10]
    assert found(mentions="abc-2") == [9]
    assert found(mentions='"%_') == [10]
    assert found(mentions="abc") == found(mentions="abc%") == []


def test_recent_receipts_are_looked_for_among_the_newest(kept: SqliteLedger) -> None:
    assert [one.at for one in kept.receipts.recent(9, among=3)] == [8, 7, 6]
    assert [one.at for one in kept.receipts.recent(9, "store", among=3)] == [6]
    assert [one.at for one in kept.receipts.recent(9, "store", among=2)] == []


def test_recent_receipts_of_a_user_are_those_of_every_token_and_of_no_other_user(kept: SqliteLedger) -> None:
    for at, actor in enumerate(("user:ann", "user:ann/laptop", "user:anna", "user:an", "user:ann-b"), start=20):
        kept.receipts.keep(Receipt("recall", {}, at=at, actor=actor), [])

    def found(actor: str) -> list[int]:
        return [one.at for one in kept.receipts.recent(9, actor=actor)]

    assert found("user:ann") == [21, 20]
    assert found("user:ann/laptop") == [21]
    assert found("user:ann/phone") == []


def test_a_receipt_is_found_by_the_start_of_its_name_within_a_scope(kept: SqliteLedger) -> None:
    one = kept.receipts.recent(1)[0]
    for name in (one.digest, one.digest[:15], one.digest.removeprefix("sha256:"), one.digest[7:15]):
        assert kept.receipts.find(name) == [one]
        assert kept.receipts.find(name, "theirs") == [one]
        assert kept.receipts.find(name, "mine") == []
    assert (one.operation, one.seq, one.at, one.duration_ms) == ("pack", 8, 8, 0.0)
    assert digest(canonical(one.body)) == one.digest
    assert kept.receipts.find("0" * 64) == []
    assert [found.at for found in kept.receipts.find("")] == [8, 7, 6, 5, 4]
    assert MAX_FOUND == 5


def test_a_changed_receipt_is_left_out_of_lists(kept: SqliteLedger) -> None:
    with kept.database.writing() as db:
        db.execute("UPDATE receipts SET body = replace(body, 'mine', 'ours') WHERE seq = 7")
    assert [one.at for one in kept.receipts.recent(3)] == [8, 6, 5]


def test_a_follow_up_has_the_time_and_the_actor_of_its_cause(kept: SqliteLedger) -> None:
    cause = Receipt("forget", {}, at=99, actor="user:ann/laptop")
    with kept.database.writing() as db:
        added = append_follow_up(db, cause, "fact forget", {"source": "m1"}, {"erased": ["f1"]})

    (one,) = kept.receipts.find(added.digest)
    assert (one.operation, one.at, one.body["actor"]) == ("fact forget", 99, "user:ann/laptop")
    assert (one.body["asked"], one.body["decided"]) == ({"source": "m1"}, {"erased": ["f1"]})
    assert kept.receipts.verify() == ChainState(9, None)


def test_an_empty_chain_is_whole(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "empty")
    assert ledger.receipts.verify() == ChainState(0, None)
    ledger.close()


def test_a_store_that_is_only_read_keeps_no_receipt(path: Path) -> None:
    ledger = SqliteLedger(path, read_only=True)
    assert ledger.receipts.keep(receipt("recall"), [MemoryId("m0")]) is False
    assert ledger.receipts.verify() == ChainState(RECEIPTS, None)
    ledger.close()


def test_use_of_a_receipt_that_cannot_be_kept_is_not_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = SqliteLedger(path)
    with ledger.database.writing() as db:
        db.execute("DROP TABLE use")
    with pytest.raises(Corrupt):
        ledger.receipts.keep(receipt("recall"), [MemoryId("m0")])
    assert ledger.receipts.verify() == ChainState(RECEIPTS, None)
    ledger.close()
