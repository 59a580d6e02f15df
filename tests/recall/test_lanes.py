"""Candidate lanes: index and ledger, and what happens without an index."""

import pytest
from msgspec.structs import replace

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId, State
from satchel.ports import Ledger
from satchel.recall.lanes import LaneCandidates, VectorQuery, gather_candidates
from satchel.recall.request import parse_question
from tests.recall.parts import EAST, NORTH, SPACE, VIEW, Broken, FixedIndex, HalfBroken, give, keep, memory

TEA, COFFEE = memory("m1", "green tea"), memory("m2", "black coffee")


@pytest.fixture
def stocked(ledger: Ledger) -> Ledger:
    keep(ledger, TEA, COFFEE)
    give(ledger, {"m1": EAST, "m2": NORTH})
    return ledger


def vector_query(ledger: Ledger, index: InMemoryIndex, *, current: bool = True) -> VectorQuery:
    index.catch_up(ledger.feed, SPACE)
    return VectorQuery(EAST, SPACE, index, current)


def gathered(ledger: Ledger, mode: str, query: VectorQuery | None) -> LaneCandidates:
    return gather_candidates(parse_question("tea", mode, 5), VIEW, ledger.memories, ledger.vectors, query)


def matches(ledger: Ledger) -> list[Candidate]:
    return ledger.memories.match(["tea"], VIEW, 20)


NEAREST = [Candidate(TEA.id, 1.0, TEA.content_hash), Candidate(COFFEE.id, 0.0, COFFEE.content_hash)]


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_without_a_vector_query_the_ledger_answers_lexically(stocked: Ledger, mode: str) -> None:
    assert [one.id for one in matches(stocked)] == ["m1"]
    assert gathered(stocked, mode, None) == LaneCandidates({"lexical": matches(stocked)}, "ledger")


def test_a_current_index_answers_both_lanes(stocked: Ledger) -> None:
    found = gathered(stocked, "hybrid", vector_query(stocked, InMemoryIndex()))
    assert found == LaneCandidates(
        {"vector": NEAREST, "lexical": [Candidate(TEA.id, 1.0, TEA.content_hash)]}, lexical_source="index"
    )


def test_while_the_index_is_behind_the_ledger_answers_lexically(stocked: Ledger) -> None:
    found = gathered(stocked, "hybrid", vector_query(stocked, InMemoryIndex(), current=False))
    assert found == LaneCandidates({"vector": NEAREST, "lexical": matches(stocked)}, "ledger")


def test_vector_mode_uses_no_lexical_lane(stocked: Ledger) -> None:
    assert gathered(stocked, "vector", vector_query(stocked, InMemoryIndex())) == LaneCandidates(
        {"vector": NEAREST}, "none"
    )


@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_with_a_broken_index_the_ledger_answers_and_the_problem_is_reported(stocked: Ledger, mode: str) -> None:
    found = gathered(stocked, mode, vector_query(stocked, Broken()))
    assert found == LaneCandidates({"lexical": matches(stocked)}, "ledger", problem="the index is in pieces")


def test_an_index_that_fails_half_way_contributes_nothing(stocked: Ledger) -> None:
    found = gathered(stocked, "hybrid", vector_query(stocked, HalfBroken()))
    assert found == LaneCandidates({"lexical": matches(stocked)}, "ledger", problem="the words are in pieces")


def test_cosines_come_from_the_ledger_not_from_the_index(stocked: Ledger) -> None:
    forged = FixedIndex(Candidate(COFFEE.id, 0.99, COFFEE.content_hash), Candidate(TEA.id, 0.01, TEA.content_hash))
    assert gathered(stocked, "vector", vector_query(stocked, forged)).lanes == {"vector": NEAREST}


def test_a_candidate_without_a_vector_in_the_ledger_is_left_out(stocked: Ledger) -> None:
    forged = FixedIndex(Candidate(MemoryId("gone"), 0.99, "hash"), Candidate(TEA.id, 0.5, TEA.content_hash))
    assert gathered(stocked, "vector", vector_query(stocked, forged)).lanes == {"vector": NEAREST[:1]}


