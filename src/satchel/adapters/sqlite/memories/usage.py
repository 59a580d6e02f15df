"""The lives of a SQLite ledger's records: use that counts, grades, ages, and counts over time."""

import json
from collections.abc import Iterator, Mapping, Sequence

import apsw

from satchel.adapters.sqlite.database import Database, Row
from satchel.adapters.sqlite.observations.store import seen_clause
from satchel.adapters.sqlite.receipts import READ_PATIENCE_MS
from satchel.adapters.sqlite.where import IDS_PER_QUERY, Clause, every, one_of, view_clause
from satchel.domain.record import MUST_REMEMBER_FROM, NICE_TO_HAVE_FROM, Kind, Label, State, Trust
from satchel.domain.view import View
from satchel.ports import DayCount, Grading, Life

DAY_MS = 86_400_000
_EARNED = (
    f"CASE WHEN m.importance IS NULL THEN 'unknown' WHEN m.importance >= {MUST_REMEMBER_FROM} THEN 'must_remember' "
    f"WHEN m.importance >= {NICE_TO_HAVE_FROM} THEN 'nice_to_have' ELSE 'ignore' END"
)


class SqliteLives:
    """Implements ports.Lives."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def mark_selected(self, ids: Sequence[str], at: int) -> None:
        # Whoever reads does not wait for whoever writes.
        with self._database.writing(READ_PATIENCE_MS) as db:
            for id in dict.fromkeys(ids):
                db.execute(
                    "INSERT INTO selections SELECT ?1, 1, ?2 WHERE EXISTS (SELECT 1 FROM memories WHERE id = ?1) "
                    "OR EXISTS (SELECT 1 FROM observations WHERE id = ?1) ON CONFLICT (record_id) DO UPDATE SET "
                    "selected = selected + 1, last_used_at = max(last_used_at, excluded.last_used_at)",
                    (id, at),
                )

    def last_used_at(self, ids: Sequence[str]) -> Mapping[str, int]:
        found: dict[str, int] = {}
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_QUERY):
                among, values = one_of("record_id", ids[start : start + IDS_PER_QUERY])
                found.update(db.execute(f"SELECT record_id, last_used_at FROM selections WHERE {among}", values))
        return found

    def walk(self, view: View) -> Iterator[Life]:
        with self._database.snapshot() as db:
            yield from _lives(db, view, ("1", []))

    def find(self, id: str, view: View) -> Life | None:
        with self._database.reading() as db:
            return next(iter(list(_lives(db, view, ("m.id = ?", [id])))), None)

    def witnessed(self) -> Sequence[int]:
        with self._database.reading() as db:
            return [day for (day,) in db.execute(f"SELECT DISTINCT at / {DAY_MS} AS day FROM receipts ORDER BY day")]

    def last_run_at(self) -> int | None:
        with self._database.reading() as db:
            query = "SELECT at FROM receipts WHERE operation = 'lifecycle run' ORDER BY seq DESC LIMIT 1"
            found: list[Row] = db.execute(query).fetchall()
            return found[0][0] if found else None

    def keep_grades(self, grades: Sequence[Grading], at: int) -> None:
        with self._database.writing() as db:
            db.executemany(
                "INSERT OR REPLACE INTO grades SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 "
                "WHERE EXISTS (SELECT 1 FROM memories WHERE id = ?1)",
                [
                    (one.id, one.grader, one.version, one.score, one.label, json.dumps(one.signals), at)
                    for one in grades
                ],
            )

    def grades(self, ids: Sequence[str]) -> Mapping[str, Grading]:
        found: dict[str, Grading] = {}
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_QUERY):
                among, values = one_of("memory_id", ids[start : start + IDS_PER_QUERY])
                query = f"SELECT memory_id, score, label, grader, version, signals FROM grades WHERE {among}"
                for id, score, label, grader, version, signals in db.execute(query, values):
                    found[id] = Grading(id, score, Label(label), grader, version, tuple(json.loads(signals)))
        return found

    def counts(self, view: View, since_day: int) -> Sequence[DayCount]:
        where, values = view_clause(view)
        seen, seen_values = seen_clause(view)
        first = since_day * DAY_MS
        stored = f"SELECT m.created_at / {DAY_MS}, 'stored', m.label, count(*) FROM memories m WHERE {where} AND m.created_at >= ? GROUP BY 1, 3"
        captured = f"SELECT m.captured_at / {DAY_MS}, 'captured', m.label, count(*) FROM observations m WHERE {seen} AND m.captured_at >= ? GROUP BY 1, 3"
        put_away = f"SELECT e.at / {DAY_MS}, 'archived', m.label, count(*) FROM events e JOIN memories m ON m.id = e.memory_id WHERE e.operation = 'archive' AND {where} AND e.at >= ? GROUP BY 1, 3"
        put_aside = f"SELECT e.at / {DAY_MS}, 'archived', m.label, count(*) FROM observation_events e JOIN observations m ON m.id = e.observation_id WHERE e.operation = 'archive' AND {seen} AND e.at >= ? GROUP BY 1, 3"
        with self._database.reading() as db:
            rows = [
                row
                for query, given in (
                    (stored, values),
                    (captured, seen_values),
                    (put_away, values),
                    (put_aside, seen_values),
                )
                for row in db.execute(query, [*given, first])
            ]
        return [DayCount(day, what, Label(label), count) for day, what, label, count in sorted(rows)]

    def mismatches(self, view: View) -> int:
        where, values = view_clause(view)
        seen, seen_values = seen_clause(view)
        with self._database.reading() as db:
            memories = db.execute(f"SELECT count(*) FROM memories m WHERE {where} AND m.label <> {_EARNED}", values).get
            observations = db.execute(
                f"SELECT count(*) FROM observations m WHERE {seen} AND m.label <> {_EARNED}", seen_values
            ).get
            return int(memories) + int(observations)

    def totals(self, view: View) -> Mapping[str, Mapping[str, int]]:
        where, values = view_clause(view)
        seen, seen_values = seen_clause(view)
        with self._database.reading() as db:
            found: dict[str, dict[str, int]] = {}
            for name in ("label", "kind", "language", "state"):
                both = (
                    f"SELECT coalesce(value, 'unknown'), sum(count) FROM ("
                    f"SELECT m.{name} AS value, count(*) AS count FROM memories m WHERE {where} GROUP BY 1 UNION ALL "
                    f"SELECT m.{name}, count(*) FROM observations m WHERE {seen} GROUP BY 1) GROUP BY 1 ORDER BY 1"
                )
                found[name] = {value: int(count) for value, count in db.execute(both, [*values, *seen_values])}
            tools = f"SELECT m.tool_name, count(*) FROM observations m WHERE {seen} AND m.tool_name IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"
            found["tool"] = {tool: int(count) for tool, count in db.execute(tools, seen_values)}
        return found


def _lives(db: apsw.Connection, view: View, narrowed: Clause) -> Iterator[Life]:
    where, values = every(view_clause(view), narrowed)
    memories = f"""
        SELECT m.id, m.scope, m.kind, m.state, m.trust, m.label, g.score IS NOT NULL AND g.score IS m.importance,
            m.tags, max(m.created_at, m.updated_at), s.last_used_at
        FROM memories m LEFT JOIN selections s ON s.record_id = m.id LEFT JOIN grades g ON g.memory_id = m.id
        WHERE {where} ORDER BY m.id"""
    yield from map(_memory_life, db.execute(memories, values))
    where, values = every(seen_clause(view), narrowed)
    observations = f"""
        SELECT m.id, m.scope, m.state, m.trust, m.label, m.grader IS NOT NULL,
            max(m.captured_at, coalesce(m.revived_at, 0)), s.last_used_at
        FROM observations m LEFT JOIN selections s ON s.record_id = m.id WHERE {where} ORDER BY m.id"""
    yield from map(_observation_life, db.execute(observations, values))


def _memory_life(row: Row) -> Life:
    id, scope, kind, state, trust, label, graded, tags, since, used = row
    return Life(
        id,
        True,
        scope,
        Kind(kind),
        State(state),
        Trust(trust),
        Label(label),
        bool(graded),
        () if tags == "[]" else tuple(json.loads(tags)),
        since,
        used,
    )


def _observation_life(row: Row) -> Life:
    id, scope, state, trust, label, graded, since, used = row
    return Life(id, False, scope, None, State(state), Trust(trust), Label(label), bool(graded), (), since, used)
