"""Fusion of lanes: RRF and score fusion."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.domain.ranking import Candidate, Contribution, Ranked
from satchel.domain.record import MemoryId
from satchel.recall.fusion import (
    DECISIVE_RANK,
    FUSIONS,
    MAX_LEXICAL_WEIGHT,
    MIN_LEXICAL_WEIGHT,
    RRF_K,
    reciprocal_rank_fusion,
    score_fusion,
)

steady = settings(max_examples=120, deadline=None, derandomize=True)

Lanes = Mapping[str, Sequence[Candidate]]

# Few ids and few scores, so that lanes share candidates and candidates tie.
candidates = st.builds(
    Candidate,
    id=st.sampled_from("abcdefgh").map(MemoryId),
    score=st.sampled_from([-1.0, 0.0, 0.25, 0.5, 7.5]) | st.floats(allow_nan=False, allow_infinity=False),
    content_hash=st.just("hash"),
)
lane = st.lists(candidates, unique_by=lambda one: one.id, max_size=8)
lanes = st.dictionaries(st.sampled_from(["docs", "graph", "lexical", "vector"]), lane, max_size=4)


def candidate(id: str, score: float) -> Candidate:
    return Candidate(MemoryId(id), score, "hash")


def positions(fused: Sequence[Ranked]) -> dict[MemoryId, int]:
    return {one.id: place for place, one in enumerate(fused)}


def test_two_lanes_are_fused_into_one_ranking_with_contributions() -> None:
    found = {"vector": [candidate("b", 0.9), candidate("a", 0.8)], "lexical": [candidate("a", 3.5)]}
    assert reciprocal_rank_fusion(found) == [
        Ranked(MemoryId("a"), (Contribution("lexical", 1, 3.5, 1 / 61), Contribution("vector", 2, 0.8, 1 / 62))),
        Ranked(MemoryId("b"), (Contribution("vector", 1, 0.9, 1 / 61),)),
    ]


def test_without_lanes_or_candidates_there_is_no_ranking() -> None:
    assert reciprocal_rank_fusion({}) == reciprocal_rank_fusion({"lexical": [], "vector": []}) == []


def test_ties_within_a_lane_and_after_fusion_break_by_id() -> None:
    tied = [candidate("c", 1.0), candidate("a", 1.0), candidate("b", 1.0)]
    assert [one.id for one in reciprocal_rank_fusion({"lexical": tied})] == ["a", "b", "c"]
    crossed = {
        "lexical": [candidate("b", 2.0), candidate("a", 1.0)],
        "vector": [candidate("a", 2.0), candidate("b", 1.0)],
    }
    assert [one.id for one in reciprocal_rank_fusion(crossed)] == ["a", "b"]


@steady
@given(lanes, st.data())
def test_the_order_of_lanes_and_of_candidates_does_not_matter(
    found: dict[str, list[Candidate]], data: st.DataObject
) -> None:
    names = data.draw(st.permutations(sorted(found)))
    shuffled = {name: data.draw(st.permutations(found[name])) for name in names}
    assert reciprocal_rank_fusion(shuffled) == reciprocal_rank_fusion(found)


@steady
@given(lanes)
def test_every_candidate_of_every_lane_is_ranked_exactly_once(found: Lanes) -> None:
    ranked = [one.id for one in reciprocal_rank_fusion(found)]
    assert sorted(ranked) == sorted({one.id for some in found.values() for one in some})


@steady
@given(lanes)
def test_a_score_is_exactly_the_sum_of_contributions_by_rank(found: Lanes) -> None:
    for one in reciprocal_rank_fusion(found):
        assert one.score == float(sum(Fraction(part.value) for part in one.contributions))
        assert [part.value for part in one.contributions] == [
            1 / (RRF_K + (part.rank or 0)) for part in one.contributions
        ]


@steady
@given(lanes)
def test_a_contribution_repeats_the_lane_s_own_score_and_rank(found: Lanes) -> None:
    expected = {
        (one.id, name, rank, one.score)
        for name, some in found.items()
        for rank, one in enumerate(sorted(some, key=lambda one: (-one.score, one.id)), start=1)
    }
    fused = reciprocal_rank_fusion(found)
    assert {(one.id, part.name, part.rank, part.raw) for one in fused for part in one.contributions} == expected
    assert all([part.name for part in one.contributions] == sorted(p.name for p in one.contributions) for one in fused)


@steady
@given(lanes)
def test_the_ranking_is_by_score_then_by_id(found: Lanes) -> None:
    order = [(-one.score, one.id) for one in reciprocal_rank_fusion(found)]
    assert order == sorted(order)


@steady
@given(lanes, lane)
def test_another_lane_never_removes_a_candidate_nor_lowers_a_score(
    found: dict[str, list[Candidate]], more: list[Candidate]
) -> None:
    before = {one.id: one.score for one in reciprocal_rank_fusion(found)}
    after = {one.id: one.score for one in reciprocal_rank_fusion({**found, "more": more})}
    assert after.keys() == before.keys() | {one.id for one in more}
    assert all(after[id] >= score for id, score in before.items())


@steady
@given(lanes.filter(lambda found: any(found.values())), st.data())
def test_a_better_rank_in_one_lane_never_lowers_the_position(
    found: dict[str, list[Candidate]], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(name for name, some in found.items() if some)))
    risen = data.draw(st.sampled_from(found[name]))
    best = max(one.score for one in found[name])
    changed = [replace(one, score=best) if one.id == risen.id else one for one in found[name]]
    before, after = (
        positions(reciprocal_rank_fusion(found)),
        positions(reciprocal_rank_fusion({**found, name: changed})),
    )
    assert after[risen.id] <= before[risen.id]


# Score fusion

plain_candidates = st.builds(
    Candidate,
    id=st.sampled_from("abcdefgh").map(MemoryId),
    score=st.sampled_from([0.0, 0.25, 0.5, 7.5]) | st.floats(0, 100),
    content_hash=st.just("hash"),
)
plain_lane = st.lists(plain_candidates, unique_by=lambda one: one.id, max_size=8)
both_lanes = st.fixed_dictionaries({"lexical": plain_lane, "vector": plain_lane})


def test_a_distinctive_lexical_match_gets_the_maximum_weight() -> None:
    found = {"lexical": [candidate("a", 8.0)], "vector": [candidate("b", 0.9), candidate("a", 0.4)]}
    assert score_fusion(found) == [
        Ranked(
            MemoryId("a"), (Contribution("lexical", 1, 8.0, MAX_LEXICAL_WEIGHT), Contribution("vector", 2, 0.4, 0.0))
        ),
        Ranked(MemoryId("b"), (Contribution("vector", 1, 0.9, 1 - MAX_LEXICAL_WEIGHT),)),
    ]


def test_words_that_ten_records_share_equally_get_the_minimum_weight() -> None:
    alike = [candidate(f"m{number}", 3.0) for number in range(DECISIVE_RANK)]
    found = {"lexical": alike, "vector": [candidate("z", 0.9), candidate("m0", 0.1)]}
    assert score_fusion(found)[0] == Ranked(MemoryId("z"), (Contribution("vector", 1, 0.9, 1 - MIN_LEXICAL_WEIGHT),))


def test_the_lexical_weight_grows_with_coverage_times_the_gap_to_the_tenth_match() -> None:
    matches = [candidate("a", 8.0), *(candidate(f"m{number}", 2.0) for number in range(DECISIVE_RANK))]
    found = {"lexical": matches, "vector": [candidate("z", 0.9), candidate("a", 0.1)]}
    scores = {coverage: {one.id: one.score for one in score_fusion(found, coverage)} for coverage in (0.0, 0.5, 1.0)}
    weights = {coverage: 1 - by_id[MemoryId("z")] for coverage, by_id in scores.items()}
    span = MAX_LEXICAL_WEIGHT - MIN_LEXICAL_WEIGHT
    assert weights == pytest.approx(
        {coverage: MIN_LEXICAL_WEIGHT + span * coverage * 0.75 for coverage in (0.0, 0.5, 1.0)}
    )


def test_a_single_lane_keeps_its_order() -> None:
    for lane in ("lexical", "vector"):
        found = {lane: [candidate("a", 0.2), candidate("b", 0.9), candidate("c", 0.5)]}
        assert [one.id for one in score_fusion(found)] == ["b", "c", "a"]
        assert score_fusion(found)[0].score == 1.0


def test_a_single_vector_candidate_gets_the_full_score() -> None:
    assert score_fusion({"lexical": [], "vector": [candidate("a", 0.1)]})[0].score == 1.0


def test_score_fusion_of_no_candidates_is_empty() -> None:
    assert score_fusion({}) == score_fusion({"lexical": [], "vector": []}) == []


@steady
@given(both_lanes)
def test_a_fused_score_is_the_sum_of_its_contributions_and_at_most_one(found: Lanes) -> None:
    for one in score_fusion(found):
        assert one.score == sum(part.value for part in one.contributions)
        assert 0.0 <= one.score <= 1.0 + 1e-9


@steady
@given(both_lanes, st.data())
def test_score_fusion_does_not_depend_on_input_order(found: Lanes, data: st.DataObject) -> None:
    shuffled = {name: data.draw(st.permutations(list(found[name]))) for name in sorted(found, reverse=True)}
    assert score_fusion(shuffled) == score_fusion(found)


@steady
@given(both_lanes)
def test_every_fusion_ranks_every_candidate_exactly_once(found: Lanes) -> None:
    for fusion in FUSIONS.values():
        ids = [one.id for one in fusion(found, 1.0)]
        assert sorted(ids) == sorted({one.id for lane in found.values() for one in lane})
