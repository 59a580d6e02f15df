"""Dispatch: the steps of a plan are tried one after another, until one is good enough.

What goes wrong on the way is told as it happens; everything that was tried stands in the attempts.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from satchel.domain.routing import Attempt, Code, Item, Outcome, Planned, Reply, Status, Strategy
from satchel.errors import BackendFailed
from satchel.ports.backend import Broke, Result, TimedOut
from satchel.routing.contract import GOOD_ENOUGH
from satchel.routing.merge import merged

Start = Callable[[Planned], Callable[[], Result]]
"""Asks the backend of a step without waiting; what it returns waits."""
Check = Callable[[object, Planned], Reply]
"""Returns an answer that keeps the contract, or refuses it."""
MAX_MESSAGE_CHARS = 500


class Mishap(Struct, frozen=True):
    """A step that failed or took too long, and who is asked next."""

    attempt: Attempt
    following: str | None


class Dispatched(Struct, frozen=True):
    """What came of a plan."""

    status: Status
    attempts: tuple[Attempt, ...]
    winner: Attempt | None
    """The attempt whose items are returned; None when none are."""
    items: tuple[Item, ...] = ()

    @property
    def fallbacks_used(self) -> int:
        """How many fallbacks were really triggered: 0 when the first step was enough, or nothing could be tried."""
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
    """Try steps until one is good enough; else return the best of what came, or say that nothing did."""
    tried: list[_Tried] = []
    for place, waiting in enumerate(_started(steps, start, strategy)):
        one = _judged(steps[place], waiting(), check, threshold)
        tried.append(one)
        if one.attempt.status is Status.ERROR:
            following = steps[place + 1].backend if place + 1 < len(steps) else None
            tell(Mishap(one.attempt, following))
        if one.attempt.outcome is Outcome.ACCEPTED and strategy is not Strategy.MERGE:
            return Dispatched(Status.SUCCESS, _attempts(tried), one.attempt, one.items)
    return _all_merged(tried) if strategy is Strategy.MERGE else _exhausted(tried)


def _started(steps: Sequence[Planned], start: Start, strategy: Strategy) -> Iterator[Callable[[], Result]]:
    """Yield what waits for each step: all under way at once to merge, the first two to race, else one by one."""
    ahead = {Strategy.MERGE: len(steps), Strategy.RACE: 2}.get(strategy, 0)
    yield from [start(step) for step in steps[:ahead]]
    yield from (start(step) for step in steps[ahead:])


def _judged(step: Planned, result: Result, check: Check, threshold: float) -> _Tried:
    duration = round(result.seconds * 1000)
    if isinstance(result, TimedOut):
        message = f"no answer within {duration} ms"
        return _Tried(_failure(step, Outcome.TIMEOUT, Code.TIMEOUT, message, duration))
    if isinstance(result, Broke):
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
    # One that knows itself to be incomplete is never enough, whatever it found. The threshold may be lower than the one
    # by which a backend judges itself.
    weak = reply.status is Status.PARTIAL and reply.normalized_relevance < GOOD_ENOUGH
    complete = reply.status is Status.SUCCESS or (weak and reply.error_code != Code.PARTIAL)
    return Outcome.ACCEPTED if complete and reply.normalized_relevance >= threshold else Outcome.LOW


def _failure(step: Planned, outcome: Outcome, code: str, message: str, duration: int) -> Attempt:
    return Attempt(
        step.backend, step.mode, Status.ERROR, 0, 0.0, duration, str(code), message[:MAX_MESSAGE_CHARS], outcome
    )


def _exhausted(tried: Sequence[_Tried]) -> Dispatched:
    """Return the best of what came, the earlier one where two are alike."""
    found = [one for one in tried if one.items]
    if not found:
        return Dispatched(_nothing(tried), _attempts(tried), None)
    best = max(found, key=lambda one: one.attempt.normalized_relevance)
    return Dispatched(Status.PARTIAL, _attempts(tried), best.attempt, best.items)


def _all_merged(tried: Sequence[_Tried]) -> Dispatched:
    """Return the items of every step that found any, as one list."""
    found = [one for one in tried if one.items]
    if not found:
        return Dispatched(_nothing(tried), _attempts(tried), None)
    enough = any(one.attempt.outcome is Outcome.ACCEPTED for one in found)
    best = max(found, key=lambda one: one.attempt.normalized_relevance)
    items = merged([one.items for one in found])
    return Dispatched(Status.SUCCESS if enough else Status.PARTIAL, _attempts(tried), best.attempt, items)


def _nothing(tried: Sequence[_Tried]) -> Status:
    """Tell an honest no from a failure: one that looked and found nothing is enough."""
    return Status.EMPTY if any(one.attempt.status is not Status.ERROR for one in tried) else Status.ERROR


def _attempts(tried: Sequence[_Tried]) -> tuple[Attempt, ...]:
    return tuple(one.attempt for one in tried)
