"""Short references: prefixes, citations and obs: references, within what the caller may see."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import load
from satchel.core.references import MAX_REFERENCE_CHARS, resolve_id
from satchel.domain.passage import EvidenceLane, all_passages
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import admin_view
from satchel.errors import InvalidRequest, NotFound
from tests.tables import each_case

# A citation has the letter z for the digit 0, y for 1 and so on down to k for f.
SHIP = "0123abcd-0000-4000-8000-000000000001"
TEA = "0123abce-0000-4000-8000-000000000002"
COFFEE = "fedc0000-0000-4000-8000-000000000003"
SECRET = "0129ffff-0000-4000-8000-000000000004"
SHOP = "project/shop"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Satchel]:
    more = (f"{number:08x}-1111-4000-8000-000000000000" for number in range(0x90000000, 0x90001000))
    ids = chain([SHIP, TEA, COFFEE, SECRET], more)
    with Satchel.open(settings=load(home=str(tmp_path / "home")), new_id=lambda: next(ids)) as opened:
        opened.store("We ship on Thursdays", kind="decision")
        opened.store("The team drinks tea")
        opened.store("Coffee machine on floor two")
        opened.store("the alarm code of the shop", scope=SHOP)
        yield opened


@each_case(
    "reference, id",
    [
        (SHIP, SHIP),
        ("0123abcd", SHIP),
        ("0123abce-0", TEA),
        ("fedc", COFFEE),
        ("  fedc  ", COFFEE),
        ("klmn", COFFEE),
        ("[klmn]", COFFEE),
        ("klmnzz", COFFEE),
        ("mfedc00", COFFEE),
    ],
)
def test_a_unique_reference_names_the_record_everywhere(store: Satchel, reference: str, id: str) -> None:
    assert store.get(reference).result.memory.id == id
    assert store.memories.get(reference).result.memory.id == id
    assert store.observations.timeline(reference).result.around == id
    assert store.explaining.why_not("floor", reference).result.expect == id
    assert store.confirm([reference]).result.already_trusted == (id,)
    assert [one.id for one in store.review([reference]).result.items] == [id]
    assert store.attention.inspect(reference).result.memory.id == id


def test_an_ambiguous_reference_names_the_candidates_in_view_only(store: Satchel) -> None:
    # 012… also begins an id of another scope, which must not be named.
    for reference in ("0123", "[zyxw]"):
        with pytest.raises(InvalidRequest) as ambiguous:
            store.get(reference)
        assert ambiguous.value.code == "ambiguous"
        assert SHIP in ambiguous.value.hint and TEA in ambiguous.value.hint
        assert SECRET not in ambiguous.value.hint


@each_case("reference", [SECRET, SECRET[:8], "0129", "[zyxq]"])
def test_an_id_of_another_scope_is_neither_found_nor_hinted_at(store: Satchel, reference: str) -> None:
    unknown = f"{reference[:-1]}{'0' if reference[-1] != '0' else '1'}" if "[" not in reference else "[zyxp]"
    errors = []
    for one in (reference, unknown):
        with pytest.raises(NotFound) as caught:
            store.get(one)
        errors.append((caught.value.code, caught.value.message.replace(one, ""), caught.value.hint))
    assert errors[0] == errors[1]
    assert store.get(reference, scope=SHOP).result.memory.id == SECRET
    assert store.get(reference, all_scopes=True).result.memory.id == SECRET


def test_a_whole_id_wins_over_longer_ones(store: Satchel) -> None:
    short = store.attention.add("preference", "A", "one", id="rule-1").result.memory_id
    store.attention.add("preference", "B", "two", id="rule-10")

    assert store.get("rule-1").result.memory.id == short
    assert store.get("[m:rule-1]").result.memory.id == short
    with pytest.raises(InvalidRequest):
        store.get("rule")


def test_replacing_and_forgetting_take_short_ids(store: Satchel) -> None:
    stored = store.store("Espresso machine on floor two", replaces="[klmn]").result
    assert stored.replaced == COFFEE
    assert store.get(COFFEE).result.memory.replaced_by == stored.id

    assert store.forget("0123abcd").result.id == SHIP
    assert store.attention.refresh([stored.id[:9]]).result.deactivated == (stored.id,)
    with pytest.raises(NotFound):
        store.get(SHIP)


def test_observations_episodes_and_facts_have_short_ids(store: Satchel) -> None:
    store.observations.capture('{"tool_name": "bash", "text": "the lamp fell over"}')
    store.observations.ingest()
    (hit,) = store.observations.search("lamp").result.hits
    for reference in (hit.id, hit.id[:10], hit.id[:8]):
        assert store.get(reference).result.observation.id == hit.id  # type: ignore[union-attr]
        assert store.explaining.why_not("lamp", reference).result.record == "observation"
    store.episodes.add(text="We met at noon", session="s1", speaker="Ann")
    (turn,) = store.episodes.search("noon").result.hits
    assert store.episodes.show(turn.id[:9]).result.episode.id == turn.id
    assert str(store.forget(hit.id[:12]).result.id) == hit.id


def test_why_takes_the_citation_of_a_record(store: Satchel) -> None:
    store.recall("coffee machine")
    (item,) = store.pack("coffee machine floor").result.items
    why = store.explaining.why("[klmn]").result

    assert item["recordRef"] == "klmn"
    assert why.operation == "pack"
    assert COFFEE in [one.id for one in why.included]
    with pytest.raises(NotFound):
        store.explaining.why("zzzz")


@each_case("reference", ["", " ", "[", "[]", "a", "obs:", "\ud800", "a\0b", "%", "0123%", "_" * 5, "x" * 100_000, "['"])
def test_hostile_references_find_nothing(store: Satchel, reference: str) -> None:
    for find in (store.get, lambda one: store.confirm([one])):
        with pytest.raises(NotFound):
            find(reference)


def test_a_lookup_searches_a_range_of_the_index(ledger: SqliteLedger) -> None:
    view = admin_view(Reach(("global",)), 0)
    lookups: list[Callable[[], Any]] = [
        lambda: ledger.memories.ids_between("0123", "0124", view, 6),
        lambda: ledger.memories.ids_between("0123", "0124", admin_view(EVERYWHERE, 0), 6),
        lambda: ledger.observations.ids_between("0123", "0124", view, 6),
        lambda: ledger.facts.ids_between("0123", "0124", view, 6),
        lambda: ledger.passages.ids_between("0123", "0124", all_passages(EvidenceLane.EPISODES, view.reach), 6),
    ]
    statements: list[tuple[str, Any]] = []

    def note(cursor: object, sql: str, values: Any) -> bool:
        statements.append((sql, values))
        return True

    with ledger.database.reading() as db:
        db.exec_trace = note
        for look in lookups:
            look()
        db.exec_trace = None
        asked = [one for one in statements if "BETWEEN" in one[0]]
        plans = [[row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", values)] for sql, values in asked]
    assert len(plans) == len(lookups)
    assert all(len(plan) == 1 and plan[0].startswith("SEARCH") and "id>? AND id<?" in plan[0] for plan in plans), plans


def test_a_huge_reference_means_nothing_and_asks_no_lane() -> None:
    asked = list[str]()

    def lane(first: str, last: str, limit: int) -> list[str]:
        asked.append(first)
        return [first]

    assert resolve_id("m" * (MAX_REFERENCE_CHARS + 1), lane) is None
    assert asked == []
