"""The SQLite ledger: all stores over one file, and the checks of that file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.adapters.sql.schema_version import migrate
from satchel.adapters.sql.sql_ledger import SqlLedger
from satchel.adapters.sqlite.database import Database, sqlite_version
from satchel.adapters.sqlite.lost_ledger import mark_made
from satchel.domain.answers import HealthFinding
from satchel.errors import Corrupt

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection

# Earlier versions can corrupt a WAL database when two connections write and checkpoint at the same time.
MIN_SQLITE = (3, 51, 3)


class SqliteLedger(SqlLedger):
    """A ledger in a file, or in memory without a path."""

    database: Database

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        database = Database(path, read_only=read_only)
        try:
            migrate(database)
            if path is not None and not database.read_only:
                mark_made(path)
        except BaseException:  # also a signal: nobody else can close the database
            database.close()
            raise
        super().__init__(database)

    def _engine_findings(self) -> list[HealthFinding]:
        return [_library_finding(), self._pages_finding()]

    def _rebuild_indexes(self) -> None:
        """Make the indexes agree with the tables if the integrity check fails. A damaged table stays as it is."""
        if self._pages_finding().status == "bad":
            with suppress(Corrupt), self.database.writing() as db:
                db.execute("REINDEX")

    def _pages_finding(self) -> HealthFinding:
        from satchel.adapters.sql.health import examined

        return examined(self.database, "ledger pages", _pages_finding)


def _library_finding() -> HealthFinding:
    version = sqlite_version()
    if tuple(map(int, version.split("."))) < MIN_SQLITE:
        return HealthFinding("SQLite", "warning", f"{version} can corrupt a WAL database", "upgrade the package apsw")
    return HealthFinding("SQLite", "ok", version)


def _pages_finding(db: Connection) -> HealthFinding:
    problems = [row[0] for row in db.execute("PRAGMA integrity_check(10)")]
    if problems == ["ok"]:
        return HealthFinding("ledger pages", "ok", "the integrity check passed")
    return HealthFinding("ledger pages", "bad", "; ".join(problems), "restore a backup; keep the damaged file")
