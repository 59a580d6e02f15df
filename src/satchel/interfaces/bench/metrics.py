"""Metrics of a ranking against what should have been found. Pure: the same rankings give the same figures."""

import math
from collections.abc import Callable, Collection, Sequence
from statistics import fmean

from msgspec import Struct

from satchel.interfaces.bench.results import Figures

DEPTHS = (1, 5, 10, 20)
NDCG_DEPTH = 10
MRR_DEPTH = 50

Metric = Callable[[Sequence[str], Collection[str]], float]


class Ranking(Struct, frozen=True):
    """What one question found, best first, and what it should have found: at least one unit."""

    category: str
    ranked: tuple[str, ...]
    gold: tuple[str, ...]


def found_share(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Return the share of the gold units among the first ones: R@k."""
    return len(set(gold) & set(ranked[:depth])) / len(set(gold))


def any_found(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Return 1 when at least one gold unit is among the first ones, else 0."""
    return float(bool(set(gold) & set(ranked[:depth])))


def all_found(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Return 1 when every gold unit is among the first ones, else 0."""
    return float(set(gold) <= set(ranked[:depth]))


def ndcg(ranked: Sequence[str], gold: Collection[str], depth: int = NDCG_DEPTH) -> float:
    """Return the discounted gain of the first ones over that of the best order there could be; a unit is gold or not."""
    wanted = set(gold)
    # A unit gains once, where it first stands, however often it is ranked.
    places = {unit: place for place, unit in reversed(list(enumerate(ranked[:depth], start=1))) if unit in wanted}
    gain = sum(1 / math.log2(place + 1) for place in places.values())
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(depth, len(wanted)) + 1))
    return gain / ideal


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str], depth: int = MRR_DEPTH) -> float:
    """Return 1 / rank of the first gold unit, 0 when there is none within the depth."""
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
"""Every metric by the name it is printed under."""


def figures(rankings: Sequence[Ranking]) -> Figures:
    """Return the mean of every metric over some questions, at least one."""
    return Figures(
        len(rankings),
        {name: round(fmean(metric(one.ranked, one.gold) for one in rankings), 4) for name, metric in METRICS.items()},
    )


def by_category(rankings: Sequence[Ranking]) -> dict[str, Figures]:
    """Return the figures of each category, in the order of their names."""
    groups: dict[str, list[Ranking]] = {}
    for one in rankings:
        groups.setdefault(one.category, []).append(one)
    return {name: figures(groups[name]) for name in sorted(groups)}
