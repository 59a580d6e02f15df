"""What export and import need from the ledger: a snapshot, known records and transactions."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.sql.migrations import MIGRATIONS
from satchel.adapters.sqlite.connection import Connection
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.record import Label, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.text import normalize_text
from satchel.domain.view import admin_view
from satchel.ports import Change, KnownRecords, TextKey
from tests.adapters.samples import ALL, NOW, change, erase, memory, receipt, store


@pytest.fixture(params=["memory", "file"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteLedger]:
    ledger = SqliteLedger(None if request.param == "memory" else tmp_path / "ledger.sqlite3")
    yield ledger
    ledger.close()


def text_key(text: str, scope: str = "global", *, live: bool = True) -> TextKey:
    return TextKey(scope, live, normalize_text(text))


class TestWalk:
    def test_records_come_oldest_first_and_then_by_id(self, ledger: SqliteLedger) -> None:
        store(ledger, memory("b", created_at=2), memory("a", created_at=2), memory("c", created_at=1, scope="work"))

        assert [one.id for one in ledger.memories.walk(ALL)] == ["c", "a", "b"]
        assert [one.id for one in ledger.memories.walk(admin_view(Reach(("global",)), NOW))] == ["a", "b"]
        assert [one.id for one in ledger.memories.walk(admin_view(Reach(("global", "work")), NOW))] == ["c", "a", "b"]

    def test_concurrent_writes_are_neither_seen_nor_blocked(self, tmp_path: Path) -> None:
        ledger = SqliteLedger(tmp_path / "ledger.sqlite3")
        store(ledger, *(memory(f"m{number}", created_at=number) for number in range(5)))
        walk = ledger.memories.walk(ALL)
        seen = [next(walk)]
        store(ledger, memory("later", created_at=100))
        erase(ledger, "m3")
        seen += walk

        assert [one.id for one in seen] == [f"m{number}" for number in range(5)]
        ledger.close()

    def test_a_walk_that_ends_early_releases_its_connection(self, ledger: SqliteLedger) -> None:
        store(ledger, *(memory(f"m{number}") for number in range(5)))
        walk = ledger.memories.walk(ALL)
        next(walk)
        walk.close()  # type: ignore[attr-defined]

        store(ledger, memory("after"))
        assert ledger.memories.scrub()


class TestKnown:
    def test_ids_are_known_with_their_scope_even_after_erasure(self, ledger: SqliteLedger) -> None:
        store(ledger, memory("a"), memory("b", scope="work"), memory("c", scope="work"))
        erase(ledger, "c")
        asked = [MemoryId(id) for id in "abcd"]

        assert ledger.memories.known(asked, []) == KnownRecords(
            {MemoryId("a"): "global", MemoryId("b"): "work", MemoryId("c"): "work"}, frozenset()
        )

    def test_a_text_is_known_by_its_normalised_form_scope_and_liveness(self, ledger: SqliteLedger) -> None:
        store(ledger, memory("a", "Straße  NACH Oslo"), memory("b", "old", state=State.RETIRED))
        same, elsewhere = text_key("ｓｔｒａｓｓｅ nach\toslo"), text_key("Straße nach Oslo", "work")
        put_away, holding = text_key("OLD", live=False), text_key("old")

        found = ledger.memories.known([], [same, elsewhere, put_away, holding])
        assert found == KnownRecords({}, frozenset({same, put_away}))

    def test_a_changed_or_erased_text_is_no_longer_known(self, ledger: SqliteLedger) -> None:
        first, gone = memory("a", "before"), memory("b", "gone")
        store(ledger, first, gone)
        change(ledger, first, text="after")
        erase(ledger, "b")

        asked = [text_key(text) for text in ("before", "after", "gone")]
        assert ledger.memories.known([], asked).text_keys == {text_key("after")}

    def test_more_ids_than_fit_one_query_are_found(self, ledger: SqliteLedger) -> None:
        records = [memory(f"m{number}") for number in range(1200)]
        store(ledger, *records)

        assert len(ledger.memories.known([one.id for one in records], []).ids) == 1200


class TestTransaction:
    def test_a_transaction_is_all_or_nothing(self, ledger: SqliteLedger) -> None:
        with ledger.memories.transaction():
            store(ledger, memory("a"))
            store(ledger, memory("b"))
        with pytest.raises(RuntimeError), ledger.memories.transaction():
            store(ledger, memory("c"))
            raise RuntimeError
        store(ledger, memory("d"))

        assert [one.id for one in ledger.memories.walk(admin_view(EVERYWHERE, NOW))] == ["a", "b", "d"]
        assert ledger.receipts.verify().broken_at is None

    def test_another_writer_waits_for_the_transaction(self, tmp_path: Path) -> None:
        one, other = (SqliteLedger(tmp_path / "ledger.sqlite3") for _ in range(2))
        order: list[str] = []

        def write() -> None:
            other.memories.commit([Change(memory("theirs"), None, "store", "tester")], receipt("theirs"))
            order.append("theirs")

        thread = threading.Thread(target=write)
        with one.memories.transaction():
            thread.start()
            store(one, memory("mine"))
            order.append("mine")
        thread.join()

        assert order == ["mine", "theirs"]
        one.close()
        other.close()


def _made_since(db: Connection, version: int) -> list[tuple[str, str]]:
    """Return the tables and indexes that the steps after a version make, full texts first: their own tables go with them."""
    older = Connection(":memory:")
    for migration in MIGRATIONS[:version]:
        migration(older)
    listed = "SELECT upper(type), name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
    known = {name for _, name, _ in older.execute(listed)}
    made = [(kind, name, "VIRTUAL" not in sql) for kind, name, sql in db.execute(listed) if name not in known]
    return [(kind, name) for kind, name, _ in sorted(made, key=lambda one: (one[2], one[1]))]


def test_migrating_an_older_ledger_adds_text_keys(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    ledger = SqliteLedger(path)
    store(ledger, *(memory(f"m{number}", f"Text {number}") for number in range(2500)))
    ledger.close()
    older = Connection(str(path))
    older.execute("DROP INDEX memories_text_key; ALTER TABLE memories DROP COLUMN text_key")
    older.execute("DROP INDEX memories_gist_key; ALTER TABLE memories DROP COLUMN gist_key")
    for kind, name in _made_since(older, 6):
        older.execute(f'DROP {kind} IF EXISTS "{name}"')
    older.execute("PRAGMA user_version = 6")
    older.close()

    ledger = SqliteLedger(path)
    asked = [text_key(f"text {number}") for number in (0, 999, 1000, 2499, 2500)]
    assert ledger.memories.known([], asked).text_keys == frozenset(asked[:4])
    everything = admin_view(EVERYWHERE, 0)
    assert [one.id for one in ledger.memories.near_duplicates("the TEXT 999!", everything, 5)] == ["m999"]
    assert ledger.memories.tiers(EVERYWHERE) == {(Trust.TRUSTED, Label.UNKNOWN)}
    ledger.close()
