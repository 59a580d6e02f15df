"""Clocks that a test sets. Only their date is set: deadlines run on as they do."""

from collections.abc import Iterator
from itertools import cycle

from satchel.adapters.clock import SystemClock

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
YEAR_MS = 365 * DAY_MS
BEGIN = 20_000 * DAY_MS


class SetClock(SystemClock):
    """A clock that stands still until it is set."""

    def __init__(self, time: int = BEGIN) -> None:
        self.time = time

    def now(self) -> int:
        return self.time


class ErraticClock(SystemClock):
    """A clock that is set again at every look."""

    def __init__(self, *steps: int) -> None:
        self._steps: Iterator[int] = cycle(steps)
        self._time = BEGIN

    def now(self) -> int:
        self._time += next(self._steps)
        return self._time
