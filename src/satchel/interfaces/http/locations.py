"""Where a server of a store leaves what its clients need: a socket, a token, a lock, and a note about itself.

All of it is in the store's own folder, for its owner's eyes only.
"""

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
from satchel.interfaces.http.raw_client import NOTE, SOCKET, TOKEN

# Linux allows 107 bytes, macOS 103.
MAX_SOCKET_BYTES = 100
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
# Whoever looks whether a server runs holds the lock for a moment, too.
LOCK_TRIES = 3
LOCK_PAUSE_SECONDS = 0.05


class Place:
    """The files of a server, by the folder of its store, links resolved."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.token = home / TOKEN
        self.note = home / NOTE
        self.lock = home / "serve.lock"

    def socket(self) -> Path:
        """Return where a server listens: here, or in a private folder of its own where the path would be too long."""
        near = self.home / SOCKET
        return near if len(os.fsencode(near)) <= MAX_SOCKET_BYTES else self._far_folder() / SOCKET

    def _far_folder(self) -> Path:
        import hashlib
        import tempfile

        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:24]
        return Path(tempfile.gettempdir()).resolve() / f"satchel-{os.getuid()}-{digest}"

    def make_folder(self, socket: Path) -> None:
        """Make the folder of a socket. One that somebody else can get at is refused."""
        if len(os.fsencode(socket)) > MAX_SOCKET_BYTES:
            raise Unavailable(
                f"{socket} is too long for a socket",
                code="path_too_long",
                hint="set TMPDIR to a folder with a short name",
            )
        socket.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if socket.parent != self.home and not _is_private(socket.parent):
            raise Refused(
                f"{socket.parent} is not a folder of yours alone", code="unsafe_folder", hint="remove it and try again"
            )

    def leave_token(self, token: str) -> None:
        """Write the token."""
        _write_anew(self.token, token)

    def leave_note(self, note: dict[str, Any]) -> None:
        """Write the note, whole or not at all: clients read it whenever they like."""
        beside = self.note.with_suffix(".new")
        _write_anew(beside, json.dumps(note))
        beside.replace(self.note)

    def read_note(self) -> dict[str, Any] | None:
        """Return what the server said about itself; None when none has, or when it cannot be read."""
        with suppress(OSError, ValueError):
            note = json.loads(self.note.read_bytes())
            if isinstance(note, dict) and isinstance(note.get("socket"), str):
                return note
        return None

    def clear(self) -> None:
        """Remove everything but the lock: what a server leaves behind when it stops, or when it was killed."""
        socket = self.socket()
        for path in (self.note, self.note.with_suffix(".new"), self.token, socket):
            with suppress(FileNotFoundError):
                path.unlink()
        if socket.parent != self.home:
            with suppress(OSError):
                socket.parent.rmdir()

    def is_taken(self) -> bool:
        """Say whether a server runs here. A lock ends with its process, however that ends."""
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
    def alone(self) -> Iterator[None]:
        """Be the one server here, and leave no lock file behind."""
        self.home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        handle = self._locked()
        try:
            yield
        finally:
            # While it is held: whoever opened the file before this sees that it is gone, and makes another.
            with suppress(FileNotFoundError):
                self.lock.unlink()
            os.close(handle)

    def _locked(self) -> int:
        for _ in range(LOCK_TRIES):
            handle = os.open(self.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # A file that is gone was the lock of a server that has just ended.
                if os.fstat(handle).st_nlink:
                    return handle
            os.close(handle)
            time.sleep(LOCK_PAUSE_SECONDS)
        raise Conflict(
            f"a server runs for {self.home} already",
            code="already_serving",
            hint="'satchel serve --status' tells of it, 'satchel serve --stop' ends it",
        )


def _is_private(folder: Path) -> bool:
    found = folder.lstat()
    return S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _write_anew(path: Path, text: str) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
