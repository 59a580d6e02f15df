"""Usage and grades of the records of a ledger, for the lifecycle and for statistics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql.engine import Connection, Database, Row, first
from satchel.adapters.sql.records import sums_by
from satchel.adapters.sql.where import Clause, all_of, id_batches, observation_clause, view_clause
from satchel.domain.record import MUST_REMEMBER_FROM, NICE_TO_HAVE_FROM, Kind, Label, State, Trust
from satchel.ports import DayCount, Grading, LifecycleRecord

if TYPE_CHECKING:
    from satchel.domain.view import View

DAY_MS = 86_400_000
# The label that an importance earns.
_EARNED_LABEL = (
    f"CASE WHEN m.importance IS NULL THEN 'unknown' WHEN m.importance >= {MUST_REMEMBER_FROM} THEN 'must_remember' "
    f"WHEN m.importance >= {NICE_TO_HAVE_FROM} THEN 'nice_to_have' ELSE 'ignore' END"
)
# An event cannot happen after it was captured, whatever date it claims.
_HAPPENED_AT = "min(m.at, m.captured_at)"
# Only an imported record has a date of its own. A stored one whose date and event differ was stored while the clock was set.
_ARRIVED_AT = (
    "coalesce((SELECT CASE e.operation WHEN 'store' THEN m.created_at ELSE e.at END FROM events e WHERE e.memory_id = m.id "
    "ORDER BY e.seq LIMIT 1), m.created_at)"
)


class SqlUsage:
    """Implements ports.UsageStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def mark_selected(self, ids: Sequence[str], at: int) -> None:
        # Not synced to disk, like the receipt of the same answer: a power cut may lose that something was used.
        with self._database.writing(optional=True, durable=False) as db:
            for id in dict.fromkeys(ids):
                db.execute(
                    "INSERT INTO selections SELECT ?1, 1, ?2 WHERE EXISTS (SELECT 1 FROM memories WHERE id = ?1) "
                    "OR EXISTS (SELECT 1 FROM observations WHERE id = ?1) ON CONFLICT (record_id) DO UPDATE SET "
                    "selected = selections.selected + 1, last_used_at = max(selections.last_used_at, excluded.last_used_at)",
                    (id, at),
                )

    def last_used_at(self, ids: Sequence[str]) -> Mapping[str, int]:
        found: dict[str, int] = {}
        with self._database.reading() as db:
            for among, values in id_batches("record_id", ids):
                found.update(db.execute(f"SELECT record_id, last_used_at FROM selections WHERE {among}", values))
        return found

    def walk(self, view: View) -> Iterator[LifecycleRecord]:
        with self._database.snapshot() as db:
            yield from _records(db, view, ("true", []))

    def find(self, id: str, view: View) -> LifecycleRecord | None:
        with self._database.reading() as db:
            return next(iter(list(_records(db, view, ("m.id = ?", [id])))), None)

    def active_days(self) -> Sequence[int]:
        with self._database.reading() as db:
            return [day for (day,) in db.execute(f"SELECT DISTINCT at / {DAY_MS} AS day FROM receipts ORDER BY day")]

    def last_run_at(self) -> int | None:
        with self._database.reading() as db:
            query = "SELECT at FROM receipts WHERE operation = 'lifecycle run' ORDER BY seq DESC LIMIT 1"
            row = first(db.execute(query))
            return None if row is None else int(row[0])

    def keep_grades(self, grades: Sequence[Grading], at: int) -> None:
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO grades SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM memories WHERE id = ?1) "
                "ON CONFLICT (memory_id) DO UPDATE SET grader = excluded.grader, version = excluded.version, "
                "score = excluded.score, label = excluded.label, signals = excluded.signals, graded_at = excluded.graded_at",
                [
                    (one.id, one.grader, one.version, one.score, one.label, json.dumps(one.signals), at)
                    for one in grades
                ],
            )

    def grades(self, ids: Sequence[str]) -> Mapping[str, Grading]:
        found: dict[str, Grading] = {}
        with self._database.reading() as db:
            for among, values in id_batches("memory_id", ids):
                query = f"SELECT memory_id, score, label, grader, version, signals FROM grades WHERE {among}"
                for id, score, label, grader, version, signals in db.execute(query, values):
                    found[id] = Grading(id, score, Label(label), grader, version, tuple(json.loads(signals)))
        return found

    def counts(self, view: View, since_day: int) -> Sequence[DayCount]:
        memories, observations = view_clause(view), observation_clause(view)
        # Of all scopes, SQLite would look every record up by an index. Archiving is rare: its events come first.
        every = " NOT INDEXED" if view.reach.everywhere else ""
        sources = (
            ("stored", "m.created_at", f"memories m{every}", memories),
            ("captured", _HAPPENED_AT, "observations m", observations),
            ("archived", "e.at", "events e CROSS JOIN memories m ON m.id = e.memory_id", memories),
            (
                "archived",
                "e.at",
                "observation_events e CROSS JOIN observations m ON m.id = e.observation_id",
                observations,
            ),
        )
        rows: list[Row] = []
        with self._database.reading() as db:
            for what, at, table, (where, values) in sources:
                event = "e.operation = 'archive' AND " if what == "archived" else ""
                query = (
                    f"SELECT {at} / {DAY_MS}, '{what}', m.label, count(*) FROM {table} "
                    f"WHERE {event}{where} AND {at} >= ? GROUP BY 1, 3"
                )
                rows += db.execute(query, [*values, since_day * DAY_MS])
        return [DayCount(day, what, Label(label), count) for day, what, label, count in sorted(rows)]

    def mismatches(self, view: View) -> int:
        tables = (("memories", view_clause(view)), ("observations", observation_clause(view)))
        every = " NOT INDEXED" if view.reach.everywhere else ""
        with self._database.reading() as db:
            return sum(
                db.execute(
                    f"SELECT count(*) FROM {table} m{every} WHERE {where} AND m.label <> {_EARNED_LABEL}", values
                ).get
                for table, (where, values) in tables
            )

    def totals(self, view: View) -> Mapping[str, Mapping[str, int]]:
        where, values = view_clause(view)
        observed, observed_values = observation_clause(view)
        every = " NOT INDEXED" if view.reach.everywhere else ""
        with self._database.reading() as db:
            names = ("label", "kind", "language", "state")
            columns = ", ".join(f"m.{name}" for name in names)
            both = (
                f"SELECT {columns}, count(*) FROM memories m{every} WHERE {where} GROUP BY 1, 2, 3, 4 UNION ALL "
                f"SELECT {columns}, count(*) FROM observations m WHERE {observed} GROUP BY 1, 2, 3, 4"
            )
            groups = [*db.execute(both, [*values, *observed_values])]
            found = {name: sums_by(groups, column) for column, name in enumerate(names)}
            tools = (
                f"SELECT m.tool_name, count(*) FROM observations m WHERE {observed} AND m.tool_name IS NOT NULL "
                "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"
            )
            found["tool"] = {tool: int(count) for tool, count in db.execute(tools, observed_values)}
        return found


