"""Try the steps of a plan in order until one is good enough, and record every attempt."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from satchel.domain.routing import Attempt, Code, Item, Outcome, Planned, Reply, Status, Strategy
from satchel.domain.text import normalised
from satchel.errors import BackendFailed
from satchel.ports.backend import BackendErrored, BackendOutcome, BackendTimedOut
from satchel.routing.contract import GOOD_ENOUGH

Start = Callable[[Planned], Callable[[], BackendOutcome]]
"""Starts a step without waiting, and returns a function that waits for its result."""
Check = Callable[[object, Planned], Reply]
"""Validates a reply, or raises BackendFailed."""
MAX_MESSAGE_CHARS = 500
RANK_CONSTANT = 60


class Mishap(Struct, frozen=True):
    """A failed or timed-out step, and the next backend."""

    attempt: Attempt
    following: str | None


class Dispatched(Struct, frozen=True):
    """The result of a plan."""

    status: Status
    attempts: tuple[Attempt, ...]
    winner: Attempt | None
    """The attempt whose items are returned, if any."""
    items: tuple[Item, ...] = ()

    @property
    def fallbacks_used(self) -> int:
        """Number of fallbacks used; 0 if the first step was enough or there was none."""
        return max(0, len(self.attempts) - 1)


class _Tried(Struct, frozen=True):
    attempt: Attempt
    items: tuple[Item, ...] = ()


def dispatch(
    steps: Sequence[Planned],
    start: Start,
    check: Check,
    threshold: float,
    tell: Callable[[Mishap], None],
    strategy: Strategy = Strategy.SEQUENTIAL,
) -> Dispatched:
    """Try steps until one is good enough; otherwise return the best result, or an empty one."""
    tried: list[_Tried] = []
    for place, waiting in enumerate(_started(steps, start, strategy)):
        one = _evaluate(steps[place], waiting(), check, threshold)
        tried.append(one)
        if one.attempt.status is Status.ERROR:
            following = steps[place + 1].backend if place + 1 < len(steps) else None
            tell(Mishap(one.attempt, following))
        if one.attempt.outcome is Outcome.ACCEPTED and strategy is not Strategy.MERGE:
            return Dispatched(Status.SUCCESS, _attempts(tried), one.attempt, one.items)
    return _merged(tried) if strategy is Strategy.MERGE else _exhausted(tried)


def _started(steps: Sequence[Planned], start: Start, strategy: Strategy) -> Iterator[Callable[[], BackendOutcome]]:
    """Yield a waiter per step: all started at once to merge, the first two to race, else one by one."""
    ahead = {Strategy.MERGE: len(steps), Strategy.RACE: 2}.get(strategy, 0)
    yield from [start(step) for step in steps[:ahead]]
    yield from (start(step) for step in steps[ahead:])


def _evaluate(step: Planned, result: BackendOutcome, check: Check, threshold: float) -> _Tried:
    duration = round(result.seconds * 1000)
    if isinstance(result, BackendTimedOut):
        message = f"no answer within {duration} ms"
        return _Tried(_failure(step, Outcome.TIMEOUT, Code.TIMEOUT, message, duration))
    if isinstance(result, BackendErrored):
        return _Tried(_failure(step, Outcome.ERROR, result.code, result.message, duration))
    try:
        reply = check(result.reply, step)
    except BackendFailed as error:
        return _Tried(_failure(step, Outcome.ERROR, error.code, error.message, duration))
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


def _outcome(reply: Reply, threshold: float) -> Outcome:
    if reply.status is Status.EMPTY:
        return Outcome.EMPTY
    # A reply that reports itself incomplete is never accepted. The threshold may be lower than the one at which a backend
    # reports success.
    weak = reply.status is Status.PARTIAL and reply.normalized_relevance < GOOD_ENOUGH
    complete = reply.status is Status.SUCCESS or (weak and reply.error_code != Code.PARTIAL)
    return Outcome.ACCEPTED if complete and reply.normalized_relevance >= threshold else Outcome.LOW


def _failure(step: Planned, outcome: Outcome, code: str, message: str, duration: int) -> Attempt:
    return Attempt(
        step.backend, step.mode, Status.ERROR, 0, 0.0, duration, str(code), message[:MAX_MESSAGE_CHARS], outcome
    )


def _exhausted(tried: Sequence[_Tried]) -> Dispatched:
    """Return the best result; of equal ones the earlier."""
    found = [one for one in tried if one.items]
    if not found:
        return Dispatched(_nothing(tried), _attempts(tried), None)
    best = max(found, key=lambda one: one.attempt.normalized_relevance)
    return Dispatched(Status.PARTIAL, _attempts(tried), best.attempt, best.items)


def _merged(tried: Sequence[_Tried]) -> Dispatched:
    """Return the items of all steps, merged."""
    found = [one for one in tried if one.items]
    if not found:
        return Dispatched(_nothing(tried), _attempts(tried), None)
    enough = any(one.attempt.outcome is Outcome.ACCEPTED for one in found)
    best = max(found, key=lambda one: one.attempt.normalized_relevance)
    items = merge_items([one.items for one in found])
    return Dispatched(Status.SUCCESS if enough else Status.PARTIAL, _attempts(tried), best.attempt, items)


def _nothing(tried: Sequence[_Tried]) -> Status:
    """Distinguish an empty result from a failure: one step without error is enough for empty."""
    return Status.EMPTY if any(one.attempt.status is not Status.ERROR for one in tried) else Status.ERROR


def _attempts(tried: Sequence[_Tried]) -> tuple[Attempt, ...]:
    return tuple(one.attempt for one in tried)


def merge_items(lists: Sequence[Sequence[Item]]) -> tuple[Item, ...]:
    """Merge lists by reciprocal rank; of equal contents the first found stays. Items keep their own relevance."""
    first: dict[str, Item] = {}
    score: dict[str, float] = {}
    for items in lists:
        seen: set[str] = set()
        for rank, one in enumerate(items, start=1):
            key = normalised(one.content)
            if key not in seen:
                seen.add(key)
                first.setdefault(key, one)
                score[key] = score.get(key, 0.0) + 1 / (RANK_CONSTANT + rank)
    order = {key: place for place, key in enumerate(first)}
    return tuple(first[key] for key in sorted(first, key=lambda key: (-score[key], order[key])))
