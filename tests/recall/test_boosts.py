"""Importance and recency boosts."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Contribution, Ranked
from satchel.domain.record import Label, MemoryId
from satchel.recall.fusion import add_boosts
from tests.recall.parts import memory

DAY = 86_400_000
NOW = 1_000 * DAY
POLICY = RecallPolicy(importance_weight=0.1, recency_weight=0.03, recency_half_life_days=30)
steady = settings(max_examples=100, deadline=None, derandomize=True)


def ranked(**scores: float) -> list[Ranked]:
    return [Ranked(MemoryId(id), (Contribution("lexical", 1, 1.0, score),)) for id, score in scores.items()]


def test_each_boost_records_its_input() -> None:
    fresh = memory("a", "x", label=Label.MUST_REMEMBER, importance=0.9, created_at=NOW)
    [one] = add_boosts(ranked(a=0.5), {fresh.id: fresh}, POLICY, NOW)
    assert one.contributions[1:] == (
        Contribution("importance", None, 0.9, 0.05),
        Contribution("recency", None, 0.0, 0.015),
    )


def test_recency_halves_with_age_in_whole_days() -> None:
    month = memory("a", "x", created_at=NOW - 30 * DAY)
    [one] = add_boosts(ranked(a=1.0), {month.id: month}, POLICY, NOW)
    [later] = add_boosts(ranked(a=1.0), {month.id: month}, POLICY, NOW + DAY - 1)
    assert one == later
    assert one.contributions[1] == Contribution("recency", None, 30.0, 0.015)


def test_a_record_from_the_future_counts_as_new() -> None:
    tomorrow = memory("a", "x", created_at=NOW + 10 * DAY)
    [one] = add_boosts(ranked(a=1.0), {tomorrow.id: tomorrow}, POLICY, NOW)
    assert one.contributions[1].value == POLICY.recency_weight


def test_a_new_record_does_not_outrank_an_old_must_remember_record() -> None:
    old = memory("old", "x", label=Label.MUST_REMEMBER, importance=0.9, created_at=NOW - 900 * DAY)
    new = memory("new", "x", created_at=NOW)
    order = add_boosts(ranked(new=0.5, old=0.5), {old.id: old, new.id: new}, POLICY, NOW)
    assert [one.id for one in order] == ["old", "new"]


def test_zero_weights_add_nothing() -> None:
    plain = replace(POLICY, importance_weight=0.0, recency_weight=0.0)
    one = memory("a", "x", label=Label.MUST_REMEMBER, created_at=NOW)
    assert add_boosts(ranked(a=0.5), {one.id: one}, plain, NOW) == ranked(a=0.5)


def test_a_candidate_without_a_record_is_left_out() -> None:
    assert add_boosts(ranked(a=0.5), {}, POLICY, NOW) == []


@steady
@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(Label), st.integers(-10, 5000))
def test_boosts_are_at_most_their_weight_times_the_best_score(
    one: float, other: float, label: Label, days: int
) -> None:
    records = {MemoryId(id): memory(id, "x", label=label, created_at=max(1, NOW - days * DAY)) for id in ("a", "b")}
    for before, after in zip(
        sorted(ranked(a=one, b=other), key=lambda r: r.id),
        sorted(add_boosts(ranked(a=one, b=other), records, POLICY, NOW), key=lambda r: r.id),
        strict=True,
    ):
        assert -1e-9 <= after.score - before.score <= 0.13 * max(one, other) + 1e-6
