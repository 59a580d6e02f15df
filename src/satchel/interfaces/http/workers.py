"""Worker threads of a server: one for quick operations, one for long ones, each with its own session."""

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.agents import Bounds, perform
from satchel.interfaces.operations import Operation, Session

# Idle time after a write before new memories are embedded and indexed, so that the next recall need not.
IDLE_SECONDS = 0.2


class Workers:
    """Performs requests one after another; quick operations never wait for long ones."""

    def __init__(self, open_session: Callable[[], Session], ledger: Path) -> None:
        self._quick = _Worker(open_session, ledger, "satchel-quick")
        self._long = _Worker(open_session, ledger, "satchel-long")
        self._upkeep: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Open the store, so that errors show at the start; then load the model and ingest documents in the background."""
        self._quick.thread.submit(self._quick.session).result()
        self._quick.thread.submit(self._quick.warm)
        self._long.thread.submit(self._long.ingest_documents)

    async def perform(
        self, operation: Operation, bounds: Bounds, given: Mapping[str, Any], *, actor: str, client: str
    ) -> Ok[Any] | SatchelError:
        """Perform an operation on its worker."""
        worker = self._long if operation.long else self._quick
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(worker.thread, worker.perform, operation, bounds, given, actor, client)
        finally:
            if operation.writes:
                self._schedule_upkeep(loop)

    def _schedule_upkeep(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._upkeep is not None:
            self._upkeep.cancel()
        self._upkeep = loop.call_later(IDLE_SECONDS, lambda: self._quick.thread.submit(self._quick.warm))

    def close(self) -> None:
        """Finish running operations, and close the store."""
        if self._upkeep is not None:
            self._upkeep.cancel()
        for worker in (self._long, self._quick):
            worker.thread.submit(worker.close).result()
            worker.thread.shutdown()


class _Worker:
    """One thread with one session. If the ledger file was replaced, by a backup for example, the store is reopened."""

    def __init__(self, open_session: Callable[[], Session], ledger: Path, name: str) -> None:
        self.thread = ThreadPoolExecutor(1, name)
        self._open = open_session
        self._ledger = ledger
        self._session: Session | None = None
        self._file: tuple[int, int] | None = None

    def perform(
        self, operation: Operation, bounds: Bounds, given: Mapping[str, Any], actor: str, client: str
    ) -> Ok[Any] | SatchelError:
        try:
            session = self.session().acting_as(actor)
        except SatchelError as error:
            return error
        return perform(session, operation, bounds, given, client)

    def session(self) -> Session:
        if self._session is not None and self._file != self._identity():
            self.close()
        if self._session is None:
            session = self._open()
            _ = session.memory
            self._session, self._file = session, self._identity()
        return self._session

    def warm(self) -> None:
        self.session().memory.maintenance.warm()

    def ingest_documents(self) -> None:
        """Ingest changes in the configured folders, if ingest_on_start is set."""
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

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._ledger)  # noqa: PTH116  faster, and called before every request
        except OSError:
            return None
        return found.st_dev, found.st_ino
