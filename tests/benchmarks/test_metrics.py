"""The metrics against cases worked out by hand."""

import math

import pytest
from bench.metrics import (
    METRICS,
    Ranking,
    all_found,
    any_found,
    by_category,
    figures,
    found_share,
    ndcg,
    reciprocal_rank,
)

from tests.tables import each_case

RANKED = ("a", "b", "c", "d", "e", "f")


@each_case(
    ("gold", "depth", "share", "some", "every"),
    [
        (("a",), 1, 1.0, 1.0, 1.0),
        (("b",), 1, 0.0, 0.0, 0.0),
        (("a", "f"), 5, 0.5, 1.0, 0.0),
        (("a", "f"), 6, 1.0, 1.0, 1.0),
        (("c", "x", "y"), 5, 1 / 3, 1.0, 0.0),
        (("x",), 20, 0.0, 0.0, 0.0),
    ],
)
def test_what_is_among_the_first(gold: tuple[str, ...], depth: int, share: float, some: float, every: float) -> None:
    assert found_share(RANKED, gold, depth) == pytest.approx(share)
    assert any_found(RANKED, gold, depth) == some
    assert all_found(RANKED, gold, depth) == every


def test_the_best_order_has_the_whole_gain() -> None:
    assert ndcg(("a", "b", "x"), ("b", "a")) == pytest.approx(1.0)


def test_gain_falls_with_the_logarithm_of_the_place() -> None:
    # Gold at places 2 and 4, of two: (1/log2 3 + 1/log2 5) / (1/log2 2 + 1/log2 3).
    expected = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))

    assert ndcg(("x", "a", "y", "b"), ("a", "b")) == pytest.approx(expected)
    assert expected == pytest.approx(0.6509, abs=1e-4)


def test_more_gold_than_places_can_still_be_ranked_perfectly() -> None:
    gold = tuple(f"g{number}" for number in range(12))

    assert ndcg(gold, gold) == pytest.approx(1.0)
    assert found_share(gold, gold, 10) == pytest.approx(10 / 12)


def test_what_comes_after_the_tenth_place_gains_nothing() -> None:
    assert ndcg((*"0123456789", "a"), ("a",)) == 0.0


def test_a_unit_that_is_ranked_twice_counts_once() -> None:
    ranked = ("a", "a", "b")

    assert found_share(ranked, ("a", "b"), 2) == 0.5
    assert all_found(ranked, ("a", "b"), 2) == 0.0
    # Places 1 and 3, of two: (1 + 1/log2 4) / (1 + 1/log2 3).
    assert ndcg(ranked, ("a", "b")) == pytest.approx(1.5 / (1 + 1 / math.log2(3)))
    assert ndcg(("a", "a"), ("a",)) == 1.0


def test_gold_that_is_named_twice_is_one_unit() -> None:
    assert found_share(RANKED, ("a", "a", "x"), 5) == 0.5
    assert ndcg(("a",), ("a", "a")) == 1.0
    assert all_found(("a",), ("a", "a"), 1) == 1.0


def test_gold_that_is_nowhere_is_missed_and_still_counts() -> None:
    assert found_share(RANKED, ("a", "gone"), 20) == 0.5
    assert all_found(RANKED, ("a", "gone"), 20) == 0.0
    assert ndcg(("a",), ("a", "gone")) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert reciprocal_rank((), ("gone",)) == 0.0
    assert ndcg((), ("gone",)) == 0.0


def test_the_reciprocal_rank_is_that_of_the_first_one_within_fifty() -> None:
    places = tuple(str(number) for number in range(1, 52))

    assert reciprocal_rank(("x", "b", "a"), ("a", "b")) == 0.5
    assert reciprocal_rank(places, ("50",)) == pytest.approx(0.02)
    assert reciprocal_rank(places, ("51",)) == 0.0


def test_figures_are_means_over_questions_not_over_units() -> None:
    rankings = [Ranking("one", ("a", "x"), ("a",)), Ranking("two", ("x", "y"), ("a", "b", "c", "d", "e"))]

    found = figures(rankings)

    assert found.n == 2
    assert found.metrics["R@1"] == 0.5
    assert found.metrics["any@5"] == 0.5
    assert found.metrics["MRR"] == 0.5
    assert list(found.metrics) == list(METRICS)


def test_each_category_has_figures_of_its_own() -> None:
    rankings = [Ranking("late", ("x", "a"), ("a",)), Ranking("early", ("a",), ("a",)), Ranking("late", ("x",), ("a",))]

    found = by_category(rankings)

    assert list(found) == ["early", "late"]
    assert (found["late"].n, found["late"].metrics["R@5"]) == (2, 0.5)


def test_the_names_are_those_of_the_literature() -> None:
    assert list(METRICS) == [
        *("R@1", "R@5", "R@10", "R@20"),
        *("any@1", "any@5", "any@10", "any@20"),
        *("all@1", "all@5", "all@10", "all@20"),
        *("nDCG@10", "MRR"),
    ]
