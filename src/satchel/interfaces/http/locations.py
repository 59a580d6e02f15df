"""The files of a store's server: socket, token, lock and status, in the store's folder and private to its owner."""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from satchel.errors import Conflict, Refused, Unavailable
from satchel.interfaces.http.raw_client import SOCKET, STATUS, TOKEN

# Linux allows 107 bytes, macOS 103.
MAX_SOCKET_BYTES = 100
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
# `is_running` also holds the lock for a moment.
LOCK_TRIES = 3
LOCK_PAUSE_SECONDS = 0.05


class ServerFiles:
    """The files of a server; `home` is the folder of its store, with links resolved."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.token = home / TOKEN
        self.status = home / STATUS
        self.lock = home / "serve.lock"

    def socket(self) -> Path:
        """Return the path of the socket: in the home folder, or in a private folder if that path is too long."""
        path = self.home / SOCKET
        return path if len(os.fsencode(path)) <= MAX_SOCKET_BYTES else self._short_folder() / SOCKET

    def _short_folder(self) -> Path:
        import hashlib
        import tempfile

        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:24]
        return Path(tempfile.gettempdir()).resolve() / f"satchel-{os.getuid()}-{digest}"

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

    def clear(self) -> None:
        """Remove all files but the lock, also those of a server that was killed."""
        socket = self.socket()
        for path in (self.status, self.status.with_suffix(".new"), self.token, socket):
            with suppress(FileNotFoundError):
                path.unlink()
        if socket.parent != self.home:
            with suppress(OSError):
                socket.parent.rmdir()

    def is_running(self) -> bool:
        """Return whether a server runs here. The lock ends with its process, even if that is killed."""
        try:
            handle = os.open(self.lock, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(handle)
        return False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the only server here, and remove its file afterwards."""
        self.home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        handle = self._lock()
        try:
            yield
        finally:
            # While the lock is held: another process that opened the file sees it is gone, and creates a new one.
            with suppress(FileNotFoundError):
                self.lock.unlink()
            os.close(handle)

    def _lock(self) -> int:
        for _ in range(LOCK_TRIES):
            handle = os.open(self.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
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


def _is_private(folder: Path) -> bool:
    found = folder.lstat()
    return S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _write_private(path: Path, text: str) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
