"""Runs tests of the product over PostgreSQL: wherever they open a ledger, they get one in a schema of a real server.

Used as `pytest -p tests.postgres.plugin`. A path of a ledger is a schema, so a second opening finds the same store.
Making the tables takes far longer than emptying them, so schemas are used again.
"""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from hypothesis import Phase, settings

import satchel.adapters.sqlite.ledger as sqlite_ledger
from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from tests.postgres.left_out import reason_to_leave_out
from tests.postgres.server import PostgresServer

_EMPTY = """
DO $$
DECLARE name text;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'store_version' LOOP
        EXECUTE CASE WHEN name LIKE '%sequence' THEN format('UPDATE %I SET value = 0', name)
            WHEN name = 'full_text_sizes' THEN 'UPDATE full_text_sizes SET rows = 0, words = 0'
            ELSE format('DELETE FROM %I', name) END;
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', name);
    END LOOP;
END $$
"""


class _Schemas:
    """The schemas of a server: which store is in which, and which are free."""

    def __init__(self) -> None:
        self.server = PostgresServer(settings={"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})
        self._numbers, self._free = count(1), list[str]()
        self.named: dict[Path, str] = {}
        self.used: list[_InPostgres] = []

    def take(self) -> str:
        for path in [path for path in self.named if not path.parent.exists()]:
            self.free(self.named.pop(path))
        return self._free.pop() if self._free else f"test_{os.getpid()}_{next(self._numbers)}"

    def free(self, schema: str) -> None:
        with psycopg.connect(parse_address(self.server.address(schema)).conninfo, autocommit=True) as connection:
            connection.execute("SELECT set_config('search_path', %s, false)", (schema,))
            connection.execute(_EMPTY.encode())
        self._free.append(schema)

    def free_all(self) -> None:
        for ledger in self.used:
            ledger.close()
        self.used.clear()
        for schema in self.named.values():
            self.free(schema)
        self.named.clear()


_schemas: _Schemas


class _InPostgres(PostgresLedger):
    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self._own = None if path else _schemas.take()
        schema = self._own or _schemas.named.setdefault(Path(str(path)), "") or _schemas.take()
        if path is not None:
            _schemas.named[path] = schema
        super().__init__(parse_address(_schemas.server.address(schema)), read_only=read_only)
        _schemas.used.append(self)

    def close(self) -> None:
        super().close()
        if self._own:
            _schemas.free(self._own)
            self._own = None


def pytest_configure(config: pytest.Config) -> None:
    """Start the server, before the test modules take the class they open."""
    global _schemas
    _schemas = _Schemas()
    setattr(sqlite_ledger, "SqliteLedger", _InPostgres)  # noqa: B010
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
    _schemas.server.remove()


@pytest.fixture(autouse=True)
def _every_test_starts_empty() -> Iterator[None]:
    yield
    _schemas.free_all()
