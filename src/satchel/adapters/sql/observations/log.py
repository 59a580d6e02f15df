"""The observational log of a ledger: lines that summarise observations, in the order written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql import receipts
from satchel.adapters.sql.observations.store import OBSERVATIONS, SELECTED
from satchel.adapters.sql.records import RecordFormat, decodable_rows
from satchel.ports import NewLogLine, StoredLogLine

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection, Database
    from satchel.domain.observation import Observation
    from satchel.domain.receipt import Receipt

# Observations that no line covers yet; quarantined ones never get a line.
_UNLOGGED = "m.log_line IS NULL AND m.trust <> 'quarantined' AND m.state NOT IN ('archived', 'retired')"
LOG_LINES = RecordFormat(
    "log line",
    {"id": "m.number", "scope": "m.scope", "at": "m.at", "level": "m.level", "text": "m.text"},
    from_row=lambda row: StoredLogLine(row[0], *row[2:]),
)


class SqlLog:
    """Implements ports.ObservationalLog."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def scopes_over(self, chars: int, tail: int) -> Sequence[str]:
        query = f"SELECT m.scope FROM observations m WHERE {_UNLOGGED} GROUP BY 1 HAVING sum(length(m.text)) >= ? ORDER BY 1"
        older = (
            f"SELECT sum(length(text)) FROM (SELECT m.text FROM observations m WHERE m.scope = ? AND {_UNLOGGED} "
            "ORDER BY m.row DESC LIMIT -1 OFFSET ?)"
        )
        with self._database.reading() as db:
            full = [scope for (scope,) in decodable_rows(db, query, (chars,))]
            return [scope for scope in full if (db.execute(older, (scope, tail)).get or 0) >= chars]

    def pending_size(self, scope: str) -> tuple[int, int]:
        query = (
            f"SELECT count(*), coalesce(sum(length(m.text)), 0) FROM observations m WHERE m.scope = ? AND {_UNLOGGED}"
        )
        with self._database.reading() as db:
            count, chars = db.execute(query, (scope,)).get
            return count, chars

    def oldest(self, scope: str, limit: int) -> Sequence[Observation]:
        return self._unlogged(scope, "m.row", limit)

    def newest(self, scope: str, limit: int) -> Sequence[Observation]:
        return self._unlogged(scope, "m.row DESC", limit)[::-1]

    def _unlogged(self, scope: str, order: str, limit: int) -> list[Observation]:
        query = f"SELECT {SELECTED} FROM observations m WHERE m.scope = ? AND {_UNLOGGED} ORDER BY {order} LIMIT ?"
        with self._database.reading() as db:
            return list(OBSERVATIONS.read(db, query, (scope, limit)))

    def append(self, lines: Sequence[NewLogLine], receipt: Receipt) -> None:
        with self._database.writing() as db:
            for line in lines:
                _add(db, line, "log_line IS NULL")
            receipts.append(db, receipt)

    def lines(self, scope: str) -> Sequence[StoredLogLine]:
        with self._database.reading() as db:
            query = f"SELECT {LOG_LINES.selected} FROM log_lines m WHERE m.scope = ? ORDER BY m.number"
            return list(LOG_LINES.read(db, query, (scope,)))

    def scopes(self) -> Sequence[str]:
        with self._database.reading() as db:
            return [scope for (scope,) in decodable_rows(db, "SELECT DISTINCT scope FROM log_lines ORDER BY 1")]

    def logged(self, scope: str) -> Iterator[Observation]:
        query = (
            f"SELECT {SELECTED} FROM observations m WHERE m.scope = ? AND m.trust <> 'quarantined' "
            "AND m.log_line IN (SELECT number FROM log_lines WHERE scope = ?) ORDER BY m.row"
        )
        with self._database.snapshot() as db:
            yield from OBSERVATIONS.read(db, query, (scope, scope))

    def replace(self, numbers: Sequence[int], lines: Sequence[NewLogLine], receipt: Receipt) -> None:
        with self._database.writing() as db:
            db.executemany("DELETE FROM log_lines WHERE number = ?", [(number,) for number in numbers])
            for line in lines:
                number, covered = _add(db, line, "log_line IS NOT NULL")
                if covered < len(line.covers):
                    db.execute("DELETE FROM log_lines WHERE number = ?", (number,))
            receipts.append(db, receipt)


def _add(db: Connection, line: NewLogLine, condition: str) -> tuple[int, int]:
    """Add a line at the end, and return its number and how many of its observations it covers now."""
    db.execute(
        "INSERT INTO log_lines (scope, at, level, text) VALUES (?, ?, ?, ?)",
        (line.scope, line.at, line.level, line.text),
    )
    number = db.last_insert_rowid()
    cover = f"UPDATE observations SET log_line = ? WHERE id = ? AND {condition} RETURNING 1"
    return number, sum(len(db.execute(cover, (number, id)).fetchall()) for id in line.covers)
