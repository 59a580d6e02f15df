"""The ledger in PostgreSQL: the same stores, over a schema of a database."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

import psycopg
from msgspec.structs import replace

from satchel.adapters.postgres.address import StoreAddress
from satchel.adapters.postgres.connection import WAITING_WORDS, Connection
from satchel.adapters.postgres.database import PostgresDatabase
from satchel.adapters.postgres.erased_text import TablesAndFiles
from satchel.adapters.postgres.functions import FUNCTIONS, WORD_FUNCTIONS
from satchel.adapters.postgres.near import (
    create_near_tables,
    differing_bits,
    fill_near_tables,
    has_near_tables,
    install_extension,
)
from satchel.adapters.postgres.near_stores import PostgresMemories, PostgresPassages, PostgresVectors
from satchel.adapters.postgres.replicas import Replica
from satchel.adapters.postgres.row_security import enable_row_security, is_exempt, tables_without_policy
from satchel.adapters.postgres.shares import create_shares, has_shares
from satchel.adapters.postgres.word_counts import CREATE as CREATE_WORD_COUNTS
from satchel.adapters.sql.copying import TABLES
from satchel.adapters.sql.full_text import all_full_texts
from satchel.adapters.sql.health import rebuild_full_texts
from satchel.adapters.sql.schema_version import migrate
from satchel.adapters.sql.sql_ledger import SqlLedger
from satchel.domain.answers import HealthFinding
from satchel.domain.receipt_sections import ReadsFrom
from satchel.errors import Conflict, InvalidRequest, Unavailable
from satchel.ports import Files

# The first with JSON predicates, which the stores' functions use.
MIN_VERSION = 16

T = TypeVar("T")
log = logging.getLogger("satchel.postgres")


class PostgresLedger(SqlLedger):
    """A ledger in a schema of a PostgreSQL database, made if there is none."""

    database: PostgresDatabase

    def __init__(
        self,
        address: StoreAddress,
        *,
        read_only: bool = False,
        replicas: Sequence[StoreAddress] = (),
        max_lag_seconds: float = 0.0,
    ) -> None:
        database = PostgresDatabase(address, read_only=read_only, replicas=replicas, max_lag_seconds=max_lag_seconds)
        try:
            _check_server(database)
            if not read_only:
                _create(database)
            migrate(database)
            if not read_only:
                _complete(database)
                _let_words_wait(database)
        except BaseException:
            # Whatever it was, the pool's threads must end.
            database.close()
            raise
        super().__init__(database)
        with database.reading() as db:
            if has_near_tables(db):
                self.vectors = PostgresVectors(database)
                self.memories = PostgresMemories(database, differing_bits(db))
                self.passages = PostgresPassages(database, differing_bits(db))

    @property
    def is_on_server(self) -> bool:
        return True

    def searched_with(self, files: Files) -> Files:
        return TablesAndFiles(files, self.database)

    def read_from_replica(self, read: Callable[[], T]) -> tuple[T, ReadsFrom | None]:
        return self.database.read_from_replica(read)

    def rebuild_derived(self) -> None:
        super().rebuild_derived()
        with self.database.writing() as db:
            if has_near_tables(db):
                fill_near_tables(db)
            for table, key in TABLES.items():
                if len(key) == 1:
                    db.restart_numbers(table, key[0])

    def _engine_findings(self) -> list[HealthFinding]:
        with self.database.reading() as db:
            version = str(db.execute("SELECT current_setting('server_version')").get)
            exempt = is_exempt(db)
        security = (
            HealthFinding(
                "row-level security",
                "warning",
                "the user of this connection is not bound by it",
                "connect as a user without SUPERUSER and BYPASSRLS",
            )
            if exempt
            else HealthFinding("row-level security", "ok", "the database enforces the scopes of callers too")
        )
        return [
            HealthFinding("PostgreSQL", "ok", version),
            security,
            *map(self._replica_finding, self.database.replicas.all),
        ]

    def _replica_finding(self, replica: Replica) -> HealthFinding:
        where = replica.address.shown
        try:
            follows = replica.replayed() is not None
        except psycopg.Error:
            return HealthFinding("replica", "warning", f"{where} cannot be reached", "recalls go to the primary server")
        if follows:
            bound = self.database.replicas.max_lag_seconds
            return HealthFinding("replica", "ok", f"{where} answers recalls while it is at most {bound:g} s behind")
        return HealthFinding(
            "replica", "warning", f"{where} follows no server", "name servers that replicate the store's own"
        )


def _check_server(database: PostgresDatabase) -> None:
    with database.reading() as db:
        version = db.raw.info.server_version // 10_000
        encoding = db.raw.info.parameter_status("server_encoding")
    if version < MIN_VERSION:
        raise InvalidRequest(
            f"{database.location} runs PostgreSQL {version}; a store needs {MIN_VERSION} or newer",
            hint="name another server",
        )
    if encoding != "UTF8":
        raise InvalidRequest(
            f"{database.location} is encoded in {encoding}, which cannot hold every text",
            hint="make a database with ENCODING 'UTF8' TEMPLATE template0",
        )


def _complete(database: PostgresDatabase) -> None:
    with database.reading() as db:
        if not tables_without_policy(db) and has_near_tables(db) and has_shares(db) and db.columns("word_counts"):
            return
    with database.writing() as db:
        if not db.columns("word_counts"):
            _count_words(db)
        create_shares(db)
        create_near_tables(db)
        enable_row_security(db)
        for table in ("memories", "observations", "facts", "passages"):
            db.execute(
                f"CREATE OR REPLACE TRIGGER words_follow_scope AFTER UPDATE OF scope ON {table} FOR EACH ROW "
                "WHEN (OLD.scope IS DISTINCT FROM NEW.scope) EXECUTE FUNCTION words_follow_scope()"
            )


def _let_words_wait(database: PostgresDatabase) -> None:
    """Have the indexes of words in a store of an earlier version collect the words of several texts."""
    query = """
        SELECT c.relname::text FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i' AND 'fastupdate=off' = ANY (c.reloptions)"""
    with database.reading() as db:
        indexes = [name for (name,) in db.execute(query)]
    if not indexes:
        return
    # Nobody may search meanwhile. While a long search does, it is left for the next opening.
    with suppress(Unavailable), database.writing(optional=True) as db:
        for name in indexes:
            db.execute(f"ALTER INDEX {name} RESET (fastupdate)")
            db.execute(f"ALTER INDEX {name} SET ({WAITING_WORDS})")


