"""Lanes: who nominates, who measures, and what happens without an index."""

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.domain.embedding import cosine
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.ports import Ledger
from satchel.recall.lanes import LaneCandidates, VectorQuery, gather_candidates
from satchel.recall.question import parse_question
from tests.recall.parts import EAST, NORTH, SPACE, VIEW, Broken, Forgery, HalfBroken, give, keep, memory

TEA, COFFEE = memory("m1", "green tea"), memory("m2", "black coffee")


@pytest.fixture
def stocked(ledger: Ledger) -> Ledger:
    keep(ledger, TEA, COFFEE)
    give(ledger, {"m1": EAST, "m2": NORTH})
    return ledger


def meaning(ledger: Ledger, index: InMemoryIndex, *, current: bool = True) -> VectorQuery:
    index.catch_up(ledger.feed, SPACE)
    return VectorQuery(EAST, SPACE, index, current)


def gathered(ledger: Ledger, mode: str, found: VectorQuery | None) -> LaneCandidates:
    return gather_candidates(parse_question("tea", mode, 5), VIEW, ledger.memories, ledger.vectors, found)


def by_word(ledger: Ledger) -> list[Candidate]:
    return ledger.memories.match(["tea"], VIEW, 20)


BY_MEANING = [Candidate(TEA.id, 1.0, TEA.content_hash), Candidate(COFFEE.id, 0.0, COFFEE.content_hash)]


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_without_meaning_the_ledger_answers_by_word(stocked: Ledger, mode: str) -> None:
    assert [one.id for one in by_word(stocked)] == ["m1"]
    assert gathered(stocked, mode, None) == LaneCandidates({"lexical": by_word(stocked)}, "ledger")


def test_a_current_index_answers_both_by_meaning_and_by_word(stocked: Ledger) -> None:
    found = gathered(stocked, "hybrid", meaning(stocked, InMemoryIndex()))
    assert found == LaneCandidates(
        {"vector": BY_MEANING, "lexical": [Candidate(TEA.id, 1.0, TEA.content_hash)]}, lexical_source="index"
    )


def test_while_the_index_is_behind_the_ledger_answers_by_word(stocked: Ledger) -> None:
    found = gathered(stocked, "hybrid", meaning(stocked, InMemoryIndex(), current=False))
    assert found == LaneCandidates({"vector": BY_MEANING, "lexical": by_word(stocked)}, "ledger")


def test_a_question_by_meaning_only_uses_no_words(stocked: Ledger) -> None:
    assert gathered(stocked, "vector", meaning(stocked, InMemoryIndex())) == LaneCandidates(
        {"vector": BY_MEANING}, "none"
    )


@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_a_broken_index_leaves_the_words_of_the_ledger_and_says_so(stocked: Ledger, mode: str) -> None:
    found = gathered(stocked, mode, meaning(stocked, Broken()))
    assert found == LaneCandidates({"lexical": by_word(stocked)}, "ledger", problem="the index is in pieces")


def test_an_index_that_breaks_half_way_contributes_nothing(stocked: Ledger) -> None:
    found = gathered(stocked, "hybrid", meaning(stocked, HalfBroken()))
    assert found == LaneCandidates({"lexical": by_word(stocked)}, "ledger", problem="the words are in pieces")


def test_neighbours_are_measured_by_the_ledger_whatever_the_index_says(stocked: Ledger) -> None:
    forged = Forgery(Candidate(COFFEE.id, 0.99, COFFEE.content_hash), Candidate(TEA.id, 0.01, TEA.content_hash))
    assert gathered(stocked, "vector", meaning(stocked, forged)).lanes == {"vector": BY_MEANING}


def test_a_neighbour_without_a_vector_in_the_ledger_is_left_out(stocked: Ledger) -> None:
    forged = Forgery(Candidate(MemoryId("gone"), 0.99, "hash"), Candidate(TEA.id, 0.5, TEA.content_hash))
    assert gathered(stocked, "vector", meaning(stocked, forged)).lanes == {"vector": BY_MEANING[:1]}


@pytest.mark.parametrize("current", [True, False])
def test_what_was_found_by_its_words_is_measured_as_well(stocked: Ledger, current: bool) -> None:
    word = Candidate(TEA.id, 1.0, TEA.content_hash)
    far_away = Forgery(Candidate(COFFEE.id, 0.99, COFFEE.content_hash), by_word=[word])
    found = gathered(stocked, "hybrid", meaning(stocked, far_away, current=current))
    assert found.lanes["vector"] == BY_MEANING


def test_equally_near_neighbours_are_ordered_by_id(ledger: Ledger) -> None:
    keep(ledger, *(memory(id, f"text {id}") for id in "cab"))
    give(ledger, dict.fromkeys("abc", EAST))
    found = gathered(ledger, "vector", meaning(ledger, InMemoryIndex())).lanes
    assert [(one.id, one.score) for one in found["vector"]] == [("a", 1.0), ("b", 1.0), ("c", 1.0)]


def test_an_empty_store_has_no_candidates(ledger: Ledger) -> None:
    assert gathered(ledger, "hybrid", meaning(ledger, InMemoryIndex())) == LaneCandidates(
        {"vector": [], "lexical": []}, "index"
    )


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32)), max_size=8))
def test_the_cosine_is_symmetric_and_has_six_digits(pairs: list[tuple[float, float]]) -> None:
    one, other = array("f", [pair[0] for pair in pairs]), array("f", [pair[1] for pair in pairs])
    assert cosine(one, other) == cosine(other, one) == round(cosine(one, other), 6)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32)), max_size=8), st.data())
def test_the_cosine_does_not_depend_on_the_order_of_dimensions(
    pairs: list[tuple[float, float]], data: st.DataObject
) -> None:
    def of(some: list[tuple[float, float]]) -> float:
        return cosine(array("f", [pair[0] for pair in some]), array("f", [pair[1] for pair in some]))

    assert of(data.draw(st.permutations(pairs))) == of(pairs)


def test_the_cosine_loses_nothing_that_cancels_out() -> None:
    assert cosine(array("f", [1e16, 0.5, -1e16]), array("f", [1.0, 1.0, 1.0])) == 0.5
