"""Log lines of failed steps in the specified form, and statistics over routing receipts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from msgspec import ValidationError, convert

from satchel.domain.moment import iso
from satchel.domain.receipt_sections import RouteAsked, RouteConsidered, RouteDecided
from satchel.domain.routing import AttemptOutcome
from satchel.domain.safety.redact import mask
from satchel.domain.text import replace_undecodable
from satchel.ports import StoredReceipt
from satchel.routing.dispatch import Mishap
from satchel.routing.values import BackendTally, PastRoute, RouteStats, RuleReport

MAX_QUERY_CHARS = 200
MAX_ERROR_CHARS = 500


def fallback_line(mishap: Mishap, query: str, now: int) -> str:
    """Return the log line of a failed or timed-out step."""
    attempt, following = mishap.attempt, mishap.following or "none"
    time, query = f"[{iso(now)[:19]}Z]", f'query="{_quoted(query, MAX_QUERY_CHARS)}" backend={attempt.backend}'
    if attempt.outcome is AttemptOutcome.TIMEOUT:
        return f"{time} TIMEOUT {query} duration_ms={attempt.duration_ms} next={following}"
    code = _word(attempt.error_code or "")
    message = _quoted(attempt.error_message or "", MAX_ERROR_CHARS)
    return f'{time} FALLBACK {query} error_code={code} error_message="{message}" next={following}'


def _word(text: str) -> str:
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter == "_") else "_" for letter in text)[:60]


def _quoted(text: str, limit: int) -> str:
    """Return a text with secrets masked, and quotes, backslashes and control characters escaped."""
    # Masked before the cut: half a secret would not be recognised.
    cut = replace_undecodable(mask(text)[:limit])
    return "".join(_escaped(letter) for letter in cut)


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")


def past_route(kept: StoredReceipt) -> PastRoute | None:
    """Return what a receipt says about a routed question, or None if it does not have the sections of one."""
    try:
        asked = convert(kept.body.get("asked"), RouteAsked, strict=False)
        considered = convert(kept.body.get("considered"), RouteConsidered, strict=False)
        decided = convert(kept.body.get("decided"), RouteDecided, strict=False)
    except ValidationError:
        return None
    return PastRoute(
        receipt=kept.digest,
        seq=kept.seq,
        at=kept.at,
        duration_ms=kept.duration_ms,
        scope=asked.scope or None,
        query_chars=asked.query_chars or 0,
        rule=decided.rule,
        stage=decided.stage,
        signals=tuple(decided.signals),
        strategy=asked.strategy,
        status=decided.status,
        routed_to=decided.routed_to,
        routed_mode=decided.routed_mode,
        relevance=decided.relevance,
        fallbacks_used=decided.fallbacks_used,
        results=len(decided.ids),
        attempts=tuple(considered.attempts),
        skipped=tuple(considered.skipped),
    )


def route_stats(receipts: Iterable[tuple[Mapping[str, Any], float]]) -> RouteStats:
    """Count receipts, each given as its body and duration in milliseconds."""
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
