"""A connection to a ledger file: opening it, transactions, time limits and error translation."""

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import apsw

from satchel.adapters.sqlite.lost_ledger import check_not_lost
from satchel.errors import Corrupt, InvalidRequest, NewerStore, SatchelError, Unavailable
from satchel.os_calls import READ_WRITE

# "SaTc": marks the file as a ledger, so that another program's database is never used as one.
APPLICATION_ID = 0x53615463
# How long a write waits for other writers. With sixteen of them, up to 6 s were measured.
WRITE_TIMEOUT_MS = 60_000
# How long a write waits that a read can do without: of its receipt, of counts of use, of vectors for waiting texts.
OPTIONAL_WRITE_TIMEOUT_MS = 250
RETRY_SECONDS = 0.01
# Free space that SQLite needs to open a database in WAL mode.
MIN_FREE_BYTES = 64 * 1024
# What SQLite says when the description of a table is damaged: it takes the queries for wrong.
DAMAGED_SCHEMA = ("parse error in", "vtable constructor failed", "no such table", "no such column", "fts5 file format")
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

Row: TypeAlias = tuple[Any, ...]


class Database:
    """A ledger file, opened for writing if possible, else for reading only.

    A lock serialises threads, since they must not use one apsw connection at the same time.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        """Open the file, or an in-memory database without a path. With `read_only` it is never written to."""
        self.path = path
        self._lock = threading.RLock()
        self._is_writing = False
        self._waited_in_vain = False
        with translate_errors(path):
            if path is not None:
                check_not_lost(path)
            self._never_writes = read_only and path is not None
            self._connection = connect_for_reading(path) if read_only and path else _connect(path)
            self.read_only = self._connection.readonly("main")
            self._configure()

    def _configure(self) -> None:
        connection = self._connection
        connection.set_busy_timeout(WRITE_TIMEOUT_MS)
        # secure_delete overwrites freed space, so that erased text does not stay in the file.
        for setting in ("secure_delete = ON", "foreign_keys = ON", "cache_size = -16000"):
            connection.execute(f"PRAGMA {setting}")
        _check_identity(connection, self.path)
        if not self.read_only:
            _enable_wal(connection)
            connection.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Read one consistent state, without blocking writers."""
        with self._lock, translate_errors(self.path):
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
        """Read one state for a long time, on a separate connection that blocks nobody."""
        if self.path is None:
            with self.reading() as db:
                yield db
            return
        with translate_errors(self.path):
            connection = connect_for_reading(self.path)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    @contextmanager
    def writing(self, *, optional: bool = False, durable: bool = True) -> Iterator[apsw.Connection]:
        """Run a write transaction: durable when the block ends, or rolled back. A nested one joins the outer.

        An `optional` one, which a read can do without, soon gives up if another process is writing: it raises Unavailable
        with the code "busy". Without `durable`, the commit is not synced: it survives the end of the process, but a power
        cut before the next durable commit loses it as a whole.
        """
        with self._lock, translate_errors(self.path):
            if self.read_only:
                self._open_for_writing()
            if self._is_writing:
                yield self._connection
                return
            try:
                if not durable:
                    self._connection.execute("PRAGMA synchronous = NORMAL")
                self._begin_writing(optional)
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
                self._connection.set_busy_timeout(WRITE_TIMEOUT_MS)

    def _open_for_writing(self) -> None:
        """Open again what could only be opened for reading: by now the disk may have space, or be well again."""
        if self._never_writes or self.path is None or self._connection.in_transaction:
            raise _read_only()
        connection = _connect(self.path)
        if connection.readonly("main"):
            connection.close()
            raise _unwritable(self.path)
        self._connection.close()
        self._connection, self.read_only = connection, False
        self._configure()

    def _begin_writing(self, optional: bool) -> None:
        # A read may try several optional writes, and a server does many reads: only the first of them waits.
        patience = 0 if self._waited_in_vain else OPTIONAL_WRITE_TIMEOUT_MS
        self._connection.set_busy_timeout(patience if optional else WRITE_TIMEOUT_MS)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            self._waited_in_vain = True
            raise
        self._waited_in_vain = False

    def truncate_log(self, timeout_ms: int) -> bool:
        """Move the write-ahead log into the file and truncate it; False when readers prevented it."""
        with self._lock, translate_errors(self.path):
            self._connection.set_busy_timeout(timeout_ms)
            try:
                busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
            except apsw.BusyError:
                busy = 1
            finally:
                self._connection.set_busy_timeout(WRITE_TIMEOUT_MS)
            return not busy

    def close(self) -> None:
        """Close the connection."""
        with self._lock, translate_errors(self.path):
            self._connection.close()


def first(rows: apsw.Cursor) -> Row | None:
    """Return the first row or None. Reads all rows, since an unfinished statement would keep the log from truncation."""
    return next(iter(rows.fetchall()), None)


def next_seq(db: apsw.Connection) -> int:
    """Take the next number of the store's change sequence."""
    # By rowid, and without RETURNING: otherwise SQLite opens a statement journal, for which FTS5 flushes its pending
    # writes at every record instead of once in a while.
    db.execute("UPDATE sequence SET value = value + 1 WHERE rowid = 1")
    return int(db.execute("SELECT value FROM sequence").get)


