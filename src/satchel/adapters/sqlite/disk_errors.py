"""Turns the errors of SQLite and of its file into ours, each with a one-line message and a hint."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from satchel.errors import Corrupt, InvalidRequest, SatchelError, Unavailable

# Free space that SQLite needs to open a database in WAL mode.
MIN_FREE_BYTES = 64 * 1024
_RESTORE = "'satchel backup restore FILE --replace' keeps it aside, and puts a backup in its place"
# What SQLite says when the description of a table is damaged: it takes the queries for wrong.
DAMAGED_SCHEMA = ("parse error in", "vtable constructor failed", "no such table", "no such column", "fts5 file format")


@contextmanager
def translate_errors(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into ours, each with a one-line message and a hint."""
    try:
        yield
    except apsw.Error as error:
        raise _translate(error, path) from error
    except UnicodeDecodeError as error:
        raise Corrupt(
            f"{path or 'the ledger'} is damaged: a text is not UTF-8", hint="run 'satchel doctor --fix'"
        ) from error


def _translate(error: apsw.Error, path: Path | None) -> SatchelError:
    where = path or "the ledger"
    match error:
        case apsw.FullError() | apsw.IOError() | apsw.CantOpenError() if isinstance(error, apsw.FullError) or _no_space(
            path
        ):
            return disk_full(path)
        case apsw.CantOpenError() if path and _may_write(path):
            return _not_opened(path)
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError():
            return Unavailable(
                f"cannot open or write {where}", code="read_only", hint="check that it and its folder are writable"
            )
        case apsw.BusyError() | apsw.LockedError():
            return Unavailable(f"{where} is busy", code="busy", hint="another process is writing; try again")
        case apsw.CorruptError() | apsw.NotADBError():
            return Corrupt(f"{where} is damaged: {error}", hint=_RESTORE)
        case apsw.SQLError() if any(phrase in str(error) for phrase in DAMAGED_SCHEMA):
            return Corrupt(f"the schema of {where} is damaged: {error}", hint=_RESTORE)
        case apsw.ConstraintError():
            return Corrupt(f"{where} is inconsistent: {error}", hint="run 'satchel doctor --fix'")
        case apsw.ConnectionClosedError():
            return InvalidRequest("the store is closed", code="closed", hint="open it again with Satchel.open()")
        case apsw.IOError():
            return Unavailable(f"reading or writing {where} failed: {error}", code="io_error", hint="check the disk")
        case _:
            return SatchelError(f"the ledger failed: {error}", code="ledger_error")


def disk_full(path: Path | None) -> Unavailable:
    """Return the error for a full disk."""
    where = path or "the ledger"
    return Unavailable(f"the disk is full, nothing was written to {where}", code="disk_full", hint="free some space")


def read_only() -> Unavailable:
    """Return the error for a store that is open for reading only."""
    return Unavailable("the store is read-only", code="read_only", hint="check the permissions of its folder")


def unwritable(path: Path) -> Unavailable:
    """Say why a store could not be opened for writing, which SQLite does not."""
    if _no_space(path):
        return disk_full(path)
    return _not_opened(path) if _may_write(path) else read_only()


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _not_opened(path: Path) -> Unavailable:
    return Unavailable(f"{path} could not be opened for writing", code="io_error", hint="check the disk")


def _no_space(path: Path | None) -> bool:
    """Return whether the disk is full. SQLite reports an I/O error when it cannot create its shared memory."""
    try:
        from shutil import disk_usage  # imports three compression modules

        return path is not None and disk_usage(path.parent).free < MIN_FREE_BYTES
    except OSError:
        return False


def cannot_create(path: Path, error: Exception) -> SatchelError:
    """Return the error for a ledger that could not be made."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Unavailable(f"the disk is full, cannot create {path}", code="disk_full", hint="free some space")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, apsw.IOError) or (isinstance(error, OSError) and error.errno == errno.EIO):
        return Unavailable(f"cannot create {path}: {reason}", code="io_error", hint="check the disk")
    return Unavailable(f"cannot create {path}: {reason}", code="read_only", hint="choose another folder with --home")
