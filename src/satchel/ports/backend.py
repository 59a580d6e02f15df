"""What the dispatch router needs: backends, calls with a deadline, cooldowns and its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from satchel.domain.canonical import Json
    from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply


class Backend(Protocol):
    """A search backend. Raises BackendFailed for anything that it cannot do."""

    @property
    def name(self) -> str:
        """One of qmd, totalrecall, cognee, lossless."""
        ...

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Answer a query, best first, each item with an absolute relevance. A reply after the deadline is dropped."""
        ...


class ProbeResult(Struct, frozen=True):
    """How far a backend works: installed, able to run, able to answer."""

    installed: bool
    runs: bool
    answers: bool
    reason: str
    """What does not work, or empty."""


class BackendAnswered(Struct, frozen=True):
    """An unchecked reply of a backend."""

    reply: object
    seconds: float


class BackendErrored(Struct, frozen=True):
    """A backend failed."""

    code: str
    message: str
    seconds: float


class BackendTimedOut(Struct, frozen=True):
    """A backend did not answer in time."""

    seconds: float


BackendOutcome = BackendAnswered | BackendErrored | BackendTimedOut


class BackendCaller(Protocol):
    """Calls backends with a time limit."""

    def start(self, backend: Backend, asked: BackendQuery, seconds: float) -> Callable[[], BackendOutcome]:
        """Start a call without waiting; the returned function waits for its outcome, at most until the time limit."""
        ...


class JsonFile(Protocol):
    """A file with one JSON document."""

    @property
    def path(self) -> str:
        """The path of the file."""
        ...

    def read(self) -> object | None:
        """Return the document, or None without a file. Raises InvalidRequest for a file that cannot be parsed."""
        ...

    def write(self, document: Json) -> None:
        """Replace the file atomically."""
        ...


class RouterLog(Protocol):
    """The router's log of failures."""

    @property
    def path(self) -> str:
        """The path of the file."""
        ...

    def append(self, line: str) -> None:
        """Add a line. Never raises if the log cannot be written."""
        ...


class ExternalBackends(Protocol):
    """Backends outside the store: programs, servers and files."""

    def backend(self, entry: BackendEntry) -> Backend:
        """Return the backend of an entry. Raises BackendFailed for an unknown adapter."""
        ...

    def write(self, entry: BackendEntry, key: str, text: str, at: int) -> str:
        """Write a memory to the backend of an entry, and return the file. Raises BackendFailed for a read-only backend."""
        ...

    def probe(self, entry: BackendEntry) -> ProbeResult:
        """Check how far the backend of an entry works, without writing anything."""
        ...


class Cooldowns(Protocol):
    """Steps that failed recently; they are tried last until their cooldown ends."""

    def failed(self, step: str, at: float) -> None:
        """Start a cooldown for a step; each further failure doubles it."""
        ...

    def succeeded(self, step: str) -> None:
        """Clear the failures of a step."""
        ...

    def cooling_down(self, at: float) -> frozenset[str]:
        """Return the steps in cooldown at a moment."""
        ...


class RouterPorts(Struct, frozen=True):
    """Everything the router needs from outside."""

    state: JsonFile
    rules: JsonFile
    log: RouterLog
    caller: BackendCaller
    external: ExternalBackends
    cooldowns: Cooldowns
