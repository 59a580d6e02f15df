"""Worker threads of a server: for reads, for writes and for long operations, each with its own session."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from satchel.adapters.embedders.runtime import load_numpy
from satchel.core.caller import working_for
from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.agents import Bounds, perform
from satchel.interfaces.operations import Operation, Session

# Idle time after a write before new memories are embedded and indexed, so that the next recall need not.
IDLE_SECONDS = 0.2
# Maximum time until then under constant load, which leaves no idle time.
MAX_UNKEPT_SECONDS = 5.0
# A reader has a connection and its cache; beyond this number they only compete for cores.
MAX_READERS = 4
# Maximum time that a text of a move waits for running requests.
MAX_WAIT_SECONDS = 0.25
_log = logging.getLogger("satchel.serve")

T = TypeVar("T")


class Caller(NamedTuple):
    """Who sent a request."""

    actor: str
    client: str
    """The name under which an agent's memories are stored."""
    folder: str | None = None
    """Where the caller works, for the scope auto."""


class Workers:
    """Performs requests: writes one after another, long operations one after another, a few reads at the same time.

    Reads wait neither for long operations nor for writes, which may have to wait for another process.
    """

    def __init__(self, open_session: Callable[[], Session], ledger: Path | None, readers: int = 0) -> None:
        """`ledger` is the file of the store; None if a database holds it.

        Reads are done by this number of threads; by default by one more than there are cores, up to a limit.
        """
        self._readers = [_Worker(open_session, ledger, f"satchel-read-{one}") for one in range(readers or _readers())]
        self._write = _Worker(open_session, ledger, "satchel-write")
        self._long = _Worker(open_session, ledger, "satchel-long")
        self._upkeep: asyncio.TimerHandle | None = None
        self._unkept_since = 0.0
        self._closing = threading.Event()
        self._idle = threading.Event()
        self._idle.set()

    def open(self) -> None:
        """Open the store, so that errors show at the start; the model, documents and a move follow in the background."""
        load_numpy()
        # The other readers open the store when there is more to read than one can.
        for worker in (self._readers[0], self._write, self._long):
            worker.thread.submit(worker.session).result()
        self._warm()
        self._long.thread.submit(self._long.ingest_documents)
        self._long.thread.submit(self._move)

    def _move(self) -> None:
        """Do one batch of a move to another embedding space, and queue the next: long requests run in between."""
        if self._closing.is_set():
            return
        try:
            under_way = self._long.move_on(self._wait_until_idle)
        except SatchelError as error:
            # Nothing is lost: the old vectors still answer, and the next start or 'index rebuild' goes on.
            _log.warning("the move to another embedding model has stopped: %s", error.message)
            return
        if under_way:
            self._long.thread.submit(self._move)

    def _wait_until_idle(self) -> None:
        # Bounded, so that a move comes to its end under any load.
        self._idle.wait(MAX_WAIT_SECONDS)

    async def perform(
        self, operation: Operation, bounds: Bounds, given: Mapping[str, Any], caller: Caller
    ) -> Ok[Any] | SatchelError:
        """Perform an operation on its worker."""

        def work(session: Session) -> Ok[Any] | SatchelError:
            return perform(session, operation, bounds, given, caller.client)

        try:
            return await self.run(work, caller, long=operation.long, writes=operation.writes)
        except SatchelError as error:
            return error

    async def run(self, work: Callable[[Session], T], caller: Caller, *, long: bool = False, writes: bool = False) -> T:
        """Run work on a worker. Raises SatchelError if the store cannot be opened."""
        worker = self._long if long else self._write if writes else self._idlest_reader()
        loop = asyncio.get_running_loop()
        self._count(worker, +1)
        try:
            return await loop.run_in_executor(worker.thread, worker.run, work, caller)
        finally:
            self._count(worker, -1)
            if writes:
                self._schedule_upkeep(loop)

    def _idlest_reader(self) -> "_Worker":
        """Return the reader with the fewest requests, of equal ones the first: a server with one client needs only that."""
        return min(self._readers, key=lambda one: one.requests)

    def queues(self) -> dict[str, int]:
        """Return the number of requests that each worker has or that wait for it."""
        return {"read": self._reads, "write": self._write.requests, "long": self._long.requests}

    @property
    def _reads(self) -> int:
        return sum(one.requests for one in self._readers)

    def _count(self, worker: "_Worker", change: int) -> None:
        # Only the thread of the event loop changes the number.
        worker.requests += change
        (self._idle.clear if self._reads or self._write.requests else self._idle.set)()

    def _schedule_upkeep(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._upkeep is None:
            self._unkept_since = loop.time()
        else:
            self._upkeep.cancel()
        latest = self._unkept_since + MAX_UNKEPT_SECONDS - loop.time()
        self._upkeep = loop.call_later(max(0.0, min(IDLE_SECONDS, latest)), self._do_upkeep)

    def _do_upkeep(self) -> None:
        self._upkeep = None
        self._warm()
        # Merging a large index takes seconds: the quick requests must not wait for it.
        self._long.thread.submit(self._long.merge)

    def _warm(self) -> None:
        first = self._readers[0]
        first.thread.submit(first.warm)

    def close(self) -> None:
        """Finish running operations, and close the store."""
        self._closing.set()
        if self._upkeep is not None:
            self._upkeep.cancel()
        for worker in (self._long, self._write, *self._readers):
            worker.thread.submit(worker.close).result()
            worker.thread.shutdown()


def _readers() -> int:
    # While one waits for the disk, another reads.
    return min(MAX_READERS, (os.cpu_count() or 1) + 1)


class _Worker:
    """One thread with one session. If the ledger file was replaced, by a backup for example, the store is reopened."""

    def __init__(self, open_session: Callable[[], Session], ledger: Path | None, name: str) -> None:
        self.thread = ThreadPoolExecutor(1, name)
        self.requests = 0
        self._open = open_session
        self._ledger = ledger
        self._session: Session | None = None
        self._file: tuple[int, int] | None = None
        self._moving: Iterator[None] | None = None

    def run(self, work: Callable[[Session], T], caller: Caller) -> T:
        with working_for(caller.actor):
            return work(self.session().acting_as(caller.actor, caller.folder))

    def session(self) -> Session:
        if self._session is not None and self._file != self._identity():
            self.close()
        if self._session is None:
            session = self._open()
            _ = session.memory
            self._session, self._file = session, self._identity()
        return self._session

    def warm(self) -> None:
        if self._has_store():
            self.session().memory.maintenance.warm()

    def merge(self) -> None:
        """Merge the fragments of the indexes, if there are many."""
        if self._has_store():
            with suppress(SatchelError):
                self.session().memory.maintenance.merge()

    def move_on(self, before_text: Callable[[], None]) -> bool:
        """Do the next step of a move to another embedding space; return whether there may be more."""
        if not self._has_store():
            return False
        session = self.session()
        if session.settings.embedding.move != "background":
            return False
        if self._moving is None:
            self._moving = session.memory.maintenance.move(before_text)
        return next(self._moving, self) is not self

    def ingest_documents(self) -> None:
        """Ingest changes in the configured folders, if ingest_on_start is set."""
        if not self._has_store():
            return
        settings = self.session().settings
        lane = settings.docs_cold_lane
        if lane.ingest_on_start and lane.source_roots and not settings.read_only:
            # A missing folder must not keep the server from starting.
            with suppress(SatchelError):
                self.session().memory.documents.ingest()

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
            self._moving = None

    def _has_store(self) -> bool:
        """Return whether there is a store. Nobody asked for work in the background, so it must not create one again."""
        return self._ledger is None or self._identity() is not None

    def _identity(self) -> tuple[int, int] | None:
        if self._ledger is None:
            return None
        try:
            found = os.stat(self._ledger)  # noqa: PTH116  faster, and called before every request
        except OSError:
            return None
        return found.st_dev, found.st_ino
