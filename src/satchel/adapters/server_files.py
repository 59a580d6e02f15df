"""The files of a store's server: socket, token, lock, status and log, in the store's folder and private to its owner."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from satchel.domain.server import RunningServer
from satchel.errors import Conflict, Refused, Unavailable
from satchel.locations import SOCKET, STATUS, TOKEN
from satchel.os_calls import CLOSE_ON_EXEC, READ, READ_WRITE, is_owner, lock, read_at, user_id, write_at

# Linux allows 107 bytes, macOS 103.
MAX_SOCKET_BYTES = 100
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
# `is_running` also holds the lock for a moment.
LOCK_TRIES = 3
LOCK_PAUSE_SECONDS = 0.05
# After a start on demand that failed, the next one is tried this much later.
RETRY_SECONDS = 60.0
# Size of the log of a server on demand; as much of the log before it is kept.
MAX_LOG_BYTES = 200_000
_STDIN = 0
_MINUTE_MS = 60_000


class ServerFiles:
    """The files of a server; `home` is the folder of its store, with links resolved."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.token = home / TOKEN
        self.status = home / STATUS
        self.lock = home / "serve.lock"
        self.log = home / "serve.log"
        self._locked_by: int | None = None

    def socket(self) -> Path:
        """Return the path of the socket: in the home folder, or in a private folder if that path is too long."""
        path = self.home / SOCKET
        return path if len(os.fsencode(path)) <= MAX_SOCKET_BYTES else self._short_folder() / SOCKET

    def _short_folder(self) -> Path:
        import hashlib
        import tempfile

        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:24]
        return Path(tempfile.gettempdir()).resolve() / f"satchel-{user_id()}-{digest}"

    def make_folder(self, socket: Path) -> None:
        """Create the folder of a socket; refuse one that others can access."""
        if len(os.fsencode(socket)) > MAX_SOCKET_BYTES:
            raise Unavailable(
                f"the socket path {socket} is too long",
                code="path_too_long",
                hint="set TMPDIR to a folder with a short name",
            )
        socket.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if socket.parent != self.home and not _is_private(socket.parent):
            raise Refused(
                f"{socket.parent} is accessible to others", code="unsafe_folder", hint="remove it and try again"
            )

    def write_token(self, token: str) -> None:
        """Write the token."""
        _write_private(self.token, token)

    def write_status(self, status: dict[str, Any]) -> None:
        """Write the status file atomically: clients may read it at any time."""
        new = self.status.with_suffix(".new")
        _write_private(new, json.dumps(status))
        new.replace(self.status)

    def read_status(self) -> dict[str, Any] | None:
        """Return the content of the status file; None if there is none or it cannot be read."""
        with suppress(OSError, ValueError):
            status = json.loads(self.status.read_bytes())
            if isinstance(status, dict) and isinstance(status.get("socket"), str):
                return status
        return None

    def running(self) -> RunningServer | None:
        """Return the server that runs here; None if none does."""
        if not self.is_running():
            return None
        if self._is_starting():
            # The status file, if there is one, is that of a server that was killed.
            return RunningServer(None, None, None, on_demand=True)
        status = self.read_status() or {}
        pid, since = (one if type(one := status.get(name)) is int else None for name in ("pid", "since"))
        version = one if isinstance(one := status.get("version"), str) else None
        return RunningServer(pid, version, since, status.get("on_demand") is True, self.idle_end(status))

    def _is_starting(self) -> bool:
        """Return whether a server was started on demand and is not ready: its lock says since when."""
        try:
            return self.lock.stat().st_size > 0
        except OSError:
            return False

    def idle_end(self, status: dict[str, Any]) -> int | None:
        """Return when a server ends if nobody uses it: its status file was last touched when it was last used."""
        minutes = status.get("idle_minutes")
        if not isinstance(minutes, int | float):
            return None
        with suppress(OSError):
            return self.status.stat().st_mtime_ns // 1_000_000 + round(minutes * _MINUTE_MS)
        return None

    def note_start(self) -> None:
        """Note that the start succeeded: if the server is killed, the next one may start at once."""
        if self._locked_by is not None:
            os.ftruncate(self._locked_by, 0)

    def touch_status(self) -> None:
        """Note that the server is being used."""
        with suppress(OSError):
            os.utime(self.status)

    def clear(self) -> bool:
        """Remove all files but the lock and the log, also those of a server that was killed; return whether they are ours."""
        if not self._holds_lock():
            return False  # the folder was replaced, and what is in it now belongs to another server
        socket = self.socket()
        for path in (self.status, self.status.with_suffix(".new"), self.token, socket):
            with suppress(FileNotFoundError):
                path.unlink()
        if socket.parent != self.home:
            with suppress(OSError):
                socket.parent.rmdir()
        return True

    def is_running(self) -> bool:
        """Return whether a server runs here. The lock ends with its process, even if that is killed."""
        try:
            handle = os.open(self.lock, os.O_RDWR | CLOSE_ON_EXEC)
        except OSError:
            return False
        try:
            lock(handle, wait=False, shared=True)
        except OSError:
            return True
        finally:
            os.close(handle)
        return False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the only server here, and remove its file afterwards.

        A lock passed on by the process that started this one is used. If the start then fails, its file is left: it says
        when, so that the next process does not try again at once.
        """
        self.home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        passed_on = self._passed_on_lock()
        handle = self._locked_by = self._lock() if passed_on is None else passed_on
        failed = True
        try:
            yield
            failed = False
        finally:
            # While the lock is held: another process that opened the file sees it is gone, and creates a new one.
            if self._holds_lock() and not (failed and passed_on is not None):
                with suppress(FileNotFoundError):
                    self.lock.unlink()
            self._locked_by = None
            os.close(handle)

    def lock_for_start(self, now: float) -> int | None:
        """Take the lock for a server to be started, which gets it as standard input.

        None if a server runs or is being started, or if a start failed less than RETRY_SECONDS ago. Of any number of
        processes at once, one gets the lock.
        """
        if not is_owner(self.home.stat().st_uid):
            return None
        handle = os.open(self.lock, READ_WRITE, PRIVATE_FILE)
        try:
            lock(handle, wait=False)
            if os.fstat(handle).st_nlink and not _is_recent(read_at(handle, 32, 0), now):
                os.ftruncate(handle, 0)
                # On a full disk this fails, and no server is started.
                write_at(handle, f"{now:.0f}".encode("ascii"), 0)
                return handle
        except BlockingIOError:
            pass
        except BaseException:  # also a signal: nobody else can close the file
            os.close(handle)
            raise
        os.close(handle)
        return None

    def _passed_on_lock(self) -> int | None:
        """Return the lock that a process passed on as standard input; None if that is anything else."""
        try:
            if not os.path.samestat(os.fstat(_STDIN), self.lock.stat()):
                return None
            lock(_STDIN, wait=False)
            # Unlike standard input, the copy is not inherited by a program that the server runs.
            handle = os.dup(_STDIN)
        except OSError:
            return None
        nothing = os.open(os.devnull, READ)
        os.dup2(nothing, _STDIN)
        os.close(nothing)
        return handle

    def _holds_lock(self) -> bool:
        """Return whether the lock file is still the one that this process holds."""
        if self._locked_by is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._locked_by), self.lock.stat())
        except OSError:
            return False

    def _lock(self) -> int:
        for _ in range(LOCK_TRIES):
            handle = os.open(self.lock, READ_WRITE, PRIVATE_FILE)
            with suppress(OSError):
                lock(handle, wait=False)
                # A removed file was the lock of a server that has just ended.
                if os.fstat(handle).st_nlink:
                    return handle
            os.close(handle)
            time.sleep(LOCK_PAUSE_SECONDS)
        raise Conflict(
            f"a server already runs for {self.home}",
            code="already_serving",
            hint="'satchel serve --status' shows it, 'satchel serve --stop' stops it",
        )


def _is_recent(content: bytes, now: float) -> bool:
    """Return whether a lock file says that a start was tried a moment ago."""
    return content.isdigit() and abs(now - int(content)) < RETRY_SECONDS


def _is_private(folder: Path) -> bool:
    found = folder.lstat()
    return S_ISDIR(found.st_mode) and is_owner(found.st_uid) and not found.st_mode & 0o077


def _write_private(path: Path, text: str) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, PRIVATE_FILE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
