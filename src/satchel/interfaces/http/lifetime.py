"""When a server that was started on demand ends on its own."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FileState = tuple[int, ...] | None
"""Identifies a file and its version; None if there is no file."""


class Lifetime:
    """Ends a server that is unused, whose store is gone or replaced, or whose settings file changed.

    After a change of the settings, the next turn starts a server with the new ones, or none if it is switched off.
    """

    def __init__(
        self,
        ledger: Path,
        settings_file: Path,
        settings: FileState,
        *,
        idle_seconds: float,
        ticks: Callable[[], float],
        used: Callable[[], None],
    ) -> None:
        """`settings` is the state of the settings file before it was read. `used` is called when a request begins and ends."""
        self._ledger, self._settings_file = ledger, settings_file
        self._store, self._settings = _store(ledger), settings
        self._idle_seconds = idle_seconds
        self._ticks = ticks
        self._used = used
        self._requests = 0
        self._last_use = ticks()

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request as use, from its beginning to its end."""
        self._requests += 1
        self._used()
        try:
            yield
        finally:
            self._requests -= 1
            self._last_use = self._ticks()
            self._used()

    def reason_to_end(self) -> str:
        """Return why the server should end now; empty if it should go on."""
        if _store(self._ledger) != self._store:
            return "the store is gone or was replaced"
        if state_of(self._settings_file) != self._settings:
            return "the settings changed"
        if not self._requests and self._ticks() - self._last_use >= self._idle_seconds:
            return "nobody used it"
        return ""


def state_of(file: Path) -> FileState:
    """Return the state of a file, which changes when it is written."""
    found = _stat(file)
    return found and (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _store(ledger: Path) -> FileState:
    """Return which file the ledger is, whatever is written to it."""
    found = _stat(ledger)
    return found and (found.st_dev, found.st_ino)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