def sqlite_version() -> str:
    """Return the version of the SQLite library in use."""
    return apsw.sqlite_lib_version()


@contextmanager
def translate_errors(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into ours, each with a one-line message and a hint."""
    try:
        yield
    except apsw.Error as error:
        raise _translate(error, path) from error
    except UnicodeDecodeError as error:
        raise Corrupt(f"{path or 'the ledger'} is damaged: a text is not UTF-8", hint="satchel doctor --fix") from error


def _translate(error: apsw.Error, path: Path | None) -> SatchelError:
    where = path or "the ledger"
    match error:
        case apsw.FullError() | apsw.IOError() | apsw.CantOpenError() if isinstance(error, apsw.FullError) or _no_space(
            path
        ):
            return _disk_full(path)
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError():
            return Unavailable(
                f"cannot open or write {where}", code="read_only", hint="check that it and its folder are writable"
            )
        case apsw.BusyError() | apsw.LockedError():
            return Unavailable(f"{where} is busy", code="busy", hint="another process is writing; try again")
        case apsw.CorruptError() | apsw.NotADBError():
            return Corrupt(f"{where} is damaged: {error}", hint="keep the file, and restore a backup of it")
        case apsw.SQLError() if any(phrase in str(error) for phrase in DAMAGED_SCHEMA):
            return Corrupt(
                f"the schema of {where} is damaged: {error}", hint="keep the file, and restore a backup of it"
            )
        case apsw.ConstraintError():
            return Corrupt(f"{where} contradicts itself: {error}", hint="satchel doctor --fix")
        case apsw.IOError():
            return Unavailable(f"reading or writing {where} failed: {error}", code="io_error", hint="check the disk")
        case _:
            return SatchelError(f"the ledger failed: {error}", code="ledger_error")


def _disk_full(path: Path | None) -> Unavailable:
    where = path or "the ledger"
    return Unavailable(f"the disk is full, nothing was written to {where}", code="disk_full", hint="free some space")


def _read_only() -> Unavailable:
    return Unavailable("the store is read-only", code="read_only", hint="check the permissions of its folder")


def _unwritable(path: Path) -> Unavailable:
    """Say why a store could not be opened for writing, which SQLite does not."""
    if _no_space(path):
        return _disk_full(path)
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return Unavailable(f"{path} could not be opened for writing", code="io_error", hint="check the disk")
    return _read_only()


def _no_space(path: Path | None) -> bool:
    """Return whether the disk is full. SQLite reports an I/O error when it cannot create its shared memory."""
    try:
        from shutil import disk_usage  # imports three compression modules

        return path is not None and disk_usage(path.parent).free < MIN_FREE_BYTES
    except OSError:
        return False


def _connect(path: Path | None) -> apsw.Connection:
    if path is None:
        return apsw.Connection(":memory:")
    try:
        _make_private(path)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(WRITE_TIMEOUT_MS)
        # Opening reads nothing yet: only the first query shows whether the log file can be created.
        connection.execute("PRAGMA schema_version")
        return connection
    except (OSError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError) as error:
        if not os.path.exists(path):  # noqa: PTH110  Path.exists raises in an unreadable folder
            raise _cannot_create(path, error) from error
        return connect_for_reading(path)


def connect_for_reading(path: Path) -> apsw.Connection:
    """Open an existing database read-only."""
    uri = path.absolute().as_uri()
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(f"{uri}?mode=ro", flags=flags)
        connection.set_busy_timeout(WRITE_TIMEOUT_MS)
        connection.execute("PRAGMA schema_version")
        return connection
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        # In a read-only folder the log's shared memory cannot be created; an empty log needs none.
        return apsw.Connection(f"{uri}?immutable=1", flags=flags)


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    # SQLite gives the log the mode of the file, whatever the umask. An existing file must not be opened here: closing
    # it would release the POSIX locks of this process's other connections.
    with suppress(FileExistsError):
        os.close(os.open(path, READ_WRITE | os.O_EXCL, PRIVATE_FILE))


def _cannot_create(path: Path, error: Exception) -> SatchelError:
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Unavailable(f"the disk is full, cannot create {path}", code="disk_full", hint="free some space")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return Unavailable(f"cannot create {path}: {reason}", code="read_only", hint="choose another folder with --home")


def _enable_wal(connection: apsw.Connection) -> None:
    """Switch to WAL mode. SQLite does not wait for another process that does so at the same moment, so this does."""
    deadline = time.monotonic() + WRITE_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)


def _check_identity(connection: apsw.Connection, path: Path | None) -> None:
    # One statement reads one state of the file: another process may be creating the ledger at this moment.
    query = "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id"
    found, tables = connection.execute(query).get
    if found != APPLICATION_ID and (found or tables):
        raise InvalidRequest(
            f"{path} is not a Satchel ledger", code="not_a_ledger", hint="choose another folder with --home"
        )


def newer_store(path: Path | None, found: int, known: int) -> NewerStore:
    """Return the error for a ledger written by a newer version."""
    return NewerStore(
        f"{path or 'the ledger'} has schema {found}, this version knows up to {known}",
        hint="upgrade Satchel; the store has not been touched",
    )
