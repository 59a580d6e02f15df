"""Try the steps of a plan in order until one is good enough, and record every attempt."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from satchel.domain.routing import (
    Attempt,
    AttemptOutcome,
    BackendReply,
    PlannedStep,
    RouteErrorCode,
    RouteItem,
    RouteStatus,
    RouteStrategy,
)
from satchel.domain.text import normalize_text
from satchel.errors import BackendFailed
from satchel.ports.backend import BackendErrored, BackendOutcome, BackendTimedOut
from satchel.routing.contract import GOOD_ENOUGH

Start = Callable[[PlannedStep], Callable[[], BackendOutcome]]
"""Starts a step without waiting, and returns a function that waits for its result."""
Check = Callable[[object, PlannedStep], BackendReply]
"""Validates a reply, or raises BackendFailed."""
MAX_MESSAGE_CHARS = 500
RANK_CONSTANT = 60


class Mishap(Struct, frozen=True):
    """A failed or timed-out step, and the next backend."""

    attempt: Attempt
    following: str | None


class Dispatched(Struct, frozen=True):
    """The result of a plan."""

    status: RouteStatus
    attempts: tuple[Attempt, ...]
    winner: Attempt | None
    """The attempt whose items are returned, if any."""
    items: tuple[RouteItem, ...] = ()

    @property
    def fallbacks_used(self) -> int:
        """Number of fallbacks used; 0 if the first step was enough or there was none."""
        return max(0, len(self.attempts) - 1)


NOTHING_ASKED = Dispatched(RouteStatus.EMPTY, (), None)
"""The result of a query without content, which no backend is asked."""


class _Tried(Struct, frozen=True):
    attempt: Attempt
    items: tuple[RouteItem, ...] = ()


def dispatch(
    steps: Sequence[PlannedStep],
    start: Start,
    check: Check,
    threshold: float,
    tell: Callable[[Mishap], None],
    strategy: RouteStrategy = RouteStrategy.SEQUENTIAL,
) -> Dispatched:
    """Try steps until one is good enough; otherwise return the best result, or an empty one."""
    tried: list[_Tried] = []
    for place, waiting in enumerate(_started(steps, start, strategy)):
        one = _evaluate(steps[place], waiting(), check, threshold)
        tried.append(one)
        if one.attempt.status is RouteStatus.ERROR:
            following = steps[place + 1].backend if place + 1 < len(steps) else None
            tell(Mishap(one.attempt, following))
        if one.attempt.outcome is AttemptOutcome.ACCEPTED and strategy is not RouteStrategy.MERGE:
            return Dispatched(RouteStatus.SUCCESS, _attempts(tried), one.attempt, one.items)
    return _merged(tried) if strategy is RouteStrategy.MERGE else _exhausted(tried)


def _started(
    steps: Sequence[PlannedStep], start: Start, strategy: RouteStrategy
) -> Iterator[Callable[[], BackendOutcome]]:
    """Yield a waiter per step: all started at once to merge, the first two to race, else one by one."""
    ahead = {RouteStrategy.MERGE: len(steps), RouteStrategy.RACE: 2}.get(strategy, 0)
    yield from [start(step) for step in steps[:ahead]]
    yield from (start(step) for step in steps[ahead:])


def _evaluate(step: PlannedStep, result: BackendOutcome, check: Check, threshold: float) -> _Tried:
    duration = round(result.seconds * 1000)
    if isinstance(result, BackendTimedOut):
        message = f"no answer within {duration} ms"
        return _Tried(_failure(step, AttemptOutcome.TIMEOUT, RouteErrorCode.TIMEOUT, message, duration))
    if isinstance(result, BackendErrored):
        return _Tried(_failure(step, AttemptOutcome.ERROR, result.code, result.message, duration))
    try:
        reply = check(result.reply, step)
    except BackendFailed as error:
        return _Tried(_failure(step, AttemptOutcome.ERROR, error.code, error.message, duration))
    attempt = Attempt(
        step.backend,
        step.mode,
        reply.status,
        reply.result_count,
        reply.normalized_relevance,
        duration,
        reply.error_code,
        reply.error_message,
        _outcome(reply, threshold),
        reply.note,
    )
    return _Tried(attempt, reply.results)


def _outcome(reply: BackendReply, threshold: float) -> AttemptOutcome:
    if reply.status is RouteStatus.EMPTY:
        return AttemptOutcome.EMPTY
    # A reply that reports itself incomplete is never accepted. The threshold may be lower than the one at which a backend
    # reports success.
    weak = reply.status is RouteStatus.PARTIAL and reply.normalized_relevance < GOOD_ENOUGH
    complete = reply.status is RouteStatus.SUCCESS or (weak and reply.error_code != RouteErrorCode.PARTIAL)
    return AttemptOutcome.ACCEPTED if complete and reply.normalized_relevance >= threshold else AttemptOutcome.LOW


def _failure(step: PlannedStep, outcome: AttemptOutcome, code: str, message: str, duration: int) -> Attempt:
    return Attempt(
        step.backend, step.mode, RouteStatus.ERROR, 0, 0.0, duration, str(code), message[:MAX_MESSAGE_CHARS], outcome
    )


def _exhausted(tried: Sequence[_Tried]) -> Dispatched:
    """Return the best result; of equal ones the earlier."""
    found = [one for one in tried if one.items]
    if not found:
        return Dispatched(_nothing(tried), _attempts(tried), None)
    best = max(found, key=lambda one: one.attempt.normalized_relevance)
    return Dispatched(RouteStatus.PARTIAL, _attempts(tried), best.attempt, best.items)


def _merged(tried: Sequence[_Tried]) -> Dispatched:
    """Return the items of all steps, merged."""
    found = [one for one in tried if one.items]
    if not found:
        return Dispatched(_nothing(tried), _attempts(tried), None)
    enough = any(one.attempt.outcome is AttemptOutcome.ACCEPTED for one in found)
    best = max(found, key=lambda one: one.attempt.normalized_relevance)
    items = merge_items([one.items for one in found])
    return Dispatched(RouteStatus.SUCCESS if enough else RouteStatus.PARTIAL, _attempts(tried), best.attempt, items)


def _nothing(tried: Sequence[_Tried]) -> RouteStatus:
    """Distinguish an empty result from a failure: one step without error is enough for empty."""
    return RouteStatus.EMPTY if any(one.attempt.status is not RouteStatus.ERROR for one in tried) else RouteStatus.ERROR


def _attempts(tried: Sequence[_Tried]) -> tuple[Attempt, ...]:
    return tuple(one.attempt for one in tried)


def merge_items(lists: Sequence[Sequence[RouteItem]]) -> tuple[RouteItem, ...]:
    """Merge lists by reciprocal rank; of equal contents the first found stays. Items keep their own relevance."""
    first: dict[str, RouteItem] = {}
    score: dict[str, float] = {}
    for items in lists:
        seen: set[str] = set()
        for rank, one in enumerate(items, start=1):
            key = normalize_text(one.content)
            if key not in seen:
                seen.add(key)
                first.setdefault(key, one)
                score[key] = score.get(key, 0.0) + 1 / (RANK_CONSTANT + rank)
    order = {key: place for place, key in enumerate(first)}
    return tuple(first[key] for key in sorted(first, key=lambda key: (-score[key], order[key])))
