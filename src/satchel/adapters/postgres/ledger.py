"""The ledger in PostgreSQL: the same stores, over a schema of a database."""

from satchel.adapters.postgres.address import StoreAddress
from satchel.adapters.postgres.database import PostgresDatabase
from satchel.adapters.postgres.functions import FUNCTIONS
from satchel.adapters.postgres.near import (
    PostgresMemories,
    PostgresVectors,
    create_near_vectors,
    has_near_vectors,
)
from satchel.adapters.sqlite.migrations import migrate
from satchel.adapters.sqlite.sql_ledger import SqlLedger
from satchel.domain.answers import HealthFinding
from satchel.errors import InvalidRequest

# The first with JSON predicates, which the stores' functions use.
MIN_VERSION = 16


class PostgresLedger(SqlLedger):
    """A ledger in a schema of a PostgreSQL database, made if there is none."""

    def __init__(self, address: StoreAddress, *, read_only: bool = False) -> None:
        database = PostgresDatabase(address, read_only=read_only)
        try:
            _check_version(database)
            if not read_only:
                _create(database)
            migrate(database)
            if not read_only:
                _prepare_search(database)
        except BaseException:
            database.close()
            raise
        super().__init__(database)
        with database.reading() as db:
            if has_near_vectors(db):
                self.memories, self.vectors = PostgresMemories(database), PostgresVectors(database)

    def _engine_findings(self) -> list[HealthFinding]:
        with self._database.reading() as db:
            version = str(db.execute("SELECT current_setting('server_version')").get)
        return [HealthFinding("PostgreSQL", "ok", version)]


def _check_version(database: PostgresDatabase) -> None:
    with database.reading() as db:
        version = int(db.execute("SELECT current_setting('server_version_num')").get) // 10_000
    if version < MIN_VERSION:
        raise InvalidRequest(
            f"{database.location} runs PostgreSQL {version}; a store needs {MIN_VERSION} or newer",
            hint="name another server",
        )


def _prepare_search(database: PostgresDatabase) -> None:
    with database.reading() as db:
        if has_near_vectors(db):
            return
    with database.writing() as db:
        create_near_vectors(db)


def _create(database: PostgresDatabase) -> None:
    """Make the schema, with the functions that the stores use, unless it is there."""
    with database.reading() as db:
        if db.has_store():
            return
    with database.writing() as db:
        # Another process may have made it while this one waited for its turn.
        if db.has_store():
            return
        db.execute(f"CREATE SCHEMA IF NOT EXISTS {database.address.schema}")
        db.execute("CREATE TABLE store_version (version INTEGER NOT NULL) STRICT")
        db.execute("INSERT INTO store_version VALUES (0)")
        db.execute(
            "CREATE TABLE full_text_sizes (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, words INTEGER NOT NULL)"
        )
        for function in FUNCTIONS:
            db.raw.execute(function.encode())