@pytest.mark.parametrize("current", [True, False])
def test_lexical_candidates_get_a_cosine_too(stocked: Ledger, current: bool) -> None:
    word = Candidate(TEA.id, 1.0, TEA.content_hash)
    far_away = FixedIndex(Candidate(COFFEE.id, 0.99, COFFEE.content_hash), matches=[word])
    found = gathered(stocked, "hybrid", vector_query(stocked, far_away, current=current))
    assert found.lanes["vector"] == NEAREST


def test_equal_cosines_are_ordered_by_id(ledger: Ledger) -> None:
    keep(ledger, *(memory(id, f"text {id}") for id in "cab"))
    give(ledger, dict.fromkeys("abc", EAST))
    found = gathered(ledger, "vector", vector_query(ledger, InMemoryIndex())).lanes
    assert [(one.id, one.score) for one in found["vector"]] == [("a", 1.0), ("b", 1.0), ("c", 1.0)]


def test_an_empty_store_has_no_candidates(ledger: Ledger) -> None:
    assert gathered(ledger, "hybrid", vector_query(ledger, InMemoryIndex())) == LaneCandidates(
        {"vector": [], "lexical": []}, "index"
    )


@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_what_the_index_lacks_is_found_as_if_it_had_it(stocked: Ledger, mode: str) -> None:
    index = InMemoryIndex()
    behind = vector_query(stocked, index, current=False)
    mate, hidden = memory("m3", "mate"), memory("m4", "secret tea", scope="elsewhere")
    keep(stocked, mate, hidden)
    give(stocked, {"m3": EAST, "m4": EAST})
    pending = replace(behind, pending=(mate, hidden))

    found = gathered(stocked, mode, pending)

    assert [one.id for one in found.lanes["vector"]] == ["m1", "m3", "m2"]
    index.catch_up(stocked.feed, SPACE)
    assert found.lanes["vector"] == gathered(stocked, mode, behind).lanes["vector"]


def test_words_that_the_index_lacks_are_found_in_the_ledger(stocked: Ledger) -> None:
    behind = vector_query(stocked, InMemoryIndex(), current=False)
    fresh, hidden = memory("m3", "tea at four"), memory("m4", "secret tea", scope="elsewhere")
    keep(stocked, fresh, hidden)
    give(stocked, {"m3": EAST, "m4": EAST})

    found = gathered(stocked, "hybrid", replace(behind, pending=(fresh, hidden)))

    assert ({one.id for one in found.lanes["lexical"]}, found.lexical_source) == ({"m1", "m3"}, "index")


def test_a_pending_change_replaces_the_words_that_the_index_has(stocked: Ledger) -> None:
    index = FixedIndex(matches=[Candidate(TEA.id, 1.0, TEA.content_hash)])
    retired = replace(TEA, state=State.RETIRED)

    found = gathered(stocked, "hybrid", replace(vector_query(stocked, index, current=False), pending=(retired,)))

    assert found.lanes["lexical"] == []


def test_a_pending_change_replaces_what_the_index_has(stocked: Ledger) -> None:
    behind = vector_query(stocked, InMemoryIndex(), current=False)
    retired = replace(TEA, state=State.RETIRED)

    found = gathered(stocked, "vector", replace(behind, pending=(retired,)))

    assert [one.id for one in found.lanes["vector"]] == ["m2"]


def test_pending_records_take_no_more_places_than_the_pool_has(stocked: Ledger) -> None:
    behind = vector_query(stocked, InMemoryIndex(), current=False)
    many = [memory(f"n{number:03}", "mate") for number in range(60)]
    keep(stocked, *many)
    give(stocked, {one.id: EAST for one in many})

    found = gathered(stocked, "vector", replace(behind, pending=tuple(many)))

    assert len(found.lanes["vector"]) == parse_question("tea", "vector", 5).pool
