"""Facts over time as bars, as numbers that a template draws as SVG."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from satchel.domain.moment import FIRST_MOMENT, LAST_MOMENT, day, parse_moment
from satchel.facts.values import FactRecord

WIDTH = 1_000
LABEL_WIDTH = 230
ROW_HEIGHT = 26
HEAD_HEIGHT = 26
# Of the span, so that a bar at either end is not cut off.
MARGIN = 0.03
MIN_BAR = 3.0
MAX_TICKS = 6
MAX_ROWS = 200


class ValidityBar(Struct, frozen=True):
    """When one fact is true."""

    fact: FactRecord
    x: float
    y: float
    width: float
    ended: bool
    """Whether it is no longer true."""
    first_of_predicate: bool


class Tick(Struct, frozen=True):
    """A date of the axis."""

    x: float
    label: str


class Timeline(Struct, frozen=True):
    """The picture of a subject's facts: one row per fact, grouped by predicate."""

    width: int
    height: int
    label_width: int
    bars: tuple[ValidityBar, ...]
    ticks: tuple[Tick, ...]
    now_x: float
    """Where the present is."""


def timeline(facts: Sequence[FactRecord], now: int) -> Timeline:
    """Lay the facts of a subject out over the time from the first beginning to the present or the last end."""
    ordered = sorted(facts, key=lambda one: (one.predicate, one.valid_from, one.id))[:MAX_ROWS]
    spans = [_span(one) for one in ordered]
    moments = [now, *(begin for begin, _ in spans), *(end for _, end in spans if end is not None)]
    first, last = min(moments), max(moments)
    padding = max(1, int((last - first) * MARGIN))
    first, last = first - padding, last + padding

    def x(moment: int) -> float:
        return LABEL_WIDTH + (WIDTH - LABEL_WIDTH) * (moment - first) / (last - first)

    bars = list[ValidityBar]()
    for row, (fact, (begin, end)) in enumerate(zip(ordered, spans, strict=True)):
        left, right = x(begin), x(last if end is None else end)
        is_first = row == 0 or ordered[row - 1].predicate != fact.predicate
        top = HEAD_HEIGHT + row * ROW_HEIGHT
        bars.append(ValidityBar(fact, left, top, max(MIN_BAR, right - left), end is not None and end <= now, is_first))
    return Timeline(
        WIDTH, HEAD_HEIGHT + ROW_HEIGHT * len(ordered), LABEL_WIDTH, tuple(bars), _ticks(first, last, x), x(now)
    )


def _span(fact: FactRecord) -> tuple[int, int | None]:
    end = None if fact.valid_to is None else parse_moment(fact.valid_to, "valid_to")
    return parse_moment(fact.valid_from, "valid_from"), end


def _ticks(first: int, last: int, x: Callable[[int], float]) -> tuple[Tick, ...]:
    """Return evenly spaced dates."""
    step = (last - first) / MAX_TICKS
    moments = [int(first + step * (number + 0.5)) for number in range(MAX_TICKS)]
    return tuple(Tick(x(one), day(min(max(one, FIRST_MOMENT), LAST_MOMENT))) for one in moments)
