"""The clock, progress reports, and questions to the person."""

from typing import Protocol


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> int:
        """Return milliseconds since the epoch."""
        ...

    def ticks(self) -> float:
        """Return monotonic seconds, for durations and deadlines."""
        ...


class Progress(Protocol):
    """A callback for the progress of long work."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Report that `done` of `total` steps of `what` are complete."""
        ...


class Ask(Protocol):
    """A callback that puts a question to the person."""

    def __call__(self, question: str) -> bool:
        """Return whether the person agrees; yes where nobody can be asked."""
        ...
