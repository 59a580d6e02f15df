"""What the dispatch router needs from the world: backends, a way to ask them within a time, and its three files."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.routing import Asked, Entry, Reply


class Backend(Protocol):
    """Somewhere a query can be sent. Whatever it cannot do, it says by raising BackendFailed."""

    @property
    def name(self) -> str:
        """One of qmd, totalrecall, cognee, lossless."""
        ...

    def ask(self, asked: Asked) -> Reply:
        """Answer a query, every item with an absolute relevance, best first. Nothing is kept after the deadline."""
        ...


class Probed(Struct, frozen=True):
    """How far a backend that was probed works: installed, able to run, able to answer."""

    installed: bool
    runs: bool
    answers: bool
    reason: str
    """What to do about what does not work; empty when everything does."""


class Answered(Struct, frozen=True):
    """What came back from a backend, checked by nobody yet."""

    reply: object
    seconds: float


class Broke(Struct, frozen=True):
    """A backend failed."""

    code: str
    message: str
    seconds: float


class TimedOut(Struct, frozen=True):
    """A backend did not answer in time, and is no longer waited for."""

    seconds: float


Result = Answered | Broke | TimedOut


class Caller(Protocol):
    """Asks a backend, and really stops waiting when its time is over."""

    def start(self, backend: Backend, asked: Asked, seconds: float) -> Callable[[], Result]:
        """Ask without waiting; what is returned waits, no longer than the time given here."""
        ...


class JsonFile(Protocol):
    """A file that holds one JSON document."""

    @property
    def path(self) -> str:
        """Where it is."""
        ...

    def read(self) -> object | None:
        """Return what it says; None when there is none. One that cannot be understood is refused."""
        ...

    def write(self, document: Json) -> None:
        """Put another document in its place, whole or not at all."""
        ...


class RouterLog(Protocol):
    """The log of what went wrong on the way to an answer."""

    @property
    def path(self) -> str:
        """Where it is."""
        ...

    def append(self, line: str) -> None:
        """Add a line. A log that cannot be written fails nothing."""
        ...


class Outside(Protocol):
    """Backends that are other programs, servers and files."""

    def backend(self, entry: Entry) -> Backend:
        """Return the adapter that an entry names, or refuse one that nobody knows."""
        ...

    def write(self, entry: Entry, key: str, text: str, at: int) -> str:
        """Add a memory to the files of an entry, and return where; refused by what is only read."""
        ...

    def probe(self, entry: Entry) -> Probed:
        """See how far the backend of an entry works. Writes nothing."""
        ...


class Surroundings(Struct, frozen=True):
    """Everything around the router."""

    state: JsonFile
    rules: JsonFile
    log: RouterLog
    caller: Caller
    outside: Outside
    rests: "Rests"


class Rests(Protocol):
    """Which steps failed lately, as long as this process lives."""

    def failed(self, step: str, at: float) -> None:
        """Let a step rest for a while, longer each time."""
        ...

    def served(self, step: str) -> None:
        """Forget that a step ever failed."""
        ...

    def resting(self, at: float) -> frozenset[str]:
        """Return the steps that rest now."""
        ...
