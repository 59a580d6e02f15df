"""The shelves of a SQLite ledger: each is walked in the order of an index of its own, until enough is found."""

from typing import Any

from satchel.adapters.sqlite.database import Database
from satchel.adapters.sqlite.memories.rows import SELECTED, from_row
from satchel.adapters.sqlite.where import view_clause
from satchel.domain.attention import DURABLE_LEVEL, GLOBAL
from satchel.domain.record import Memory
from satchel.domain.view import LIVE_STATES, View

# The words of the indexes: SQLite uses one for a query that repeats them.
LIVE = "m.state NOT IN ('archived', 'retired')"
DURABLE = f"(m.abstraction >= {DURABLE_LEVEL} OR m.role_scope IS NULL OR m.role_scope = '{GLOBAL}')"
WEIGHT = "coalesce(m.importance, 0.5)"

_BY_IMPORTANCE = f"{WEIGHT} DESC, m.updated_at DESC, m.id"
_BY_TIME = "m.updated_at DESC, m.id"


class SqliteShelves:
    """Implements ports.Shelves."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_task(self, task: str, view: View, limit: int) -> list[Memory]:
        return self._shelf("m.task = ?", [task], _BY_IMPORTANCE, view, limit)

    def of_session(self, session: str, view: View, limit: int) -> list[Memory]:
        return self._shelf("m.session = ?", [session], _BY_IMPORTANCE, view, limit)

    def durable(self, view: View, limit: int) -> list[Memory]:
        return self._shelf(DURABLE, [], _BY_IMPORTANCE, view, limit)

    def recent(self, view: View, limit: int) -> list[Memory]:
        return self._shelf("1", [], _BY_TIME, view, limit)

    def _shelf(self, which: str, values: list[Any], order: str, view: View, limit: int) -> list[Memory]:
        where, limits = view_clause(view)
        live = LIVE if set(view.states) <= set(LIVE_STATES) else "1"
        # Only the best are read whole: whatever the view asks of the others stands in the index.
        query = f"""
            SELECT {SELECTED} FROM (
                SELECT m.row AS row FROM memories m WHERE {live} AND {which} AND {where} ORDER BY {order} LIMIT ?
            ) AS best JOIN memories m ON m.row = best.row ORDER BY {order}"""
        with self._database.reading() as db:
            return [from_row(row) for row in db.execute(query, [*values, *limits, limit])]
