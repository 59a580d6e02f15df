"""One connection to a ledger file: how it is opened, how it waits, and what its errors mean."""

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import apsw

from satchel.errors import Corrupt, InvalidRequest, NewerStore, SatchelError, Unavailable

# "SaTc": marks a file as ours, so that another program's database is never taken for a ledger.
APPLICATION_ID = 0x53615463
# Sixteen processes committing at once were seen to wait 6 s for their turn; nobody should be turned away.
WRITE_PATIENCE_MS = 60_000
RETRY_SECONDS = 0.01
# What SQLite needs at the least to open a database with a log.
LEAST_FREE_BYTES = 64 * 1024
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

Row: TypeAlias = tuple[Any, ...]


class Database:
    """A ledger file, opened for writing where that is possible and for reading where it is not.

    One thread at a time: apsw connections are not shared between threads, so a lock serialises them.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        """Open the file, or a database in memory when there is no path. With `read_only` it is never written to."""
        self.path = path
        self._lock = threading.RLock()
        self._is_writing = False
        with translated(path):
            self._connection = connect_for_reading(path) if read_only and path else _connect(path)
            self.read_only = self._connection.readonly("main")
            self._configure()

    def _configure(self) -> None:
        connection = self._connection
        connection.set_busy_timeout(WRITE_PATIENCE_MS)
        # Freed space is overwritten, so that an erased text does not linger in the file.
        for setting in ("secure_delete = ON", "foreign_keys = ON", "cache_size = -16000"):
            connection.execute(f"PRAGMA {setting}")
        _check_identity(connection, self.path)
        if not self.read_only:
            _keep_log(connection)
            connection.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Read one consistent state; nothing is locked against writers."""
        with self._lock, translated(self.path):
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                self._connection.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """Read one state for as long as it takes, on a connection of its own: nobody has to wait for it."""
        if self.path is None:
            with self.reading() as db:
                yield db
            return
        with translated(self.path):
            connection = connect_for_reading(self.path)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    @contextmanager
    def writing(self, patience_ms: int = WRITE_PATIENCE_MS, *, durable: bool = True) -> Iterator[apsw.Connection]:
        """Write as one: everything inside is durable when the block ends, or nothing of it happened.

        What need not be `durable` outlives the process all the same. It is in the log, and reaches the disk with the
        next write that is; a power cut before that takes it away whole, and whatever was written before it stays.
        """
        if self.read_only:
            raise Unavailable("the store is read-only", code="read_only", hint="check the permissions of its folder")
        with self._lock, translated(self.path):
            if self._is_writing:
                # Part of a larger write: it is durable when that one ends.
                yield self._connection
                return
            self._connection.set_busy_timeout(patience_ms)
            try:
                if not durable:
                    self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute("BEGIN IMMEDIATE")
                self._is_writing = True
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
            finally:
                self._is_writing = False
                if not durable:
                    self._connection.execute("PRAGMA synchronous = FULL")
                self._connection.set_busy_timeout(WRITE_PATIENCE_MS)

    def truncate_log(self, patience_ms: int) -> bool:
        """Move the write-ahead log into the file and empty it; False when readers kept it open."""
        with self._lock, translated(self.path):
            self._connection.set_busy_timeout(patience_ms)
            try:
                busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
            except apsw.BusyError:
                busy = 1
            finally:
                self._connection.set_busy_timeout(WRITE_PATIENCE_MS)
            return not busy

    def close(self) -> None:
        """Close the connection."""
        with self._lock, translated(self.path):
            self._connection.close()


def first(rows: apsw.Cursor) -> Row | None:
    """Return the first row or None. Reads to the end: a statement left half-way would keep the log from being cleared."""
    return next(iter(rows.fetchall()), None)


def sqlite_version() -> str:
    """Return the version of the SQLite library in use."""
    return apsw.sqlite_lib_version()


