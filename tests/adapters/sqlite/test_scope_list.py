"""The map of a scope's rows, by which a search skips matches in other scopes: it changes the time, not the matches."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.sqlite.connection import KEPT_MAPS, Connection
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.ranking import Candidate
from satchel.domain.scope import Reach
from satchel.domain.view import View
from tests.adapters.samples import NOW, memory, store

ALL = ("true", list[Any]())


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    """Forty memories about walruses, eight of them in the scope `few`."""
    opened = SqliteLedger(None)
    few = [memory(f"f{number}", f"walrus {'ice ' * number}", scope="few") for number in range(8)]
    many = [memory(f"m{number}", f"walrus {'ice ' * (number % 7)}", scope="many") for number in range(32)]
    store(opened, *few, *many, memory("rare", "a rare narwhal", scope="few"))
    yield opened
    opened.close()


def condition(ledger: SqliteLedger, scopes: tuple[str, ...], word: str) -> tuple[str, list[Any]]:
    with ledger.database.reading() as db:
        return db.memories_in(scopes, [word])


def matches(ledger: SqliteLedger, *scopes: str) -> list[Candidate]:
    return ledger.memories.match(["walrus", "ice"], View(Reach(scopes), NOW), 5)


@pytest.mark.parametrize("scopes", [("few",), ("many",), ("few", "many"), ("none",)])
def test_the_matches_are_the_same_with_and_without_it(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch, scopes: tuple[str, ...]
) -> None:
    found = matches(ledger, *scopes)
    monkeypatch.setattr(Connection, "memories_in", lambda *given: ALL)
    assert matches(ledger, *scopes) == found
    assert bool(found) == (scopes != ("none",))


def test_a_common_word_in_a_small_scope_is_looked_for_in_its_map(ledger: SqliteLedger) -> None:
    _, (marks,) = condition(ledger, ("few",), "walrus")
    assert marks == bytes([0, *[1] * 8, *[0] * 32, 1])


@pytest.mark.parametrize(
    ("scopes", "word"),
    [(("few",), "narwhal"), (("many",), "walrus"), (("few", "many"), "walrus"), (("none",), "walrus")],
    ids=["rare word", "most of the store", "whole store", "empty scope"],
)
def test_where_it_would_save_nothing_there_is_no_map(ledger: SqliteLedger, scopes: tuple[str, ...], word: str) -> None:
    assert condition(ledger, scopes, word) == ALL


def test_a_record_that_is_stored_later_is_found(ledger: SqliteLedger) -> None:
    assert len(matches(ledger, "few")) == 5
    best = memory("best", "walrus ice walrus ice walrus ice", scope="few")
    store(ledger, best)
    assert best.id in [one.id for one in matches(ledger, "few")]


def test_a_scope_that_grows_with_the_store_is_counted_again(ledger: SqliteLedger) -> None:
    assert condition(ledger, ("few",), "walrus") != ALL
    store(ledger, *(memory(f"n{number}", "walrus", scope="few") for number in range(60)))
    assert condition(ledger, ("few",), "walrus") == ALL


def test_a_record_that_another_process_stores_is_found(tmp_path: Path) -> None:
    here, there = SqliteLedger(tmp_path / "ledger"), SqliteLedger(tmp_path / "ledger")
    store(here, *(memory(f"m{number}", "walrus", scope="many" if number % 5 else "few") for number in range(40)))
    assert len(here.memories.match(["walrus"], View(Reach(("few",)), NOW), 50)) == 8
    store(there, memory("new", "walrus", scope="few"))
    assert len(here.memories.match(["walrus"], View(Reach(("few",)), NOW), 50)) == 9
    here.close()
    there.close()


def test_a_record_whose_storing_was_rolled_back_leaves_no_mark(ledger: SqliteLedger) -> None:
    class StopError(Exception):
        pass

    with pytest.raises(StopError), ledger.memories.transaction():
        store(ledger, memory("gone", "walrus", scope="many"))
        matches(ledger, "few")
        raise StopError
    store(ledger, memory("kept", "walrus ice walrus ice walrus ice", scope="few"))

    assert "kept" in [one.id for one in matches(ledger, "few")]


def test_the_maps_of_many_scopes_are_not_all_kept(ledger: SqliteLedger) -> None:
    for number in range(KEPT_MAPS + 2):
        store(ledger, *(memory(f"{number} {part}", "walrus", scope=f"s{number}") for part in range(8)))
    with ledger.database.reading() as db:
        found = [db.memories_in((f"s{number}",), ["walrus"])[1][0].count(1) for number in range(KEPT_MAPS + 2)]
        assert isinstance(db, Connection)
        assert (found, len(db._maps)) == ([8] * (KEPT_MAPS + 2), 2)


def test_a_scope_that_has_grown_beyond_what_is_counted_is_in_its_map_as_a_whole(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("satchel.adapters.sqlite.connection.MAX_LISTED", 9)
    assert condition(ledger, ("few",), "walrus") != ALL

    store(ledger, *(memory(f"g{number}", "another walrus", scope="few") for number in range(2)))
    _, (marks,) = condition(ledger, ("few",), "walrus")
    assert sum(marks) == 11
