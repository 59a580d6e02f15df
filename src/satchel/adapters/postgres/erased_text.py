"""Searches the tables of a store in PostgreSQL for a text that was erased, besides the files of this machine."""

from collections.abc import Iterable, Sequence

from satchel.adapters.postgres.connection import Connection
from satchel.adapters.postgres.database import PostgresDatabase
from satchel.domain.answers import HealthFinding
from satchel.ports import Files, FileSearch

UNSEEN = "not searched: rows that the server has deleted but not yet overwritten, its write-ahead log, its replicas and its backups"
_SIZE = """
    SELECT coalesce(sum(pg_table_size(c.oid)), 0)::bigint FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"""


class TablesAndFiles:
    """Implements ports.Files over the files of this machine and every table of the store's schema."""

    def __init__(self, files: Files, database: PostgresDatabase) -> None:
        self._files = files
        self._database = database

    @property
    def folder(self) -> str:
        return self._files.folder

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        found = self._files.search(needles)
        with self._database.reading() as db:
            tables = _tables(db)
            holding = [f"table {table}" for table in tables if _holds(db, table, needles)]
            size = int(db.execute(_SIZE).get)
        return FileSearch(
            found.files, found.bytes + size, (*found.holding, *holding), tables=len(tables), unseen=UNSEEN
        )

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        return self._files.check_up(fix=fix)


def _tables(db: Connection) -> list[str]:
    query = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
    return [name for (name,) in db.execute(query)]


def _holds(db: Connection, table: str, needles: Iterable[bytes]) -> bool:
    """Return whether a row of a table contains a needle: as text, or as the bytes of a binary column."""
    wanted = [form for needle in needles for form in (needle.decode(), needle.hex())]
    if not wanted:
        return False
    # A whole row as text has every column, also the words of full text. OFFSET keeps it from being made for each needle.
    query = (
        f'SELECT 1 FROM (SELECT one::text AS content FROM "{table}" one OFFSET 0) AS rows '
        f"WHERE {' OR '.join(['strpos(content, ?) > 0'] * len(wanted))} LIMIT 1"
    )
    return db.execute(query, wanted).get is not None
