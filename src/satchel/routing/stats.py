"""How rules and backends have performed, counted from the receipts of what was routed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from satchel.routing.values import BackendTally, RouteStats, RuleReport


def stats(receipts: Iterable[tuple[Mapping[str, Any], float]]) -> RouteStats:
    """Return the counts of receipts, each its body and how many milliseconds it took."""
    rules: dict[str, list[tuple[Mapping[str, Any], float]]] = {}
    outcomes: dict[str, Counter[str]] = {}
    total = 0
    for body, duration in receipts:
        total += 1
        rules.setdefault(str(body["decided"].get("rule")), []).append((body["decided"], duration))
        for attempt in body["considered"].get("attempts", []):
            outcomes.setdefault(attempt["backend"], Counter())[attempt["outcome"]] += 1
    return RouteStats(
        total,
        tuple(_rule(name, rules[name]) for name in sorted(rules)),
        tuple(BackendTally(name, sum(counts.values()), _sorted(counts)) for name, counts in sorted(outcomes.items())),
    )


def _rule(name: str, decided: list[tuple[Mapping[str, Any], float]]) -> RuleReport:
    facts = [one for one, _ in decided]
    return RuleReport(
        name,
        len(facts),
        sum(one["status"] == "success" and not one["fallbacks_used"] for one in facts),
        sum(one["fallbacks_used"] for one in facts),
        _sorted(Counter(one["status"] for one in facts)),
        _sorted(Counter(one["routed_to"] or "none" for one in facts)),
        round(fmean(one["relevance"] for one in facts), 4),
        round(fmean(duration for _, duration in decided), 1),
    )


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
