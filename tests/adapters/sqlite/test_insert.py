"""New memories written together: the same as one by one, all or none."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from satchel.adapters.sql.memories import store as memory_store
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.record import Memory
from satchel.errors import Conflict
from satchel.ports import Change
from tests.adapters.samples import ALL, erase, memory, receipt, store

RECEIPT = receipt("import")
TABLES = ("memories", "events", "sequence", "memories_text_docsize")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(tmp_path / "ledger.sqlite3")
    yield opened
    opened.close()


def new(*memories: Memory) -> list[Change]:
    return [Change(one, None, "import", "someone") for one in memories]


def contents(ledger: SqliteLedger) -> dict[str, list[tuple[object, ...]]]:
    connection = apsw.Connection(ledger.location)
    found = {name: list(connection.execute(f"SELECT * FROM {name}")) for name in TABLES}
    connection.close()
    return found


def some_changes() -> list[Change]:
    """New memories, one that changes one of them, and more new ones."""
    first, *others = [memory(f"m{number}", f"walrus {number}", tags=("sea",)) for number in range(7)]
    edited = replace(first, text="a seal", content_hash="")
    changed = Change(edited, first, "edit", "someone", "because")
    return [*new(first, *others[:3]), changed, *new(*others[3:])]


def commit_each(ledger: SqliteLedger, changes: Sequence[Change]) -> None:
    for change in changes:
        ledger.memories.commit([change], RECEIPT)


@pytest.mark.parametrize("per_batch", [1, 2, 1_000])
def test_memories_written_together_are_as_if_written_one_by_one(
    ledger: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, per_batch: int
) -> None:
    apart = SqliteLedger(tmp_path / "apart.sqlite3")
    commit_each(apart, some_changes())
    monkeypatch.setattr(memory_store, "NEW_PER_BATCH", per_batch)
    last = ledger.memories.commit(some_changes(), RECEIPT)
    assert last == ledger.feed.tip() == apart.feed.tip()
    assert contents(ledger) == contents(apart)
    for term in ("walrus", "seal", "sea"):
        assert ledger.memories.match([term], ALL, 20) == apart.memories.match([term], ALL, 20)
    assert [*ledger.feed.fingerprints()] == [*apart.feed.fingerprints()]
    assert [finding.status for finding in ledger.check_up()] == ["ok"] * len(ledger.check_up())
    apart.close()


def test_nothing_is_written_if_an_id_is_taken_twice_given_or_forgotten(ledger: SqliteLedger) -> None:
    store(ledger, memory("here"), memory("gone"))
    erase(ledger, "gone")
    before = contents(ledger)
    for ids in (("a", "here"), ("a", "gone"), ("a", "b", "a")):
        with pytest.raises(Conflict):
            ledger.memories.commit(new(*(memory(id) for id in ids)), RECEIPT)
        assert contents(ledger) == before
    assert ledger.receipts.verify().broken_at is None
