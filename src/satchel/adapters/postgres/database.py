"""A store's database in PostgreSQL: pooled connections, transactions and time limits."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from satchel.adapters.postgres.address import StoreAddress
from satchel.adapters.postgres.arrays import register_arrays
from satchel.adapters.postgres.connection import Connection, Row
from satchel.adapters.postgres.errors import translate_errors
from satchel.adapters.postgres.listener import Listener, channel_of
from satchel.adapters.postgres.reach import Reach
from satchel.adapters.postgres.replicas import PRIMARY_POSITION, UNKNOWN_POSITION, Replica, Replicas
from satchel.adapters.postgres.row_security import EVERYTHING, set_limit
from satchel.adapters.postgres.shares import BEGIN_CLAIM, lock_shares
from satchel.adapters.sql.engine import OPTIONAL_WRITE_TIMEOUT_MS, WRITE_TIMEOUT_MS
from satchel.core.caller import present_caller
from satchel.core.reach_limit import allowed_scopes
from satchel.domain.receipt_sections import ReadsFrom
from satchel.errors import SatchelError, Unavailable

# How many connections a process holds at most, and how long a request waits for one.
MAX_CONNECTIONS = 16
CONNECT_SECONDS = 10.0
# How long a caller waits for the first connection before it looks why there is none, and before it says that it waits.
STEP_SECONDS, TELL_SECONDS = 0.1, 1.0
# A request that waits for a connection asks for one again so often: each time, the pool tries to connect.
RETRY_SECONDS = 1.0
# Writers of one store take turns, as they do in a file: this lock, with the schema's own number.
_WRITER_LOCK = 0x53615463
# The replica that answers the present recall, if one does.
_answering: ContextVar[Replica | None] = ContextVar("satchel_answering_replica", default=None)

T = TypeVar("T")
# Its messages quote the server. What they tell is in our own errors.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)


class PostgresDatabase:
    """Implements the database of the stores over PostgreSQL. Each thread has its own connection while it uses one."""

    path: Path | None = None

    def __init__(
        self,
        address: StoreAddress,
        *,
        read_only: bool = False,
        replicas: Sequence[StoreAddress] = (),
        max_lag_seconds: float = 0.0,
    ) -> None:
        """Recalls may be answered by `replicas` that are at most so many seconds behind."""
        self.address = address
        self._never_writes = read_only
        self._local = threading.local()
        self._listener = Listener(address)
        self._reach = Reach(address)
        self._pool = self._make_pool(address, self._reach.connection_class())
        self.replicas = Replicas([Replica(one, self._make_pool(one)) for one in replicas], max_lag_seconds)

    def _make_pool(
        self, address: StoreAddress, connection_class: type[psycopg.Connection[Row]] = psycopg.Connection
    ) -> "ConnectionPool[psycopg.Connection[Row]]":
        return ConnectionPool(
            address.conninfo,
            connection_class=connection_class,
            min_size=0,
            max_size=MAX_CONNECTIONS,
            num_workers=1,
            timeout=CONNECT_SECONDS,
            # By itself it would pause longer and longer, also once the server is back.
            reconnect_timeout=STEP_SECONDS,
            kwargs={
                "autocommit": True,
                "connect_timeout": int(CONNECT_SECONDS),
                "application_name": "satchel",
                # Whatever PGCLIENTENCODING or the server prefers.
                "client_encoding": "UTF8",
            },
            configure=self._configure,
            open=True,
            name=f"satchel-{address.schema}",
        )

    @property
    def location(self) -> str:
        """The address, without a password."""
        return self.address.shown

    @property
    def read_only(self) -> bool:
        """Whether it is never written to, or not by the present recall, since a replica answers it."""
        return self._never_writes or self._answering is not None

    @property
    def _answering(self) -> Replica | None:
        replica = _answering.get()
        return replica if replica in self.replicas.all else None

    def _configure(self, connection: psycopg.Connection[Row]) -> None:
        register_arrays(connection)
        connection.execute(
            "SELECT set_config('search_path', %s, false), set_config('satchel.scopes', %s, false)",
            (f"{self.address.schema}, public", EVERYTHING),
        )

    @contextmanager
    def _connection(self, replica: Replica | None = None) -> Iterator[Connection]:
        where, pool = (self.address, self._pool) if replica is None else (replica.address, replica.pool)
        with translate_errors(where.shown):
            if replica is None and not self._reach.has_answered:
                self._wait_for_answer()
            with ExitStack() as stack:
                try:
                    raw = _connected(pool, stack)
                except PoolTimeout as error:
                    raise (self._reach if replica is None else Reach(where)).error() from error
                try:
                    yield Connection(raw)
                except psycopg.OperationalError:
                    if raw.closed:
                        # The server has ended the idle connections too.
                        pool.check()
                    raise

    def _wait_for_answer(self) -> None:
        """Wait until the server has let this process in; fail at once if waiting cannot help."""
        began = time.monotonic()
        tells_at = began + TELL_SECONDS
        while True:
            try:
                with self._pool.connection(timeout=STEP_SECONDS):
                    return
            except PoolTimeout as error:
                now = time.monotonic()
                if self._reach.lasting_failure() or now - began >= CONNECT_SECONDS:
                    raise self._reach.error() from error
                if now >= tells_at:
                    self._reach.tell_waiting()
                    tells_at = began + CONNECT_SECONDS

    @property
    def _current(self) -> Connection | None:
        found: Connection | None = getattr(self._local, "connection", None)
        return found

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read one consistent state, without blocking writers."""
        if self._current is not None:
            yield self._current
            return
        with self._begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", replica=self._answering) as db:
            yield db

    def reading_once(self) -> AbstractContextManager[Connection]:
        """Read with one statement, in a transaction too: the scopes that may be seen are set for each."""
        return self.reading()

    def read_from_replica(self, read: Callable[[], T]) -> tuple[T, ReadsFrom | None]:
        """Call what only reads, with a replica for a database if one may answer; say which server was used.

        None if there are no replicas. What a replica fails to answer, the primary does.
        """
        if not self.replicas.all:
            return read(), None
        chosen, bound = self.replicas.choose(present_caller(), self._position), self.replicas.max_lag_seconds
        if not isinstance(chosen, Replica):
            return read(), ReadsFrom("primary", bound, str(chosen))
        token = _answering.set(chosen)
        try:
            return read(), ReadsFrom("replica", bound)
        except SatchelError as error:
            if not isinstance(error, Unavailable) and type(error) is not SatchelError:
                raise
            # It may be stopped, or lack a table that the primary has had for a moment.
            self.replicas.put_aside(chosen)
        finally:
            _answering.reset(token)
        return read(), ReadsFrom("primary", bound, "failed")

    def _position(self) -> int:
        with self._connection() as db:
            return int(db.execute(PRIMARY_POSITION).get)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Read one state for a long time, on a separate connection that blocks nobody. It may have temporary tables."""
        with self._connection() as db, _transaction(db, "BEGIN ISOLATION LEVEL REPEATABLE READ", end="ROLLBACK"):
            if (scopes := allowed_scopes()) is not None:
                set_limit(db, scopes)
            yield db

    @contextmanager
    def writing(self, *, optional: bool = False, durable: bool = True) -> Iterator[Connection]:
        """Run a write transaction: durable when the block ends, or rolled back. A nested one joins the outer.

        An `optional` one, which a read can do without, soon gives up if another process is writing. Without `durable`,
        the commit is not waited for: a crash of the server can lose it as a whole.
        """
        if self._never_writes:
            raise Unavailable("this store is open for reading only", code="read_only")
        if self._current is not None and getattr(self._local, "is_writing", False):
            yield self._current
            return
        # In a transaction of its own: one that notifies keeps every other of the database waiting until it is on the disk.
        end = "COMMIT" if optional else f"COMMIT; NOTIFY {channel_of(self.address.schema)}"
        with self._begun(self._begin_writing(optional=optional, durable=durable), end) as db:
            self._local.is_writing = True
            try:
                with db.raw.pipeline():
                    yield db
                    db.write_counters()
            finally:
                self._local.is_writing = False
        if self.replicas.all and not optional:
            self._note_write()

    def _note_write(self) -> None:
        try:
            position = self._position()
        except SatchelError:
            # It is committed all the same; no replica can be known to have it.
            position = UNKNOWN_POSITION
        self.replicas.note_write(present_caller(), position)

    @contextmanager
    def claim_shares(self, shares: Sequence[int], count: int) -> Iterator[Sequence[int]]:
        """Claim some shares of the texts to embed, until the block ends; none if other processes have them."""
        if not shares:
            yield ()
            return
        # A connection of its own: the vectors are written by other transactions meanwhile.
        with self._connection() as db, _transaction(db, BEGIN_CLAIM, end="ROLLBACK"):
            yield lock_shares(db, list(shares), count)

    def _begin_writing(self, *, optional: bool, durable: bool) -> str:
        """Return the statements that begin a write, for one round trip."""
        return "; ".join(
            (
                "BEGIN",
                # Writers look rows up by key. At the default, a table of tens of thousands of rows is read whole for a batch.
                "SET LOCAL random_page_cost = 1.1",
                f"SET LOCAL lock_timeout = {OPTIONAL_WRITE_TIMEOUT_MS if optional else WRITE_TIMEOUT_MS}",
                *(() if durable else ("SET LOCAL synchronous_commit = off",)),
                f"SELECT pg_advisory_xact_lock({_WRITER_LOCK}, hashtext('{self.address.schema}'))",
            )
        )

    @contextmanager
    def _begun(self, begin: str, end: str = "COMMIT", replica: Replica | None = None) -> Iterator[Connection]:
        with self._connection(replica) as db, _transaction(db, begin, end):
            if (scopes := allowed_scopes()) is not None:
                set_limit(db, scopes)
            before, self._local.connection = self._current, db
            try:
                yield db
            finally:
                self._local.connection = before

    def bulk(self) -> AbstractContextManager[None]:
        """The server's memory is its administrator's."""
        return nullcontext()

    def wait_for_write(self, seconds: float) -> bool:
        """Wait for a write of any process, some seconds at most; return whether there may have been one."""
        return self._listener.wait(seconds)

    def truncate_log(self, timeout_ms: int) -> bool:
        """Erased text is gone from every table; the server's log of changes is its administrator's."""
        return True

    def close(self) -> None:
        """Close the connections."""
        self._listener.close()
        self.replicas.close()
        self._pool.close()


def _connected(pool: "ConnectionPool[psycopg.Connection[Row]]", stack: ExitStack) -> psycopg.Connection[Row]:
    """Return a connection, which goes back to its pool at the end of the stack. Raises PoolTimeout."""
    last_try_at = time.monotonic() + CONNECT_SECONDS - RETRY_SECONDS
    while True:
        try:
            return stack.enter_context(pool.connection(timeout=min(RETRY_SECONDS, CONNECT_SECONDS)))
        except PoolTimeout:
            if time.monotonic() >= last_try_at:
                raise


@contextmanager
def _transaction(db: Connection, begin: str, end: str = "COMMIT") -> Iterator[None]:
    try:
        db.raw.execute(begin.encode())
        yield
    except BaseException:
        # Also what ends the process must not leave a transaction open in the pool.
        if not db.raw.closed:
            db.raw.execute("ROLLBACK")
        raise
    db.raw.execute(end.encode())
