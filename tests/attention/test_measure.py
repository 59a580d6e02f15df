"""Coverage and freshness."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.attention.measure import RequestTerms, TermWeights, asked_terms, freshness
from satchel.domain.moment import HOUR_MS
from satchel.domain.record import Memory, MemoryId
from tests.tables import each_case


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    rarity = TermWeights(["rare", "common"], [frozenset({"common"})] * 9 + [frozenset({"rare", "common"})])

    rare, common = (rarity.coverage(["rare", "common"], frozenset({word})) for word in ("rare", "common"))
    assert rare > common
    assert rare + common == pytest.approx(1.0)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(asked=st.text(max_size=80), held=st.lists(st.text(max_size=80), max_size=5))
def test_coverage_is_between_zero_and_one(asked: str, held: list[str]) -> None:
    terms = asked_terms([asked])
    whole = RequestTerms(terms)
    memories = [whole.held_by(Memory(MemoryId(str(n)), text, "global", 0, 0)) for n, text in enumerate([*held, asked])]
    rarity = TermWeights(terms, [one.everything for one in memories])

    for one in memories:
        assert 0.0 <= rarity.coverage(terms, one.everything) <= 1.0
    assert rarity.coverage(terms, memories[-1].everything) == (pytest.approx(1.0) if terms else 0.0)


@each_case(("hours", "expected"), [(24, 0.931), (168, 0.607), (336, 0.368), (780, 0.1), (10**9, 0.1)])
def test_freshness_at_some_ages(hours: int, expected: float) -> None:
    assert freshness(0, hours * HOUR_MS, 336, 0.1) == pytest.approx(expected, abs=1e-3)


def test_future_memories_are_fresh() -> None:
    assert freshness(10**15, 0, 336, 0.1) == 1.0
    assert math.isfinite(freshness(-(10**15), 10**15, 336, 0.1))


@each_case(
    ("asked", "held"),
    [
        ("book a restaurant", "Restaurants on the quay are booked on Mondays"),
        ("the policies", "Our policy is strict"),
        ("deploying", "It was deployed twice"),
        ("数据库备份", "每天备份数据库"),
    ],
)
def test_other_forms_of_a_word_count_as_held(asked: str, held: str) -> None:
    terms = RequestTerms(asked_terms([asked]))

    assert terms.held_by(Memory(MemoryId("m"), held, "global", 0, 0)).text
