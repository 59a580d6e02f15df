"""Ranking metrics: pure functions of the ranked ids and the gold ids."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from statistics import fmean

from msgspec import Struct

DEPTHS = (1, 5, 10, 20)
NDCG_DEPTH = 10
MRR_DEPTH = 50

Metric = Callable[[Sequence[str], Collection[str]], float]


class Figures(Struct, frozen=True):
    """Means of every metric over some questions."""

    n: int
    """Number of questions."""
    metrics: Mapping[str, float]
    """R@k is the share of the gold in the first k; any@k and all@k the share of questions with some, or all, of it there."""


class Ranking(Struct, frozen=True):
    """The ids found for one question, best first, and its gold ids: at least one."""

    category: str
    ranked: tuple[str, ...]
    gold: tuple[str, ...]


def found_share(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Return the share of the gold units in the first k: R@k."""
    return len(set(gold) & set(ranked[:depth])) / len(set(gold))


def any_found(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Return 1 if at least one gold unit is in the first k, else 0."""
    return float(bool(set(gold) & set(ranked[:depth])))


def all_found(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Return 1 if every gold unit is in the first k, else 0."""
    return float(set(gold) <= set(ranked[:depth]))


def ndcg(ranked: Sequence[str], gold: Collection[str], depth: int = NDCG_DEPTH) -> float:
    """Return the discounted cumulative gain of the first k over that of the ideal order, with binary relevance."""
    wanted = set(gold)
    # A unit that is ranked twice counts once, at its best place.
    places = {unit: place for place, unit in reversed(list(enumerate(ranked[:depth], start=1))) if unit in wanted}
    gain = sum(1 / math.log2(place + 1) for place in places.values())
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(depth, len(wanted)) + 1))
    return gain / ideal


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str], depth: int = MRR_DEPTH) -> float:
    """Return 1 / rank of the first gold unit, or 0 if none is in the first k."""
    return next((1 / place for place, unit in enumerate(ranked[:depth], start=1) if unit in set(gold)), 0.0)


def _at(measure: Callable[[Sequence[str], Collection[str], int], float], depth: int) -> Metric:
    return lambda ranked, gold: measure(ranked, gold, depth)


METRICS: dict[str, Metric] = {
    **{f"R@{depth}": _at(found_share, depth) for depth in DEPTHS},
    **{f"any@{depth}": _at(any_found, depth) for depth in DEPTHS},
    **{f"all@{depth}": _at(all_found, depth) for depth in DEPTHS},
    f"nDCG@{NDCG_DEPTH}": ndcg,
    "MRR": reciprocal_rank,
}
"""Every metric by its printed name."""


def figures(rankings: Sequence[Ranking]) -> Figures:
    """Return the mean of every metric over at least one question."""
    return Figures(
        len(rankings),
        {name: round(fmean(metric(one.ranked, one.gold) for one in rankings), 4) for name, metric in METRICS.items()},
    )


def by_category(rankings: Sequence[Ranking]) -> dict[str, Figures]:
    """Return the figures of each category, sorted by name."""
    groups: dict[str, list[Ranking]] = {}
    for one in rankings:
        groups.setdefault(one.category, []).append(one)
    return {name: figures(groups[name]) for name in sorted(groups)}
