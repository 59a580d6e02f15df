"""Old receipts lose their bodies; the chain still proves that they were there, and that nothing else was removed."""

from collections.abc import Iterator

import apsw
import pytest
from msgspec.structs import asdict, replace

from satchel.app import Satchel
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, NotFound
from satchel.ports import PrunedReceipts
from tests.tables import each_case

DAY_MS = 86_400_000


class _Clock:
    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def ticks(self) -> float:
        return 0.0


def later(memory: Satchel, days: int) -> Satchel:
    return Satchel(replace(memory.parts, clock=_Clock(memory.parts.clock.now() + days * DAY_MS)))


def run_sql(memory: Satchel, statement: str) -> None:
    db = apsw.Connection(memory.parts.ledger.location)
    db.execute(statement)
    db.close()


def body_of(memory: Satchel, seq: int) -> str:
    db = apsw.Connection(memory.parts.ledger.location)
    body = str(db.execute("SELECT body FROM receipts WHERE seq = ?", (seq,)).get)
    db.close()
    return body


@pytest.fixture
def pruned(memory: Satchel) -> Satchel:
    """A store with three old receipts, of which two are pruned, and a new one."""
    told = memory.store("The forum says the walrus sings", source_kind="web").result.id
    memory.recall("walrus", mode="lexical")
    memory.confirm([told])
    old = later(memory, 100)
    old.recall("herring", mode="lexical")
    done = old.maintenance.receipts_prune(older_than=90).result
    assert (done.dry_run, done.pruned, done.pruned_in_all, done.chars > 0) == (False, 2, 2, True)
    return old


def test_the_chain_stays_whole_and_the_bodies_are_gone(pruned: Satchel) -> None:
    chain = pruned.maintenance.receipts_verify().result

    assert (chain.receipts, chain.broken_at) == (5, None)
    assert [one.operation for one in pruned.maintenance.receipts_list().result] == [
        "receipts prune",
        "recall",
        "confirm",
    ]
    assert pruned.maintenance.doctor().result.healthy


def test_what_later_operations_read_is_kept(pruned: Satchel) -> None:
    undone = pruned.history.undo().result
    assert undone.change.operation == "confirm"


def test_a_second_prune_accounts_for_both(pruned: Satchel) -> None:
    much_later = later(pruned, 200)

    again = much_later.maintenance.receipts_prune(older_than=90).result

    assert (again.pruned, again.pruned_in_all) == (1, 3)
    assert much_later.maintenance.receipts_verify().result.broken_at is None
    assert much_later.maintenance.receipts_prune(older_than=90).result.pruned == 0


def prune_one_by_one(memory: Satchel, before: int) -> Iterator[PrunedReceipts]:
    def receipt(pruned: PrunedReceipts) -> Receipt:
        return Receipt("receipts prune", {}, decided=asdict(pruned), at=memory.parts.clock.now(), actor="test")

    return memory.parts.ledger.receipts.prune(before, 1, receipt)


def test_every_batch_accounts_for_all_pruned_receipts(memory: Satchel) -> None:
    for number in range(4):
        memory.store(f"We ship on day {number}")
    now = later(memory, 100).parts.clock.now()

    for number, batch in enumerate(prune_one_by_one(memory, now), start=1):
        assert (batch.pruned, batch.pruned_in_all) == (1, number)
        assert memory.maintenance.receipts_verify().result.broken_at is None

    assert memory.parts.ledger.receipts.size().pruned == 4


def test_two_prunes_at_the_same_time_account_for_both(memory: Satchel) -> None:
    for number in range(6):
        memory.store(f"We ship on day {number}")
    now = later(memory, 100).parts.clock.now()

    first, second = prune_one_by_one(memory, now), prune_one_by_one(memory, now)
    counts = [next(one).pruned_in_all for one in (first, first, second, first, second, second)]

    assert counts == [1, 2, 3, 4, 5, 6]
    assert (next(first, None), next(second, None)) == (None, None)
    assert memory.maintenance.receipts_verify().result.broken_at is None


