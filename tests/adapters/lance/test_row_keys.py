"""The ledger keys that a search looks up in memory: those of its version, whatever was written meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import lance
import pytest

from satchel.adapters.lance.index import LanceIndex
from satchel.adapters.lance.row_keys import RowKeys
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.scope import Reach
from satchel.domain.view import View
from tests.adapters.samples import NOW, SPACE, change, embed, erase, memory, store, unit

GLOBAL = View(Reach(("global",)), NOW)


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    opened = SqliteLedger(None)
    yield opened
    opened.close()


@pytest.fixture
def index(ledger: SqliteLedger, tmp_path: Path) -> LanceIndex:
    """An index of several fragments, which was searched before."""
    made = LanceIndex(tmp_path / "index", ledger.memories)
    for number in range(4):
        add(ledger, made, f"m{number}")
    found(made)
    return made


def add(ledger: SqliteLedger, index: LanceIndex, id: str) -> None:
    store(ledger, memory(id, f"walrus {id}"))
    embed(ledger, {id: unit(1, 0, 0, 0)})
    catch_up(ledger, index)


def catch_up(ledger: SqliteLedger, index: LanceIndex) -> None:
    assert index.catch_up(ledger.feed, SPACE).current


def found(index: LanceIndex) -> dict[str, str]:
    return {one.id: one.content_hash for one in index.match(["walrus"], GLOBAL, 100)}


def known(ledger: SqliteLedger) -> dict[str, str]:
    return dict(ledger.feed.fingerprints())


def test_a_later_search_finds_the_same_records(ledger: SqliteLedger, index: LanceIndex) -> None:
    assert found(index) == known(ledger) == found(index)


def test_new_changed_erased_and_merged_rows_are_followed(ledger: SqliteLedger, index: LanceIndex) -> None:
    add(ledger, index, "m9")
    assert found(index) == known(ledger)

    change(ledger, memory("m1", "walrus m1"), importance=0.9)
    catch_up(ledger, index)
    assert found(index) == known(ledger)

    erase(ledger, "m2")
    catch_up(ledger, index)
    assert found(index) == known(ledger) and "m2" not in known(ledger)

    index.optimize()
    assert found(index) == known(ledger)


def test_a_rebuilt_index_has_its_own_keys(ledger: SqliteLedger, index: LanceIndex) -> None:
    index.drop()
    catch_up(ledger, index)
    assert found(index) == known(ledger)


def test_a_search_keeps_its_version_while_another_moves_on(
    ledger: SqliteLedger, index: LanceIndex, tmp_path: Path
) -> None:
    dataset, keys = lance.dataset(str(tmp_path / "index" / "memories.lance")), RowKeys()
    assert keys.at_version(dataset) is None, "a process may search only once"
    before = keys.at_version(dataset)
    rows = dataset.to_table(columns=["ledger_key", "_rowid"])
    index.optimize()
    dataset.checkout_latest()
    after = keys.at_version(dataset)

    assert before is not None and after is not None
    assert before.get(rows["_rowid"].to_pylist()) == rows["ledger_key"].to_pylist()
    merged = dataset.to_table(columns=["ledger_key", "_rowid"])
    assert merged["_rowid"].to_pylist() != rows["_rowid"].to_pylist()
    assert after.get(merged["_rowid"].to_pylist()) == merged["ledger_key"].to_pylist()


def test_a_deleted_row_does_not_move_the_keys_after_it(ledger: SqliteLedger, index: LanceIndex, tmp_path: Path) -> None:
    index.optimize()
    change(ledger, memory("m1", "walrus m1"), importance=0.9)
    catch_up(ledger, index)
    dataset, keys = lance.dataset(str(tmp_path / "index" / "memories.lance")), RowKeys()
    keys.at_version(dataset)
    read = keys.at_version(dataset)

    rows = dataset.to_table(columns=["ledger_key", "_rowid"])
    assert any(one.num_deletions for one in dataset.get_fragments())
    assert read is not None and read.get(rows["_rowid"].to_pylist()) == rows["ledger_key"].to_pylist()
