"""Clocks of stores under test."""

from itertools import count

from satchel.adapters.clock import SystemClock


class TickingClock(SystemClock):
    """One millisecond later at every look, so that newest first is certain."""

    def __init__(self) -> None:
        self._now = count(1_767_225_600_000)

    def now(self) -> int:
        return next(self._now)