@contextmanager
def translated(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into ours: what happened, in one line, and what to do about it."""
    try:
        yield
    except apsw.Error as error:
        raise _translation(error, path) from error


def _translation(error: apsw.Error, path: Path | None) -> SatchelError:
    where = path or "the ledger"
    match error:
        case apsw.FullError() | apsw.IOError() if isinstance(error, apsw.FullError) or _no_space(path):
            return Unavailable(
                f"the disk is full, nothing was written to {where}", code="disk_full", hint="free some space"
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError():
            return Unavailable(
                f"cannot open or write {where}", code="read_only", hint="check that it and its folder are writable"
            )
        case apsw.BusyError() | apsw.LockedError():
            return Unavailable(f"{where} is busy", code="busy", hint="another process is writing; try again")
        case apsw.CorruptError() | apsw.NotADBError():
            return Corrupt(f"{where} is damaged: {error}", hint="keep the file, and restore a backup of it")
        case apsw.IOError():
            return Unavailable(f"reading or writing {where} failed: {error}", code="io_error", hint="check the disk")
        case _:
            return SatchelError(f"the ledger failed: {error}", code="ledger_error")


def _no_space(path: Path | None) -> bool:
    """Say whether the disk is full. SQLite calls it an input/output error when it cannot make its shared memory."""
    try:
        from shutil import disk_usage  # it loads three ways of compression

        return path is not None and disk_usage(path.parent).free < LEAST_FREE_BYTES
    except OSError:
        return False


def _connect(path: Path | None) -> apsw.Connection:
    if path is None:
        return apsw.Connection(":memory:")
    try:
        _make_private(path)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(WRITE_PATIENCE_MS)
        # Opening alone touches nothing: whether the log can be made beside the file shows at the first look.
        connection.execute("PRAGMA schema_version")
        return connection
    except (OSError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError) as error:
        if not os.path.exists(path):  # noqa: PTH110  Path.exists raises where this says no: in a folder closed to us
            raise _cannot_create(path, error) from error
        return connect_for_reading(path)


def connect_for_reading(path: Path) -> apsw.Connection:
    """Open a database that is there, only to read it."""
    uri = path.absolute().as_uri()
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(f"{uri}?mode=ro", flags=flags)
        connection.set_busy_timeout(WRITE_PATIENCE_MS)
        connection.execute("PRAGMA schema_version")
        return connection
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        # In a folder nobody may write to, the log's shared memory cannot be made; an empty log needs none.
        return apsw.Connection(f"{uri}?immutable=1", flags=flags)


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    # SQLite gives its log the mode of the file, whatever the umask says. One that is there is not even opened: to
    # close it would give up the locks of every other connection that this process has to it.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE))


def _cannot_create(path: Path, error: Exception) -> SatchelError:
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Unavailable(f"the disk is full, cannot create {path}", code="disk_full", hint="free some space")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return Unavailable(f"cannot create {path}: {reason}", code="read_only", hint="choose another folder with --home")


def _keep_log(connection: apsw.Connection) -> None:
    """Let the file have a write-ahead log. Who opens a new file at the same moment is waited for here: SQLite does not."""
    patience = time.monotonic() + WRITE_PATIENCE_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > patience:
                raise
            time.sleep(RETRY_SECONDS)


def _check_identity(connection: apsw.Connection, path: Path | None) -> None:
    # One statement, so one state of the file: another process may be creating the ledger at this very moment.
    query = "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id"
    found, tables = connection.execute(query).get
    if found != APPLICATION_ID and (found or tables):
        raise InvalidRequest(
            f"{path} is not a Satchel ledger", code="not_a_ledger", hint="choose another folder with --home"
        )


def newer_store(path: Path | None, found: int, known: int) -> NewerStore:
    """Return the error for a ledger from the future."""
    return NewerStore(
        f"{path or 'the ledger'} has schema {found}, this version knows up to {known}",
        hint="upgrade Satchel; the store has not been touched",
    )
