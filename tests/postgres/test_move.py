"""Moving a store into PostgreSQL and back: the same state, and what was forgotten stays forgotten."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.adapters.sql import copying
from satchel.adapters.sql.copying import TABLES, state_digest
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.move import StoreMoved
from satchel.domain.record import MemoryId
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.locations import LEDGER
from satchel.wiring.moving import move_store
from tests.faults.filled_store import fill_records, settings_of


def filled(home: Path) -> tuple[Settings, str]:
    """Make a store with records of every kind; return its settings and a forgotten id."""
    settings = settings_of(home)
    with Satchel.open(settings=settings, folder=None) as store:
        fill_records(store)
        gone = store.store("The walrus lives in the harbour").result.id
        store.forget(gone)
    return settings, gone


def in_place(settings: Settings, ledger: str, home: Path) -> Settings:
    return replace(settings, ledger=ledger, home=str(home))


def move(settings: Settings, to: str) -> StoreMoved:
    return move_store(settings, to, actor="test", progress=None).result


def digest(home: Path) -> str:
    ledger = SqliteLedger(home / LEDGER)
    try:
        with ledger.database.reading() as db:
            return state_digest(db)
    finally:
        ledger.close()


def test_every_table_is_copied(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / LEDGER)
    with ledger.database.reading() as db:
        query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        names = {name for (name,) in db.execute(query) if "_text_" not in name and not name.startswith("sqlite_")}
    ledger.close()
    assert names == {*TABLES, *copying.COUNTERS}


def test_a_store_is_the_same_there_and_back(tmp_path: Path, address: str) -> None:
    settings, gone = filled(tmp_path / "home")
    before = digest(tmp_path / "home")

    there = move(settings, address)
    assert there.digest == before
    assert digest(tmp_path / "home") == before

    in_database = in_place(settings, address, tmp_path / "other")
    with Satchel.open(settings=in_database, folder=None) as store:
        assert "The copper ship leaves" in store.recall("copper ship", limit=1).result.hits[0].memory.text
        assert store.parts.ledger.receipts.verify().broken_at is None
        with pytest.raises(NotFound):
            store.get(gone)

    back = move(in_database, "file")
    with Satchel.open(settings=in_place(settings, "", tmp_path / "other"), folder=None) as store:
        assert store.parts.ledger.receipts.verify().broken_at is None
        assert "The copper ship leaves" in store.recall("copper ship", limit=1).result.hits[0].memory.text
        assert store.parts.ledger.memories.known([MemoryId(gone)], []).ids
    assert back.rows >= there.rows


def test_an_interrupted_move_goes_on(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, _ = filled(tmp_path / "home")
    real, batches = copying._batches, 0

    def interrupted(*arguments: object) -> object:
        nonlocal batches
        for batch in real(*arguments):  # type: ignore[arg-type]
            batches += 1
            if batches == 7:
                raise KeyboardInterrupt
            yield batch

    monkeypatch.setattr(copying, "_batches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        move(settings, address)
    assert move(settings, address).digest == digest(tmp_path / "home")


def test_a_store_that_changed_meanwhile_is_copied_anew(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, _ = filled(tmp_path / "home")
    with monkeypatch.context() as patched:
        patched.setattr("satchel.wiring.moving.check_copied", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            move(settings, address)
    with Satchel.open(settings=settings, folder=None) as store:
        store.store("A change meanwhile")
    assert move(settings, address).digest == digest(tmp_path / "home")


def test_a_place_that_is_taken_is_refused(tmp_path: Path, address: str) -> None:
    settings, _ = filled(tmp_path / "home")
    move(settings, address)
    with pytest.raises(Conflict):
        move(settings, address)
    with pytest.raises(Conflict):
        move(in_place(settings, address, tmp_path / "home"), "file")


@pytest.mark.parametrize("to", ["file", "", "sqlite", "/tmp/x", "http://host/db"])
def test_a_place_that_is_none_is_one_clear_error(tmp_path: Path, to: str) -> None:
    settings, _ = filled(tmp_path / "home")
    with pytest.raises(InvalidRequest):
        move(settings, to)


def test_no_store_is_made_to_be_moved(tmp_path: Path, address: str) -> None:
    with pytest.raises(NotFound):
        move(load(home=str(tmp_path / "nothing")), address)
    assert not (tmp_path / "nothing").exists()
