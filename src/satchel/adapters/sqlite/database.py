"""A connection to a ledger file: opening it, transactions and time limits."""

import json
import os
import shlex
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from satchel.adapters.sql.engine import OPTIONAL_WRITE_TIMEOUT_MS as OPTIONAL_WRITE_TIMEOUT_MS
from satchel.adapters.sql.engine import WRITE_TIMEOUT_MS as WRITE_TIMEOUT_MS
from satchel.adapters.sqlite.connection import APPLICATION_ID, Connection
from satchel.adapters.sqlite.disk_errors import cannot_create, read_only, translate_errors, unwritable
from satchel.adapters.sqlite.embedding_lock import embedding_lock
from satchel.adapters.sqlite.lost_ledger import check_not_lost
from satchel.domain.media import has_media
from satchel.errors import InvalidRequest
from satchel.os_calls import READ_WRITE

RETRY_SECONDS = 0.01
# After a write that others had to wait for, the next one comes so much later: a waiting process looks only now and then
# whether it is its turn, and would otherwise miss the moment between two batches many times in a row.
LONG_WRITE_SECONDS = 0.05
GAP_SECONDS = 0.05
# Memory for pages, and pages in the log at which SQLite moves them into the file: usually, and during bulk writes. These
# change pages of every index, most of them in each transaction.
CACHE_KB, BULK_CACHE_KB = 16_000, 256_000
CHECKPOINT_PAGES, BULK_CHECKPOINT_PAGES = 1_000, 64_000
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


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
        self._gives_way_until = 0.0
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
        _add_functions(connection)
        # secure_delete overwrites freed space, so that erased text does not stay in the file.
        for setting in ("secure_delete = ON", "foreign_keys = ON", f"cache_size = -{CACHE_KB}"):
            connection.execute(f"PRAGMA {setting}")
        _check_identity(connection, self.path)
        if not self.read_only:
            _enable_wal(connection)
            connection.execute("PRAGMA synchronous = FULL")

    @property
    def location(self) -> str:
        """The path of the file."""
        return ":memory:" if self.path is None else str(self.path)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read one consistent state, without blocking writers."""
        with self._lock, translate_errors(self.path):
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                # After some errors SQLite has ended the transaction itself; a second error would hide the first.
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")

    @contextmanager
    def reading_once(self) -> Iterator[Connection]:
        """Read with one statement, all of whose rows are taken within the block: it sees one state without a transaction.

        A recall makes a dozen such reads; beginning and ending a transaction takes longer than most of them.
        """
        with self._lock, translate_errors(self.path):
            yield self._connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Read one state for a long time, on a separate connection that blocks nobody."""
        if self.path is None:
            with self.reading() as db:
                yield db
            return
        with translate_errors(self.path):
            connection = connect_for_reading(self.path)
            _add_functions(connection)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    @contextmanager
    def writing(self, *, optional: bool = False, durable: bool = True) -> Iterator[Connection]:
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
                self._give_way()
                self._begin_writing(optional)
                self._is_writing, began = True, time.monotonic()
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                    self._note_long_write(began)
                except BaseException:  # also a signal: a transaction is whole or undone
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
            finally:
                self._is_writing = False
                if not durable:
                    self._connection.execute("PRAGMA synchronous = FULL")
                self._connection.set_busy_timeout(WRITE_TIMEOUT_MS)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Take more memory and move the log into the file less often, until the block ends."""
        self._tune(BULK_CACHE_KB, BULK_CHECKPOINT_PAGES)
        try:
            yield
        finally:
            self._tune(CACHE_KB, CHECKPOINT_PAGES)

    def _tune(self, cache_kb: int, checkpoint_pages: int) -> None:
        with self._lock, translate_errors(self.path):
            self._connection.execute(f"PRAGMA cache_size = -{cache_kb}")
            self._connection.wal_autocheckpoint(checkpoint_pages)

    def _give_way(self) -> None:
        """Let others write first, if this process has just written for long."""
        if (left := self._gives_way_until - time.monotonic()) > 0:
            time.sleep(left)

    def _note_long_write(self, began: float) -> None:
        now = time.monotonic()
        if self.path is not None and now - began > LONG_WRITE_SECONDS:
            self._gives_way_until = now + GAP_SECONDS

    def _open_for_writing(self) -> None:
        """Open again what could only be opened for reading: by now the disk may have space, or be well again."""
        if self._never_writes or self.path is None:
            raise read_only()
        if self._connection.in_transaction:
            raise unwritable(self.path)
        connection = _connect(self.path)
        if connection.readonly("main"):
            connection.close()
            raise unwritable(self.path)
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

    @contextmanager
    def claim_shares(self, shares: Sequence[int], count: int) -> Iterator[Sequence[int]]:
        """Claim all shares of the texts to embed, whatever was asked for: one process embeds for a file at a time."""
        if self.path is None or not shares:
            yield shares
            return
        with embedding_lock(self.path) as locked:
            yield shares if locked else ()

    def wait_for_write(self, seconds: float) -> bool:
        """Wait: a file tells nobody that it was written."""
        time.sleep(seconds)
        return True

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


def _add_functions(connection: apsw.Connection) -> None:
    """Add what a query needs and only Python knows: the kind of a medium is told by its reference."""
    connection.create_scalar_function("has_media", _has_media, 2, deterministic=True)


def _has_media(*given: Any) -> int:
    refs, wanted = given
    try:
        return int(has_media([str(one) for one in json.loads(refs)], str(wanted)))
    except (ValueError, TypeError):
        # The record is damaged, and reading it says so.
        return 1


def sqlite_version() -> str:
    """Return the version of the SQLite library in use."""
    return apsw.sqlite_lib_version()


def _connect(path: Path | None) -> Connection:
    if path is None:
        return Connection(":memory:")
    try:
        _make_private(path)
        connection = Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(WRITE_TIMEOUT_MS)
        # Opening reads nothing yet: only the first query shows whether the log file can be created.
        connection.execute("PRAGMA schema_version")
        return connection
    except (OSError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError) as error:
        if not os.path.exists(path):  # noqa: PTH110  Path.exists raises in an unreadable folder
            raise cannot_create(path, error) from error
        return connect_for_reading(path)


def connect_for_reading(path: Path) -> Connection:
    """Open an existing database read-only."""
    uri = path.absolute().as_uri()
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = Connection(f"{uri}?mode=ro", flags=flags)
        connection.set_busy_timeout(WRITE_TIMEOUT_MS)
        connection.execute("PRAGMA schema_version")
        return connection
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        # In a read-only folder the log's shared memory cannot be created; an empty log needs none.
        return Connection(f"{uri}?immutable=1", flags=flags)


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    # SQLite gives the log the mode of the file, whatever the umask. An existing file must not be opened here: closing
    # it would release the POSIX locks of this process's other connections.
    with suppress(FileExistsError):
        os.close(os.open(path, READ_WRITE | os.O_EXCL, PRIVATE_FILE))


def _enable_wal(connection: Connection) -> None:
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


def _check_identity(connection: Connection, path: Path | None) -> None:
    # One statement reads one state of the file: another process may be creating the ledger at this moment.
    query = "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id"
    found, tables = connection.execute(query).get
    if found != APPLICATION_ID and (found or tables):
        raise InvalidRequest(f"{path} is not a Satchel ledger", code="not_a_ledger", hint=_hint(connection, path))


def _hint(connection: Connection, path: Path | None) -> str:
    """Return what to do with a database of another program."""
    names = "'memories', 'memory_edges', 'working_memory_packets'"
    if connection.execute(f"SELECT count(*) FROM sqlite_schema WHERE name IN ({names})").get == len(names.split()):
        command = shlex.join(["satchel", "import", str(path)])
        return f"it is a database of the original skill memory-attention-router: {command} brings its memories in"
    return "choose another folder with --home"
