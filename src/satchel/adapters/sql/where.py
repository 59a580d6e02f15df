"""Views as SQL conditions. Every ledger query is narrowed by these, before its limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from satchel.adapters.sql.engine import Connection, Database
    from satchel.domain.passage import PassageView
    from satchel.domain.scope import Reach
    from satchel.domain.view import View

Clause = tuple[str, list[Any]]

# SQLite's default limit is far higher; this keeps one statement readable in a trace.
IDS_PER_QUERY = 500


def reach_clause(reach: Reach) -> Clause:
    """Return the condition on `m` that keeps a query within its scopes."""
    return ("true", []) if reach.everywhere else one_of("m.scope", reach.scopes)


def scopes_of(reach: Reach) -> Sequence[str] | None:
    """Return the scopes that a search is narrowed to; None means all."""
    return None if reach.everywhere else reach.scopes


def passage_clause(view: PassageView) -> Clause:
    """Return the condition on `m` for the passages of a view."""
    clauses = [("m.lane = ?", [str(view.lane)]), reach_clause(view.reach), one_of("m.trust", view.trusts)]
    if view.groups:
        clauses.append(one_of('m."group"', view.groups))
    if view.kinds:
        clauses.append(one_of("m.kind", view.kinds))
    if view.since is not None:
        clauses.append(("m.at >= ?", [view.since]))
    if view.until is not None:
        clauses.append(("m.at < ?", [view.until]))
    return all_of(*clauses)


def observation_clause(view: View) -> Clause:
    """Return the condition on `m` for the observations of a view."""
    clauses = [reach_clause(view.reach), one_of("m.trust", view.trusts), one_of("m.state", view.states)]
    return all_of(*clauses, one_of("m.label", view.labels)) if view.labels else all_of(*clauses)


def standing_clause(view: View) -> Clause:
    """Return the condition on `m` for every rule of the view except scope."""
    clauses = [one_of("m.trust", view.trusts), one_of("m.state", view.states)]
    if not view.timeless:
        clauses.append(("(m.valid_from IS NULL OR m.valid_from <= ?)", [view.now]))
        clauses.append(("(m.valid_to IS NULL OR m.valid_to > ?)", [view.now]))
    if view.kinds:
        clauses.append(one_of("m.kind", view.kinds))
    if view.labels:
        clauses.append(one_of("m.label", view.labels))
    if view.media is not None:
        clauses.append(media_clause(view.media))
    return all_of(*clauses)


def media_clause(wanted: str) -> Clause:
    """Return the condition on `m` that it refers to media of a kind. The ledger's connections have the function."""
    return "m.media_refs <> '[]' AND has_media(m.media_refs, ?)", [str(wanted)]


# The condition of the index memories_unusual. SQLite uses the index only for a query that repeats it.
UNUSUAL = (
    "(m.trust = 'quarantined' OR m.state IN ('archived', 'retired') "
    "OR m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)"
)


def view_clause(view: View) -> Clause:
    """Return the condition on `m` for the whole view."""
    return all_of(reach_clause(view.reach), standing_clause(view))


def one_of(column: str, values: Sequence[str]) -> Clause:
    """Return the condition that a column has one of some values."""
    if not values:
        return "false", []
    return f"{column} IN ({', '.join('?' * len(values))})", [str(value) for value in values]


def upsert(table: str, columns: Sequence[str], key: Sequence[str]) -> str:
    """Return the statement that inserts a row, or replaces the values of the one with the same key."""
    places = ", ".join("?" * len(columns))
    values = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places}) "
        f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {values}"
    )


def between(column: str, first: str, last: str) -> Clause:
    """Return the condition that a column is in a range, its ends included."""
    return f"{column} BETWEEN ? AND ?", [first, last]


def contains_pattern(text: str) -> str:
    """Return the LIKE pattern of what contains a text, for a condition that ends with ESCAPE '\\'."""
    escaped = "".join(f"\\{one}" if one in "\\%_" else one for one in text)
    return f"%{escaped}%"


def id_batches(column: str, ids: Sequence[str]) -> Iterator[Clause]:
    """Yield the conditions that a column has one of some ids, for one query each."""
    for start in range(0, len(ids), IDS_PER_QUERY):
        yield one_of(column, ids[start : start + IDS_PER_QUERY])


def reading_batches(database: Database, ids: Sequence[str]) -> AbstractContextManager[Connection]:
    """Read some ids in batches of one statement each: several of them see one state only in a transaction."""
    return database.reading_once() if len(ids) <= IDS_PER_QUERY else database.reading()


def all_of(*clauses: Clause) -> Clause:
    """Join conditions with AND."""
    return " AND ".join(text for text, _ in clauses), [value for _, values in clauses for value in values]
