"""The files of a store: search for erased text, and checks of permissions and space."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from satchel.domain.answers import HealthFinding
from satchel.ports import FileSearch

CHUNK_BYTES = 1 << 20
LOW_SPACE_BYTES = 200 << 20


class StoreFolder:
    """Implements ports.Files over the store's home folder, or over its entries with a name."""

    def __init__(self, folder: Path, name: str = "") -> None:
        self._folder = folder
        self._name = name

    @property
    def folder(self) -> str:
        return str(self._folder)

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        files, size, holding = 0, 0, []
        for path in self._files():
            # Another process may remove a file meanwhile.
            with suppress(FileNotFoundError):
                size += path.stat().st_size
                files += 1
                if _contains(path, needles):
                    holding.append(str(path.relative_to(self._folder)))
        return FileSearch(files, size, tuple(holding))

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        try:
            return [self._permissions(fix), self._space()]
        except OSError as error:
            return [
                HealthFinding(
                    "permissions", "bad", f"{error.filename}: {error.strerror}", "check who owns the store's folder"
                )
            ]

    def _permissions(self, fix: bool) -> HealthFinding:
        paths = [*self._entries()] if self._name else [self._folder, *self._entries()]
        open_to_others = [path for path in paths if _is_open_to_others(path)]
        if fix:
            for path in open_to_others:
                with suppress(FileNotFoundError):
                    path.chmod(0o700 if path.is_dir() else 0o600)
        if open_to_others and not fix:
            message = f"{len(open_to_others)} files or folders are open to other users, e.g. {open_to_others[0]}"
            return HealthFinding("permissions", "warning", message, "satchel doctor --fix closes them")
        return HealthFinding("permissions", "ok", "only you can read the store")

    def _space(self) -> HealthFinding:
        from shutil import disk_usage  # imports three compression modules

        free = disk_usage(self._folder).free
        if free < LOW_SPACE_BYTES:
            return HealthFinding("disk space", "warning", f"only {free >> 20} MB left", "free some space")
        return HealthFinding("disk space", "ok", f"{free / (1 << 30):.1f} GB free")

    def _files(self) -> Iterator[Path]:
        found = sorted(path for path in self._entries() if path.is_file())
        # The shared memory file has no text, and closing it would release SQLite's locks of this process.
        yield from (path for path in found if not path.name.endswith("-shm"))

    def _entries(self) -> Iterator[Path]:
        if not self._name:
            yield from self._folder.rglob("*")
            return
        for entry in self._folder.iterdir():
            if entry.name == self._name or entry.name.startswith(f"{self._name}-"):
                yield entry
                yield from entry.rglob("*") if entry.is_dir() else ()


def _is_open_to_others(path: Path) -> bool:
    """Return whether other users can access a file. Links have no permissions of their own."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & 0o077)


def _contains(path: Path, needles: Sequence[bytes]) -> bool:
    overlap = max(map(len, needles), default=1) - 1
    tail = b""
    for chunk in _database_chunks(path) if path.suffix == ".sqlite3" else _chunks(path):
        window = tail + chunk
        if any(needle in window for needle in needles):
            return True
        tail = window[-overlap:] if overlap else b""
    return False


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _database_chunks(path: Path) -> Iterator[bytes]:
    """Read a database through SQLite, since closing the file otherwise releases all POSIX locks of this process.

    Another process could then remove the log, and later writes of this process would be lost.
    """
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    try:
        file = apsw.VFSFile("", str(path), [flags, 0])
    except apsw.CantOpenError:
        missing = errno.EACCES if path.exists() else errno.ENOENT
        raise OSError(missing, os.strerror(missing), str(path)) from None
    try:
        for start in range(0, file.xFileSize(), CHUNK_BYTES):
            yield file.xRead(CHUNK_BYTES, start)
    finally:
        file.xClose()