def _records(db: Connection, view: View, narrowed: Clause) -> Iterator[LifecycleRecord]:
    where, values = all_of(view_clause(view), narrowed)
    memories = f"""
        SELECT m.id, m.scope, m.kind, m.state, m.trust, m.label, g.score IS NOT NULL AND g.score IS NOT DISTINCT FROM m.importance,
            m.tags, max(m.created_at, m.updated_at), {_ARRIVED_AT}, s.last_used_at
        FROM memories m LEFT JOIN selections s ON s.record_id = m.id LEFT JOIN grades g ON g.memory_id = m.id
        WHERE {where} ORDER BY m.id"""
    yield from (_record(row, is_memory=True) for row in db.execute(memories, values))
    where, values = all_of(observation_clause(view), narrowed)
    observations = f"""
        SELECT m.id, m.scope, NULL, m.state, m.trust, m.label, m.grader IS NOT NULL,
            '[]', max({_HAPPENED_AT}, coalesce(m.revived_at, 0)), m.captured_at, s.last_used_at
        FROM observations m LEFT JOIN selections s ON s.record_id = m.id WHERE {where} ORDER BY m.id"""
    yield from (_record(row, is_memory=False) for row in db.execute(observations, values))


def _record(row: Row, *, is_memory: bool) -> LifecycleRecord:
    id, scope, kind, state, trust, label, graded, tags, since, arrived, used = row
    return LifecycleRecord(
        id=id,
        is_memory=is_memory,
        scope=scope,
        kind=None if kind is None else Kind(kind),
        state=State(state),
        trust=Trust(trust),
        label=Label(label),
        is_graded=bool(graded),
        tags=() if tags == "[]" else tuple(json.loads(tags)),
        since=since,
        arrived_at=arrived,
        last_used_at=used,
    )
