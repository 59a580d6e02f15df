"""The files of a store: search for erased text, and checks of permissions and space."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from satchel.domain.answers import HealthFinding
from satchel.os_calls import lock_folder
from satchel.ports import FileSearch

CHUNK_BYTES = 1 << 20
LOW_SPACE_BYTES = 200 << 20
# What Satchel makes in the folder of a store. A folder that was there before may have other things in it.
OWN_FILES = (
    *(f"ledger.sqlite3{ending}" for ending in ("", "-wal", "-shm", "-journal", "-embedding.lock", ".made")),
    "config.toml",
    "dead-letters.jsonl",
    "installs/installs.json",
    f"installs/{'[0-9a-f]' * 12}-*",
    "rollout/state.json",
    "rollout/openclaw.json",
    *(f"serve.{ending}" for ending in ("json", "lock", "log", "sock", "token", "tokens")),
    f"spool/{'[0-9]' * 8}.jsonl",
    *(f"spool/{name}.lock" for name in ("append", "ingest", "dead-letters")),
    f"spool/archive/{'[0-9]' * 8}.jsonl",
    f"artifacts/[0-9a-f][0-9a-f]/{'[0-9a-f]' * 64}",
    "index/writer.lock",
    *(f"index/{name}.lance{below}" for name in ("memories", "passages") for below in ("", "/**/*")),
)
# Its own if nothing else is in them, as is the folder of the store.
OWN_FOLDERS = ("spool/archive", "spool", "artifacts/[0-9a-f][0-9a-f]", "artifacts", "index", "installs", "rollout")
# Files that were to replace another one when their process was killed. Who replaces one holds the folder's lock.
UNFINISHED_FILES = (".config.toml.*", ".serve.tokens.*", "rollout/.*.json.*")
# Where a backup is made or unpacked.
WORK_FOLDERS = ".backup.*"
_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class StoreFolder:
    """Implements ports.Files over the store's home folder, or over its entries with a name."""

    def __init__(self, folder: Path, name: str = "", *, linked: bool = False) -> None:
        """`linked` says that the ledger is in this folder because a link points to it."""
        self._folder = folder
        self._name = name
        self._linked = linked

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
            return [self._permissions(fix), self._space(), *self._unfinished(fix)]
        except OSError as error:
            return [
                HealthFinding(
                    "permissions", "bad", f"{error.filename}: {error.strerror}", "check who owns the store's folder"
                )
            ]

    def _permissions(self, fix: bool) -> HealthFinding:
        open_to_others = [path for path in self._own() if _mode(path) & _FOR_OTHERS]
        if fix:
            for path in open_to_others:
                with suppress(FileNotFoundError):
                    path.chmod(stat.S_IMODE(_mode(path)) & ~_FOR_OTHERS)
        if open_to_others and not fix:
            first, *others = open_to_others
            message = f"open to other users: {first}" + (f" and {len(others):,} more" if others else "")
            return HealthFinding("permissions", "warning", message, "satchel doctor --fix closes them")
        return HealthFinding("permissions", "ok", "only you can read the store")

    def _own(self) -> list[Path]:
        """Return the files and folders that Satchel made."""
        if self._name:
            return [*self._entries()]
        own = {path for pattern in OWN_FILES for path in self._folder.glob(pattern) if not self._is_linked(path)}
        folders = [path for name in OWN_FOLDERS for path in self._folder.glob(name) if not self._is_linked(path)]
        for folder in [*folders, *([] if self._linked else [self._folder])]:
            if stat.S_ISDIR(_mode(folder)) and own.issuperset(folder.iterdir()):
                own.add(folder)
        return sorted(own)

    def _is_linked(self, path: Path) -> bool:
        """Return whether a path leads through a link to another place."""
        above = path.parent
        while above != self._folder:
            if above.is_symlink():
                return True
            above = above.parent
        return False

    def _space(self) -> HealthFinding:
        from shutil import disk_usage  # imports three compression modules

        free = disk_usage(self._folder).free
        if free < LOW_SPACE_BYTES:
            return HealthFinding("disk space", "warning", f"only {free >> 20} MB left", "free some space")
        return HealthFinding("disk space", "ok", f"{free / (1 << 30):.1f} GB free")

    def _unfinished(self, fix: bool) -> list[HealthFinding]:
        """Report the files that killed processes left, and remove them."""
        patterns = () if self._name else UNFINISHED_FILES
        found = sorted(path for pattern in patterns for path in self._folder.glob(pattern))
        found += [] if self._name else self._abandoned_folders()
        if not found:
            return []
        message = f"{len(found)} left by a process that was killed, e.g. {found[0]}"
        if not fix:
            return [HealthFinding("unfinished files", "warning", message, "satchel doctor --fix removes them")]
        for path in found:
            _remove_locked(path)
        return [HealthFinding("unfinished files", "ok", f"{message}; removed")]

    def _abandoned_folders(self) -> list[Path]:
        """Return the folders of backups that nobody works in: who does holds their lock."""
        return [path for path in sorted(self._folder.glob(WORK_FOLDERS)) if path.is_dir() and _is_abandoned(path)]

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


def _is_abandoned(folder: Path) -> bool:
    try:
        os.close(lock_folder(folder, wait=False))
    except OSError:
        return False
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        from shutil import rmtree  # imports three compression modules

        rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """Return the mode of a file; 0 if it is gone, or a link, which has no permissions of its own."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return 0
    return 0 if stat.S_ISLNK(mode) else mode


def _contains(path: Path, needles: Sequence[bytes]) -> bool:
    overlap = max(map(len, needles), default=1) - 1
    tail = b""
    for chunk in _database_chunks(path) if path.suffix == ".sqlite3" else _chunks(path):
        window = tail + chunk
        if any(needle in window for needle in needles):
            return True
        tail = window[-overlap:] if overlap else b""
    return False


def _remove_locked(path: Path) -> None:
    """Remove a file or a folder while nobody replaces it."""
    handle = lock_folder(path.parent)
    try:
        _remove(path)
    finally:
        os.close(handle)


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