def test_a_prune_accounts_for_receipts_after_it_that_are_pruned_already(memory: Satchel) -> None:
    newer, older = later(memory, 100), later(memory, 50)
    # Its clock was ahead, so a prune by time has left the first ones.
    newer.store("We ship on Thursdays")
    newer.store("We ship on Fridays")
    older.store("We ship on Mondays")

    assert [one.pruned_in_all for one in prune_one_by_one(memory, newer.parts.clock.now() - DAY_MS)] == [1]
    assert [one.pruned_in_all for one in prune_one_by_one(memory, newer.parts.clock.now() + DAY_MS)] == [2, 3]
    assert memory.maintenance.receipts_verify().result.broken_at is None


def test_a_body_removed_between_two_batches_is_not_accounted_for(memory: Satchel) -> None:
    for number in range(4):
        memory.store(f"We ship on day {number}")
    batches = prune_one_by_one(memory, later(memory, 100).parts.clock.now())
    next(batches)
    run_sql(memory, "UPDATE receipts SET body = '' WHERE seq = 4")

    assert [one.pruned_in_all for one in batches] == [2, 3]
    assert memory.maintenance.receipts_verify().result.broken_at is not None


def test_a_prune_accounts_for_the_very_receipts_and_not_for_as_many_others(memory: Satchel) -> None:
    for number in range(4):
        memory.store(f"We ship on day {number}")
    newer = later(memory, 100)
    body = body_of(memory, 1)
    assert next(prune_one_by_one(memory, newer.parts.clock.now())).pruned_in_all == 1
    assert memory.maintenance.receipts_verify().result.broken_at is None

    # The body that was pruned is put back, and that of another receipt is removed in its place.
    run_sql(memory, f"UPDATE receipts SET body = '{body}' WHERE seq = 1")
    run_sql(memory, "UPDATE receipts SET body = '' WHERE seq = 2")

    assert memory.maintenance.receipts_verify().result.broken_at is not None


def test_a_dry_run_counts_and_removes_nothing(memory: Satchel) -> None:
    memory.store("We ship on Thursdays")
    old = later(memory, 100)

    planned = old.maintenance.receipts_prune(older_than=90, dry_run=True).result

    assert (planned.dry_run, planned.pruned, planned.pruned_in_all) == (True, 1, 1)
    assert len(old.maintenance.receipts_list().result) == 1


@each_case(
    "statement",
    [
        "UPDATE receipts SET body = '' WHERE seq = (SELECT max(seq) - 1 FROM receipts)",
        "UPDATE receipts SET digest = 'sha256:00' WHERE seq = 1",
        "UPDATE receipts SET at = at + 1 WHERE seq = 1",
        "DELETE FROM receipts WHERE seq = 1",
        "UPDATE receipts SET body = '{}' WHERE seq = 1",
    ],
)
def test_tampering_is_noticed_as_before(memory: Satchel, statement: str) -> None:
    memory.store(f"We ship on Thursdays {statement}")
    old = later(memory, 100)
    old.recall("unrelated", mode="lexical")
    old.maintenance.receipts_prune(older_than=90)
    backup = apsw.Connection(":memory:")
    source = apsw.Connection(memory.parts.ledger.location)
    with backup.backup("main", source, "main") as copy:
        copy.step()
    run_sql(memory, statement)

    assert old.maintenance.receipts_verify().result.broken_at is not None

    with source.backup("main", backup, "main") as copy:
        copy.step()
    source.close()
    backup.close()


def test_a_pruned_receipt_cannot_be_shown(memory: Satchel) -> None:
    stored = memory.store("We ship on Thursdays")
    later(memory, 100).maintenance.receipts_prune(older_than=90)
    with pytest.raises(NotFound):
        memory.maintenance.receipts_show(stored.receipt.digest)


@each_case("days", [0, -1, 10**9, True])
def test_an_invalid_age_is_refused(memory: Satchel, days: int) -> None:
    with pytest.raises(InvalidRequest):
        memory.maintenance.receipts_prune(older_than=days)
