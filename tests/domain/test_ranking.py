"""Candidates, contributions and hits."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.ranking import Contribution, Ranked
from satchel.domain.record import MemoryId

parts = st.builds(
    Contribution,
    name=st.sampled_from(["lexical", "vector"]),
    rank=st.integers(min_value=1, max_value=99),
    raw=st.floats(allow_nan=False, allow_infinity=False),
    value=st.floats(min_value=0, max_value=1),
)


def test_a_score_is_the_sum_of_its_contributions() -> None:
    ranked = Ranked(MemoryId("m"), (Contribution("lexical", 1, 3.5, 0.25), Contribution("vector", 4, 0.9, 0.5)))
    assert ranked.score == 0.75


def test_without_contributions_the_score_is_zero() -> None:
    assert Ranked(MemoryId("m"), ()).score == 0


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(parts, max_size=6), st.data())
def test_a_score_is_the_exact_sum_rounded_once_whatever_the_order(
    some: list[Contribution], data: st.DataObject
) -> None:
    exact = float(sum(Fraction(part.value) for part in some))
    shuffled = data.draw(st.permutations(some))
    assert Ranked(MemoryId("m"), tuple(some)).score == Ranked(MemoryId("m"), tuple(shuffled)).score == exact


def test_ten_tenths_are_one() -> None:
    assert Ranked(MemoryId("m"), (Contribution("lexical", 1, 1.0, 0.1),) * 10).score == 1.0


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(parts, max_size=4), parts)
def test_one_more_contribution_never_lowers_a_score(some: list[Contribution], more: Contribution) -> None:
    assert Ranked(MemoryId("m"), (*some, more)).score >= Ranked(MemoryId("m"), tuple(some)).score
