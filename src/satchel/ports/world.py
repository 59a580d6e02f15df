"""What everything may need: the time, and somebody to report progress to."""

from typing import Protocol


class Clock(Protocol):
    """Tells the time. The only one who does."""

    def now(self) -> int:
        """Return milliseconds since the epoch."""
        ...

    def ticks(self) -> float:
        """Return seconds on a clock that only runs forward, for durations and deadlines."""
        ...


class Progress(Protocol):
    """Shown to a person while long work goes on."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Report that `done` of `total` steps of `what` are finished."""
        ...
