"""`satchel worker`: embed what waits in a store until it is stopped, next to other workers."""

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os.path import samestat

from satchel.app import Satchel
from satchel.config import Settings, SettingsSources
from satchel.errors import Unavailable
from satchel.indexing.embed import BacklogResult
from satchel.interfaces.cli.views.lines import count
from satchel.interfaces.operations import Session
from satchel.wiring.store_path import ledger_path

# How long it waits for a write before it looks whether it was stopped.
STEP_SECONDS = 1.0
# How often it looks for work although nobody said that there is any: a writer may have been killed before it could.
LOOK_SECONDS = 30.0
# How long it waits after a failure, such as an embedder or a database that does not answer.
RETRY_SECONDS = 5.0
# How often it says what it did. A receipt for each memory would be as long as the memories.
REPORT_SECONDS = 60.0
_log = logging.getLogger("satchel.worker")


def run_worker(sources: SettingsSources, *, once: bool) -> int:
    """Work for the store of the settings until a signal, or with `once` until nothing waits; return the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="satchel worker: %(message)s")
    session = Session(
        sources,
        "worker",
        progress=lambda done, total, what: None,
        note=_log.info,
        tell=_log.info,
        folder=None,
    )
    stopping = threading.Event()
    try:
        with _set_by_signals(stopping):
            store = session.memory
            with _reporting(store) as report:
                if once:
                    report.add(store.maintenance.share_work(stopping.is_set))
                    return 0
                is_same = _same_file(sources.settings)
                _log.info("working for %s", store.parts.ledger.location)
                return _work_on(store, stopping, is_same, report)
    finally:
        session.close()


class _Report:
    """What was embedded and not yet said."""

    def __init__(self, store: Satchel) -> None:
        self._store = store
        self._done = BacklogResult()
        self._last = -REPORT_SECONDS

    def add(self, done: BacklogResult) -> None:
        """Add what a round did, and say it if that is due."""
        self._done = self._done.joined(done)
        if time.monotonic() - self._last >= REPORT_SECONDS:
            self.give()

    def give(self) -> None:
        """Say what was done, and keep a receipt of it."""
        done = self._done
        if not (done.made or done.skipped) or not self._store.maintenance.record_work(done):
            return
        self._done, self._last = BacklogResult(), time.monotonic()
        if done.made:
            _log.info("embedded %s", count(done.made, "text"))
        for reason, number in sorted(done.skipped.items()):
            _log.warning("%s without a vector: %s", count(number, "text"), reason)


@contextmanager
def _reporting(store: Satchel) -> Iterator[_Report]:
    report = _Report(store)
    try:
        yield report
    finally:
        with suppress(Unavailable):
            report.give()


def _work_on(store: Satchel, stopping: threading.Event, is_same: Callable[[], bool], report: _Report) -> int:
    """Work until it is stopped, or the store is another one than at the start."""
    failure, looked = "", -LOOK_SECONDS
    while not stopping.is_set():
        if not is_same():
            _log.warning("the store is gone or was replaced")
            return 1
        try:
            if store.parts.ledger.wait_for_write(STEP_SECONDS) or time.monotonic() - looked >= LOOK_SECONDS:
                looked = time.monotonic()
                report.add(store.maintenance.share_work(stopping.is_set))
                failure = ""
        except Unavailable as error:
            if error.message != failure:
                _log.warning("%s; trying again", error.message)
            failure = error.message
            stopping.wait(RETRY_SECONDS)
    return 0


def _same_file(settings: Settings) -> Callable[[], bool]:
    """Return a predicate: is the store's file still the present one? A database is always the same."""
    if settings.address:
        return lambda: True
    file = ledger_path(settings)
    opened = file.stat()

    def is_same() -> bool:
        with suppress(OSError):
            return samestat(file.stat(), opened)
        return False

    return is_same


@contextmanager
def _set_by_signals(stopping: threading.Event) -> Iterator[None]:
    before = {one: signal.signal(one, lambda number, frame: stopping.set()) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, earlier in before.items():
            signal.signal(one, earlier)
