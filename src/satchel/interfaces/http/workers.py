"""Who does the work of a server: one worker for what is quick, another for what is long, each with a store of its own."""

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.operations import Operation, Session
from satchel.interfaces.performing import performed
from satchel.interfaces.toolbox import Bounds

# So long after the last request, what was stored is embedded and indexed: the next recall need not do it.
IDLE_SECONDS = 0.2


class Desk:
    """Takes requests one after another. What is quick never waits for what is long."""

    def __init__(self, open_session: Callable[[], Session], ledger: Path) -> None:
        self._quick = _Worker(open_session, ledger, "satchel-quick")
        self._long = _Worker(open_session, ledger, "satchel-long")
        self._care: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Open the store, so that what is wrong with it shows before anybody asks; then load the rest behind it."""
        self._quick.thread.submit(self._quick.session).result()
        self._quick.thread.submit(self._quick.warm)
        self._long.thread.submit(self._long.take_documents_in)

    async def perform(
        self, operation: Operation, bounds: Bounds, given: Mapping[str, Any], *, actor: str, client: str
    ) -> Ok[Any] | SatchelError:
        """Perform an operation when its turn comes."""
        worker = self._long if operation.long else self._quick
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(worker.thread, worker.perform, operation, bounds, given, actor, client)
        finally:
            if operation.writes:
                self._care_later(loop)

    def _care_later(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._care is not None:
            self._care.cancel()
        self._care = loop.call_later(IDLE_SECONDS, lambda: self._quick.thread.submit(self._quick.warm))

    def close(self) -> None:
        """Finish what runs, and close the store."""
        if self._care is not None:
            self._care.cancel()
        for worker in (self._long, self._quick):
            worker.thread.submit(worker.close).result()
            worker.thread.shutdown()


class _Worker:
    """One thread with one session. A store whose file was replaced meanwhile, by a backup say, is opened anew."""

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
        return performed(session, operation, bounds, given, client)

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

    def take_documents_in(self) -> None:
        """Take in what has changed in the folders of the settings, if they say so. Nobody waits for it."""
        settings = self.session().settings
        lane = settings.docs_cold_lane
        if lane.ingest_on_start and lane.source_roots and not settings.read_only:
            # A folder that is not there today must not keep a server from starting.
            with suppress(SatchelError):
                self.session().memory.documents.ingest()

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._ledger)  # noqa: PTH116  the fewest calls: this is asked before every request
        except OSError:
            return None
        return found.st_dev, found.st_ino
