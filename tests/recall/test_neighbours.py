"""What a memory gets from the memories next to it in its session."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest

from satchel.domain.ranking import Contribution, Ranked
from satchel.domain.record import Memory, MemoryId
from satchel.recall.neighbours import HALF_SHARE_CHARS, NEIGHBOUR_SHARE, NEIGHBOURS, add_neighbours
from tests.recall.parts import memory


def ranked(id: str, lexical: float = 0.0, vector: float = 0.0) -> Ranked:
    parts = (Contribution("lexical", 1, 1.0, lexical), Contribution("vector", 1, 1.0, vector))
    return Ranked(MemoryId(id), tuple(part for part in parts if part.value))


def by_id(members: Sequence[Memory]) -> Mapping[MemoryId, MemoryId]:
    """Return what follows each memory, if ids give the order."""
    return dict(pairwise(sorted(one.id for one in members)))


def gains(found: Sequence[Ranked], records: Sequence[Memory]) -> dict[str, float]:
    """Return what each candidate gets from its neighbours."""
    added = add_neighbours(found, {one.id: one for one in records}, by_id)
    return {one.id: part.value for one in added for part in one.contributions if part.name == NEIGHBOURS}


def test_a_memory_gets_a_share_of_the_words_of_its_neighbour() -> None:
    found = [ranked("a", lexical=0.6), ranked("b", vector=0.2), ranked("c", vector=0.1)]
    records = [memory(id, "x" * HALF_SHARE_CHARS, session="s") for id in "abc"]
    assert gains(found, records) == {"b": pytest.approx(NEIGHBOUR_SHARE * 0.6 / 2)}


def test_a_longer_memory_gets_less() -> None:
    found = [ranked("a", lexical=0.6), ranked("b", vector=0.2)]
    short, long = (
        gains(found, [memory("a", "x", session="s"), memory("b", text, session="s")])["b"]
        for text in ("short", "long " * 200)
    )
    assert short > 2 * long > 0


def test_the_best_match_gets_nothing_and_a_weak_match_more_than_a_good_one() -> None:
    found = [ranked("a", lexical=0.6), ranked("b", lexical=0.5), ranked("d", lexical=0.6), ranked("e", lexical=0.1)]
    added = gains(found, [memory(id, "x", session="first" if id in "ab" else "second") for id in "abde"])
    assert added.keys() == {"b", "e"}
    assert added["e"] > added["b"] > 0


def test_a_memory_between_two_neighbours_gets_from_both() -> None:
    found = [ranked("a", lexical=0.6), ranked("b", vector=0.3), ranked("c", lexical=0.6)]
    both = gains(found, [memory(id, "x", session="s") for id in "abc"])
    one = gains(found[:2], [memory(id, "x", session="s") for id in "ab"])
    assert both["b"] == pytest.approx(2 * one["b"])


@pytest.mark.parametrize("other", [{"session": "t"}, {"session": "s", "scope": "team"}, {}])
def test_a_memory_of_another_session_or_scope_lends_nothing(other: dict[str, str]) -> None:
    found = [ranked("a", lexical=0.6), ranked("b", vector=0.2)]
    assert gains(found, [memory("a", "x", session="s"), memory("b", "x", **other)]) == {}


def test_without_two_candidates_of_a_session_or_a_lexical_match_nothing_is_looked_up() -> None:
    def unwanted(members: Sequence[Memory]) -> Mapping[MemoryId, MemoryId]:
        raise AssertionError(members)

    plain = {MemoryId(id): memory(id, "x") for id in "ab"}
    alone = {MemoryId(id): memory(id, "x", session=id) for id in "ab"}
    shared = {MemoryId(id): memory(id, "x", session="s") for id in "ab"}
    words = [ranked("a", lexical=0.6), ranked("b", vector=0.2)]
    meaning = [ranked("a", vector=0.6), ranked("b", vector=0.2)]
    for found, records in ((words, plain), (words, alone), (words, {}), (meaning, shared), ([], {})):
        assert add_neighbours(found, records, unwanted) == found


def test_a_candidate_without_a_record_neither_lends_nor_gets() -> None:
    found = [ranked("a", lexical=0.6), ranked("b", vector=0.2)]
    assert gains(found, [memory("b", "x", session="s")]) == {}


def test_the_order_follows_the_new_scores() -> None:
    found = [ranked("a", lexical=0.6), ranked("z", vector=0.45), ranked("b", vector=0.2)]
    records = {MemoryId(id): memory(id, "x", session="s" if id in "ab" else None) for id in "abz"}
    added = add_neighbours(found, records, by_id)
    assert [one.id for one in added] == ["a", "b", "z"]
    gained = added[1].contributions[-1]
    assert (gained.name, gained.rank, gained.raw) == (NEIGHBOURS, None, 0.6)
    assert added[1].score == pytest.approx(0.2 + gained.value)
