"""The clock, progress reports, and what the person is asked."""

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


class Tell(Protocol):
    """A callback that shows the person a part of the answer before the rest is known."""

    def __call__(self, text: str) -> None:
        """Show a line."""
        ...


class EditText(Protocol):
    """A callback that lets the person edit a text."""

    def __call__(self, text: str) -> str:
        """Return the text as the person left it."""
        ...
