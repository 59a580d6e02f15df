"""Runs tests of the product over PostgreSQL: wherever they open a ledger, they get one in a schema of a real server.

Used as `pytest -p tests.postgres.plugin`. A path of a ledger is a schema, so a second opening finds the same store.
Making the tables takes far longer than emptying them, so schemas are used again.
"""

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from itertools import count
from pathlib import Path

import psycopg
import pytest
from hypothesis import Phase, settings

import satchel.adapters.sqlite.ledger as sqlite_ledger
from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.domain.answers import HealthFinding
from tests.postgres.left_out import reason_to_leave_out
from tests.postgres.server import PostgresServer

# The ledger in a file, for tests that compare both.
IN_A_FILE = sqlite_ledger.SqliteLedger

_EMPTY = """
DO $$
DECLARE name text;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('store_version', 'embedding_shares') LOOP
        EXECUTE CASE WHEN name LIKE '%sequence' OR name = 'graph_revision' THEN format('UPDATE %I SET value = 0', name)
            WHEN name = 'full_text_sizes' THEN 'UPDATE full_text_sizes SET rows = 0, words = 0'
            ELSE format('DELETE FROM %I', name) END;
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', name);
    END LOOP;
END $$
"""


class Schemas:
    """The schemas of a server: which store is in which, and which are free."""

    def __init__(self) -> None:
        self._numbers, self._free = count(1), list[str]()
        self.named: dict[Path, str] = {}
        self.used: list[InPostgres] = []

    @cached_property
    def server(self) -> PostgresServer:
        """The one server of a run, started when the first ledger is opened."""
        return PostgresServer(settings={"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})

    @property
    def was_used(self) -> bool:
        """Whether any ledger was opened."""
        return "server" in vars(self)

    def stop(self) -> None:
        if self.was_used:
            self.server.remove()
            del self.server
            self._free.clear()

    def take(self) -> str:
        for path in [path for path in self.named if not path.parent.exists()]:
            self.free(self.named.pop(path))
        return self._free.pop() if self._free else f"test_{os.getpid()}_{next(self._numbers)}"

    def of(self, path: Path) -> str:
        """Return the schema that stands for a file, and make one, which tells that there is a store."""
        if path not in self.named:
            self.named[path] = self.take()
            path.parent.mkdir(parents=True, exist_ok=True)
            # An empty one beside an index would be a ledger that was lost.
            path.write_bytes(b"in PostgreSQL")
        return self.named[path]

    def free(self, schema: str) -> None:
        with psycopg.connect(parse_address(self.server.address(schema)).conninfo, autocommit=True) as connection:
            connection.execute("SELECT set_config('search_path', %s, false)", (schema,))
            connection.execute(_EMPTY.encode())
        self._free.append(schema)

    def free_all(self, but: frozenset[str] = frozenset()) -> None:
        """Close the ledgers and empty the schemas, apart from some schemas."""
        for ledger in [one for one in self.used if one.schema not in but]:
            ledger.close()
            self.used.remove(ledger)
        for path, schema in [*self.named.items()]:
            if schema not in but:
                self.free(self.named.pop(path))


schemas = Schemas()


class InPostgres(PostgresLedger):
    """A ledger in PostgreSQL that is opened as one in a file is."""

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        schema = schemas.take() if path is None else schemas.of(path)
        self.schema, self._own = schema, schema if path is None else None
        super().__init__(parse_address(schemas.server.address(schema)), read_only=read_only)
        schemas.used.append(self)

    def _engine_findings(self) -> list[HealthFinding]:
        # The user of these tests is a superuser, which is a warning; tests/postgres/test_row_security.py has one that is not.
        return [one for one in super()._engine_findings() if one.check != "row-level security"]

    def close(self) -> None:
        super().close()
        if self._own:
            schemas.free(self._own)
            self._own = None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Replace the class of a ledger, before any test module or `conftest.py` imports it."""
    assert "satchel.wiring.adapters" not in sys.modules, "imported before the ledger was replaced"
    setattr(sqlite_ledger, "SqliteLedger", InPostgres)  # noqa: B010
    # A failing example leaves its ledger open; looking for a smaller one would open hundreds.
    settings.register_profile("postgres", phases=(Phase.explicit, Phase.reuse, Phase.generate), deadline=None)
    settings.load_profile("postgres")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is about SQLite's file, and say why."""
    for item in items:
        if (reason := reason_to_leave_out(item.nodeid)) is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server."""
    schemas.stop()


@pytest.fixture(autouse=True)
def _every_test_starts_empty() -> Iterator[None]:
    # A store of a whole module was opened before.
    before = frozenset(one.schema for one in schemas.used)
    yield
    schemas.free_all(but=before)
