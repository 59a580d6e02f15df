"""Errors of SQLite and of its file: each has a class, a code, and names the file."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from satchel.adapters.sqlite.disk_errors import (
    MIN_FREE_BYTES,
    cannot_create,
    disk_full,
    read_only,
    translate_errors,
    unwritable,
)
from satchel.errors import Corrupt, InvalidRequest, SatchelError, Unavailable
from tests.tables import each_case

ROOM = 1 << 30


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Say how much space the disk has; what depends on a full disk cannot be caused without rights to mount one."""

    def pretend(space: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=space))

    return pretend


@pytest.fixture
def writable(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[Path]]:
    """The paths that may be written; the permissions of files do not bind a superuser."""
    paths: set[Path] = set()
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.W_OK and Path(path) in paths)
    yield paths


def translated(error: Exception, path: Path | None) -> SatchelError:
    with pytest.raises(SatchelError) as caught, translate_errors(path):
        raise error
    assert caught.value.__cause__ is error
    return caught.value


def test_nothing_happens_without_an_error() -> None:
    with translate_errors(None):
        pass


@each_case(
    ("error", "kind", "code"),
    [
        (apsw.FullError("x"), Unavailable, "disk_full"),
        (apsw.IOError("x"), Unavailable, "io_error"),
        (apsw.CantOpenError("x"), Unavailable, "read_only"),
        (apsw.ReadOnlyError("x"), Unavailable, "read_only"),
        (apsw.PermissionsError("x"), Unavailable, "read_only"),
        (apsw.BusyError("x"), Unavailable, "busy"),
        (apsw.LockedError("x"), Unavailable, "busy"),
        (apsw.CorruptError("x"), Corrupt, "store_damaged"),
        (apsw.NotADBError("x"), Corrupt, "store_damaged"),
        (apsw.SQLError("no such table: x"), Corrupt, "store_damaged"),
        (apsw.SQLError("no such column: x"), Corrupt, "store_damaged"),
        (apsw.SQLError("parse error in table x"), Corrupt, "store_damaged"),
        (apsw.SQLError("vtable constructor failed: x"), Corrupt, "store_damaged"),
        (apsw.SQLError("invalid fts5 file format"), Corrupt, "store_damaged"),
        (apsw.SQLError("near x: syntax error"), SatchelError, "ledger_error"),
        (apsw.ConstraintError("x"), Corrupt, "store_damaged"),
        (apsw.MisuseError("x"), SatchelError, "ledger_error"),
        (apsw.ConnectionClosedError("x"), InvalidRequest, "closed"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), Corrupt, "store_damaged"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_error_names_the_file_it_is_about(
    free: Callable[[int], None], writable: set[Path], error: Exception, kind: type[SatchelError], code: str
) -> None:
    free(ROOM)
    path = Path("folder/ledger.sqlite3")
    named, unnamed = translated(error, path), translated(error, None)
    assert (type(named), named.code) == (type(unnamed), unnamed.code) == (kind, code)
    if code not in ("ledger_error", "closed"):
        assert str(path) in named.message and "the ledger" in unnamed.message


@each_case(
    ("error", "code"),
    [
        (apsw.FullError("x"), "disk_full"),
        (apsw.IOError("x"), "disk_full"),
        (apsw.CantOpenError("x"), "disk_full"),
        (apsw.ReadOnlyError("x"), "read_only"),
        (apsw.BusyError("x"), "busy"),
    ],
    ids=lambda value: str(type(value)),
)
def test_on_a_full_disk_an_io_error_means_that_there_is_no_space(
    free: Callable[[int], None], error: Exception, code: str
) -> None:
    free(MIN_FREE_BYTES - 1)
    assert translated(error, Path("folder/ledger")).code == code


@each_case(("space", "code"), [(0, "disk_full"), (MIN_FREE_BYTES - 1, "disk_full"), (MIN_FREE_BYTES, "io_error")])
def test_a_disk_is_full_when_sqlite_cannot_open_a_log(free: Callable[[int], None], space: int, code: str) -> None:
    free(space)
    assert MIN_FREE_BYTES == 65_536
    assert translated(apsw.IOError("x"), Path("folder/ledger")).code == code


def test_a_disk_that_cannot_be_asked_is_not_called_full(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: object) -> None:
        raise OSError("gone")

    monkeypatch.setattr(shutil, "disk_usage", fail)
    assert translated(apsw.IOError("x"), Path("folder/ledger")).code == "io_error"


FOLDER = Path("folder")


@each_case(
    ("paths", "code"),
    [
        ((FOLDER, FOLDER / "ledger"), "io_error"),
        ((FOLDER,), "read_only"),
        ((FOLDER / "ledger",), "read_only"),
        ((), "read_only"),
    ],
)
def test_what_may_be_written_and_is_not_opened_is_a_failing_disk(
    free: Callable[[int], None], writable: set[Path], paths: tuple[Path, ...], code: str
) -> None:
    free(ROOM)
    writable.clear()
    writable.update(paths)
    assert translated(apsw.CantOpenError("x"), FOLDER / "ledger").code == code
    assert unwritable(FOLDER / "ledger").code == code


def test_what_cannot_be_written_because_the_disk_is_full(free: Callable[[int], None]) -> None:
    free(0)
    assert unwritable(FOLDER / "ledger").code == "disk_full"


@each_case(
    ("error", "code", "reason"),
    [
        (OSError(errno.ENOSPC, "no space"), "disk_full", "full"),
        (OSError(errno.EIO, "bad sector"), "io_error", "bad sector"),
        (OSError(errno.EACCES, "not yours"), "read_only", "not yours"),
        (apsw.IOError("disk I/O error"), "io_error", "disk I/O error"),
        (apsw.CantOpenError("unable to open"), "read_only", "unable to open"),
    ],
)
def test_a_ledger_that_cannot_be_made_says_why(error: Exception, code: str, reason: str) -> None:
    failed = cannot_create(FOLDER / "ledger", error)
    assert (type(failed), failed.code) == (Unavailable, code)
    assert reason in failed.message and str(FOLDER / "ledger") in failed.message


def test_plain_errors() -> None:
    assert (disk_full(None).code, read_only().code) == ("disk_full", "read_only")
    assert "the ledger" in disk_full(None).message and "folder" in disk_full(FOLDER).message