def _count_words(db: Connection) -> None:
    """Index every text again, in a store of an earlier version, which counted no words."""
    db.execute(CREATE_WORD_COUNTS)
    for text in all_full_texts():
        db.execute(f"DROP TABLE {text.table}")
        db.create_full_text(text)
    for function in WORD_FUNCTIONS:
        db.raw.execute(function.encode())
    rebuild_full_texts(db)


def _create(database: PostgresDatabase) -> None:
    """Make the schema, with the functions that the stores use, unless it is there."""
    with database.reading() as db:
        if db.has_store():
            return
    with database.writing() as db:
        # Another process may have made it while this one waited for its turn.
        if db.has_store():
            return
        db.create_schema(database.address.schema)
        db.execute("CREATE TABLE store_version (version INTEGER NOT NULL) STRICT")
        db.execute("INSERT INTO store_version VALUES (0)")
        db.execute(
            "CREATE TABLE full_text_sizes (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, words INTEGER NOT NULL)"
        )
        db.execute(CREATE_WORD_COUNTS)
        for function in (*FUNCTIONS, *WORD_FUNCTIONS):
            db.raw.execute(function.encode())
        install_extension(db)
    log.info("created a new store in %s", database.location)


class StagedSchema:
    """A schema in which a store is made before it takes the place of another schema, which must not hold one."""

    def __init__(self, address: StoreAddress) -> None:
        self._schema = address.schema
        # A name has 63 characters at most.
        self.address = replace(address, schema=f"{address.schema[:56]}_moving")

    def check_free(self) -> None:
        """Raise Conflict if there is a store already."""
        with self._connected() as db:
            if db.execute(f"SELECT to_regclass('{self._schema}.store_version') IS NOT NULL").get is True:
                raise Conflict(
                    f"there is a store in the schema {self._schema}",
                    code="store_exists",
                    hint="name another with ?schema=name",
                )

    def discard(self) -> None:
        """Remove what was made so far."""
        with self._connected() as db:
            db.execute(f"DROP SCHEMA IF EXISTS {self.address.schema} CASCADE")

    def put_in_place(self) -> None:
        """Give the schema its name. An empty one of that name is replaced."""
        self.check_free()
        with self._connected() as db:
            db.execute(f"DROP SCHEMA IF EXISTS {self._schema} RESTRICT")
            db.execute(f"ALTER SCHEMA {self.address.schema} RENAME TO {self._schema}")

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        database = PostgresDatabase(self.address)
        try:
            with database.writing() as db:
                yield db
        finally:
            database.close()
