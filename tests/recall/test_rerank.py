"""Reranking: the added scores and the resulting order."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from satchel.domain.policies import RerankPolicy
from satchel.domain.ranking import Ranked
from satchel.domain.record import MemoryId
from satchel.recall import rerank

steady = settings(max_examples=150, deadline=None, derandomize=True)

IDS = [MemoryId(letter) for letter in "abcdefgh"]
# Few values, so that candidates tie.
rerank_scores = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(min_value=0, max_value=1)


class Part(Struct, frozen=True):
    """A contribution reduced to its value."""

    value: float


def ranked(**scores: float) -> list[Ranked]:
    """Return candidates sorted by score, ties by id."""
    order = sorted(scores, key=lambda id: (-scores[id], id))
    return [Ranked(MemoryId(id), (Part(scores[id]),)) for id in order]  # type: ignore[arg-type]


def gaining(before: Sequence[Ranked], gained: dict[MemoryId, float]) -> list[Ranked]:
    """Add the gains to the candidates, as a recall does."""
    return [
        Ranked(one.id, (*one.contributions, Part(gained[one.id])))  # type: ignore[arg-type]
        if one.id in gained
        else one
        for one in before
    ]


def ids(candidates: Sequence[Ranked]) -> str:
    return "".join(one.id for one in candidates)


def test_the_best_candidates_are_reranked_up_to_the_policy_limit() -> None:
    found = ranked(a=0.1, b=0.9, c=0.5)
    assert ids(rerank.rerank_candidates(found, RerankPolicy(candidates=2))) == "bc"
    assert ids(rerank.rerank_candidates(found, RerankPolicy(candidates=20))) == "bca"


def test_gains_are_weighted_scores_best_first_with_ties_by_id() -> None:
    scores = {MemoryId("c"): 0.5, MemoryId("a"): 0.5, MemoryId("b"): 1.0, MemoryId("d"): 0.0}
    gained = rerank.rerank_gains(scores, RerankPolicy(weight=0.5))
    assert list(gained.items()) == [("b", 0.5), ("a", 0.25), ("c", 0.25), ("d", 0.0)]


def test_reranking_changes_the_order_and_the_rest_stays_below() -> None:
    found = ranked(a=0.9, b=0.8, c=0.7, d=0.6)
    gained = rerank.rerank_gains({MemoryId("a"): 0.1, MemoryId("b"): 0.9}, RerankPolicy())
    after = rerank.reorder(gaining(found, gained), gained.keys())
    assert ids(after) == "bacd"
    assert [one.score for one in after] == [0.8 + 0.9, 0.9 + 0.1, 0.7, 0.6]


def test_equal_sums_break_by_id() -> None:
    found = ranked(b=0.75, a=0.5)
    gained = rerank.rerank_gains({MemoryId("a"): 0.5, MemoryId("b"): 0.25}, RerankPolicy())
    assert ids(rerank.reorder(gaining(found, gained), gained.keys())) == "ab"


@steady
@given(
    st.dictionaries(st.sampled_from(IDS), rerank_scores, min_size=1),
    st.lists(rerank_scores, min_size=len(IDS), max_size=len(IDS)),
    st.integers(min_value=1, max_value=9),
    st.sampled_from([0.0, 0.3, 1.0, 10.0]),
)
def test_the_order_is_by_score_then_id_for_any_rerank_scores(
    scores: dict[str, float], reranking: list[float], candidates: int, weight: float
) -> None:
    policy = RerankPolicy(candidates=candidates, weight=weight)
    found = ranked(**scores)
    chosen = rerank.rerank_candidates(found, policy)
    gained = rerank.rerank_gains({one.id: reranking[IDS.index(one.id)] for one in chosen}, policy)
    after = rerank.reorder(gaining(found, gained), gained.keys())
    assert after == sorted(after, key=lambda one: (-one.score, one.id))
    assert {one.id for one in after[: len(chosen)]} == {one.id for one in chosen}
    assert after[len(chosen) :] == found[len(chosen) :]


@steady
@given(st.dictionaries(st.sampled_from(IDS), rerank_scores))
def test_the_order_of_the_scores_does_not_matter(scores: dict[MemoryId, float]) -> None:
    turned = dict(reversed(scores.items()))
    policy = RerankPolicy()
    assert list(rerank.rerank_gains(scores, policy).items()) == list(rerank.rerank_gains(turned, policy).items())


def test_a_zero_weight_changes_nothing() -> None:
    found = ranked(a=0.9, b=0.8, c=0.8)
    gained = rerank.rerank_gains({one.id: 1.0 for one in found}, RerankPolicy(weight=0.0))
    assert ids(rerank.reorder(gaining(found, gained), gained.keys())) == ids(found)
