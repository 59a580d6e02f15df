"""Read and write the files of hosts, which belong to a person: links, permissions and folders stay as they are."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from satchel.errors import Conflict, InvalidRequest, Unavailable
from satchel.os_calls import READ_NOW

# Far above what a configuration needs; Claude Code keeps its history in one.
MAX_BYTES = 20_000_000


class Snapshot(Struct, frozen=True):
    """A file as it was read."""

    path: Path
    target: Path
    """The file itself, where the path is a link."""
    content: bytes | None
    """None if there is no file."""
    status: os.stat_result | None = None


def read(path: Path) -> Snapshot:
    """Read a file of a host, or raise an error that names it."""
    try:
        target = path.resolve()
        # Non-blocking: a named pipe would hang.
        with os.fdopen(os.open(target, READ_NOW), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise unreadable(path, "it is not a regular file")
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Snapshot(path, target, None)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise unreadable(path, getattr(error, "strerror", None) or "it cannot be opened") from None
    if len(content) > MAX_BYTES:
        raise unreadable(path, f"it has more than {MAX_BYTES:,} bytes")
    return Snapshot(path, target, content, status)


def unreadable(path: Path, problem: str) -> InvalidRequest:
    """Return the error for a file that cannot be understood."""
    return InvalidRequest(
        f"{path} cannot be read: {problem}", code="host_config", hint="fix it, or move it away; nothing was changed"
    )


def check_writable(snapshot: Snapshot) -> None:
    """Raise an error if a person made the file read-only; replacing it would ignore that."""
    if snapshot.status is not None and not snapshot.status.st_mode & 0o222:
        raise Unavailable(
            f"{snapshot.path} is read-only; nothing was changed",
            code="host_config",
            hint="make it writable, or change it with the tool that manages it",
        )


def write(snapshot: Snapshot, content: bytes | None) -> tuple[Path, ...]:
    """Replace the file that was read, or delete it; return the folders that were created, the innermost last.

    Raises Conflict if it is no longer as it was read.
    """
    if read(snapshot.path).content != snapshot.content:
        raise Conflict(
            f"{snapshot.path} was changed by another program at the same time",
            code="host_config",
            hint="run the command again",
        )
    if content is None:
        snapshot.target.unlink(missing_ok=True)
        return ()
    created = _create_folders(snapshot.target.parent)
    try:
        _replace(snapshot, content)
    except BaseException:  # also a signal: no empty folder stays behind
        remove_folders(created)
        raise
    return created


def remove_folders(folders: tuple[Path, ...]) -> None:
    """Remove folders that are empty, the innermost first."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def _create_folders(folder: Path) -> tuple[Path, ...]:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(reversed(missing))


def _replace(snapshot: Snapshot, content: bytes) -> None:
    from tempfile import mkstemp  # slow to import

    target, status = snapshot.target, snapshot.status
    handle, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if status is not None:
            if hasattr(os, "chown"):
                with suppress(PermissionError):
                    os.chown(name, status.st_uid, status.st_gid)
            Path(name).chmod(stat.S_IMODE(status.st_mode))
        Path(name).replace(target)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
