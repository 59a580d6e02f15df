"""Observations in a ledger, ingested together with the spool position in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import fields

from satchel.adapters.sql import receipts
from satchel.adapters.sql.engine import Connection, Database, Row, first, next_seq
from satchel.adapters.sql.full_text import OBSERVATIONS as TEXT
from satchel.adapters.sql.records import READABLE_TEXT, ReadableColumn, RecordFormat, decodable_rows, read_page
from satchel.adapters.sql.scope_seeds import seeds_of
from satchel.adapters.sql.where import (
    all_of,
    between,
    id_batches,
    observation_clause,
    reach_clause,
    scopes_of,
)
from satchel.domain.canonical import canonical
from satchel.domain.observation import Observation, ObservationId, content_digest, observation_id
from satchel.domain.record import Label, State, Trust
from satchel.domain.spool import Cursor
from satchel.domain.words import segment
from satchel.ports import Frequencies, Grading, ObservationEvent, StateChange

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach
    from satchel.domain.view import View

COLUMNS = tuple(field.name for field in fields(Observation))
SELECTED = ", ".join(f"m.{name}" for name in COLUMNS)
_INSERT = f"INSERT INTO observations ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
# How much of the detail is indexed.
MAX_INDEXED_CHARS = 16_384


class SqlObservations:
    """Implements ports.ObservationStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def cursors(self) -> Mapping[str, Cursor]:
        with self._database.reading() as db:
            rows = decodable_rows(db, "SELECT source, position, head FROM spool_cursors")
            # A spool file without its cursor is read again from the start: known events are not ingested twice.
            return {source: Cursor(source, position, head) for source, position, head in rows}

    def ingest(
        self, observations: Sequence[Observation], cursors: Sequence[Cursor], receipt: Receipt
    ) -> frozenset[ObservationId]:
        with self._database.writing() as db:
            known = _known(db, [one.id for one in observations]) | _known_by_other_ids(db, observations)
            fresh = {one.id: one for one in reversed(observations) if one.id not in known}
            for one in observations:
                # Of two lines about the same event, the first counts.
                if fresh.get(one.id) is one:
                    _insert(db, one)
            db.executemany(
                "INSERT INTO spool_cursors VALUES (?, ?, ?) ON CONFLICT (source) DO UPDATE SET "
                "position = excluded.position, head = excluded.head",
                [(one.source, one.position, one.head) for one in cursors],
            )
            receipts.append(db, receipt)
            return frozenset(fresh)

    def fetch(self, ids: Sequence[ObservationId], view: View) -> dict[ObservationId, Observation]:
        found: dict[ObservationId, Observation] = {}
        with self._database.reading() as db:
            for among in id_batches("m.id", ids):
                where, values = all_of(among, observation_clause(view))
                query = f"SELECT {SELECTED} FROM observations m INDEXED BY observations_id WHERE {where}"
                found.update((one.id, one) for one in OBSERVATIONS.read(db, query, values))
        return found

    def ids_between(self, first: str, last: str, view: View, limit: int) -> list[ObservationId]:
        where, values = all_of(between("m.id", first, last), observation_clause(view))
        query = f"SELECT m.id FROM observations m INDEXED BY observations_id WHERE {where} ORDER BY m.id LIMIT ?"
        with self._database.reading() as db:
            return [ObservationId(id) for (id,) in decodable_rows(db, query, [*values, limit])]

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[tuple[ObservationId, float]]:
        if not terms:
            return []
        where, values = observation_clause(view)
        with self._database.reading() as db:
            query = f"""
                SELECT m.id, found.score
                FROM {db.matches(TEXT)} AS found
                CROSS JOIN observations m INDEXED BY observations_standing ON m.row = found.row
                WHERE {where} ORDER BY found.score DESC, m.id LIMIT ?"""
            asked = [db.match_value(terms, scopes_of(view.reach)), *values, limit]
            rows = decodable_rows(db, query, asked, kind="observation")
            return [(ObservationId(id), float(score)) for id, score in rows]

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        with self._database.reading() as db:
            holding = db.count_matches(TEXT, terms)
            return Frequencies(holding, db.highest_row(TEXT))

    def around(self, at: int, id: str, view: View, window: int) -> tuple[Sequence[Observation], Sequence[Observation]]:
        where, values = observation_clause(view)
        query = f"SELECT {SELECTED} FROM observations m WHERE {where} AND (m.at, m.id)"
        with self._database.reading() as db:
            earlier, later = (
                f"{query} < (?, ?) ORDER BY m.at DESC, m.id DESC LIMIT ?",
                f"{query} > (?, ?) ORDER BY m.at, m.id LIMIT ?",
            )
            before = read_page(OBSERVATIONS, db, earlier, [*values, at, id], window)
            return before[::-1], read_page(OBSERVATIONS, db, later, [*values, at, id], window)

    def history(self, id: ObservationId) -> list[ObservationEvent]:
        query = f"SELECT {EVENTS.selected} FROM observation_events m WHERE m.observation_id = ? ORDER BY m.seq"
        with self._database.reading() as db:
            return list(EVENTS.read(db, query, (id,)))

    def ungraded(
        self, grader: str, version: int, view: View, limit: int, after: int = 0
    ) -> list[tuple[int, Observation]]:
        where, values = observation_clause(view)
        # Importance that came with the event has no grader, and is never replaced.
        due = "(m.importance IS NULL OR (m.grader IS NOT NULL AND m.grader <> ?))"
        query = (
            f"SELECT m.row, {SELECTED} FROM observations m WHERE m.row > ? AND {due} AND {where} ORDER BY m.row LIMIT ?"
        )
        with self._database.reading() as db:
            rows = OBSERVATIONS.rows(db, query, [after, graded_by(grader, version), *values, limit])
            # A damaged one is graded too: it must not hold up the ones after it.
            return sorted(((row, one) for (row,), one, _ in rows), key=lambda found: found[0])

    def grade(self, grades: Sequence[Grading], receipt: Receipt, actor: str) -> int:
        with self._database.writing() as db:
            changed = sum(_grade(db, one, receipt, actor) for one in grades)
            receipts.append(db, receipt)
        return changed

    def confirm(self, ids: Sequence[ObservationId], receipt: Receipt, actor: str, reason: str) -> None:
        with self._database.writing() as db:
            for id in ids:
                db.execute("UPDATE observations SET trust = ? WHERE id = ?", (Trust.TRUSTED, id))
                write_event(db, id, ("confirm", actor, reason), receipt)

    def change_states(self, changes: Sequence[StateChange], receipt: Receipt, actor: str) -> int:
        changed = 0
        with self._database.writing() as db:
            for one in changes:
                revived = receipt.at if one.restarts else None
                query = "UPDATE observations SET state = ?, revived_at = coalesce(?, revived_at) WHERE id = ? AND state = ? RETURNING 1"
                if first(db.execute(query, (one.to_state, revived, one.id, one.from_state))) is not None:
                    changed += 1
                    write_event(db, one.id, (one.operation, actor, one.reason), receipt, one)
        return changed

    def erase(
        self, ids: Sequence[ObservationId], reach: Reach, actor: str, receipt: Receipt, *, everywhere: bool = True
    ) -> int:
        erased = 0
        with self._database.writing() as db:
            for id in ids:
                within, values = reach_clause(reach)
                query = f"SELECT m.row, m.log_line, {SELECTED} FROM observations m WHERE m.id = ? AND {within}"
                if (found := next(iter([*OBSERVATIONS.rows(db, query, [id, *values])]), None)) is None:
                    continue
                (row, log_line), observation, damage = found
                _erase(db, row, log_line, observation, receipt, damaged=damage is not None, everywhere=everywhere)
                write_event(db, id, ("forget", actor, None), receipt)
                erased += 1
            if erased:
                receipts.append(db, receipt)
        return erased

    def containing(self, text: str, scope: str) -> list[Observation]:
        # The detail is JSON, in which quotation marks and line ends are escaped.
        escaped = json.dumps(text, ensure_ascii=False)[1:-1]
        query = (
            f"SELECT {SELECTED} FROM observations m WHERE m.scope = ?1 AND (instr(m.text, ?2) > 0 OR instr(m.summary, ?2) > 0 "
            "OR instr(coalesce(m.detail, ''), ?3) > 0 OR m.payload IS NOT NULL) ORDER BY m.id"
        )
        with self._database.reading() as db:
            return list(OBSERVATIONS.read(db, query, (scope, text, escaped)))

    def is_payload_shared(self, payload: str, excluding: Sequence[ObservationId]) -> bool:
        with self._database.reading() as db:
            rows = db.execute("SELECT id FROM observations WHERE payload = ?", (payload,))
            return any(id not in excluding for (id,) in rows)

    def contains(self, fragment: str, *, excluding: Sequence[ObservationId]) -> bool:
        query = "SELECT id FROM observations WHERE instr(text, ?1) > 0 OR instr(summary, ?1) > 0 OR instr(coalesce(detail, ''), ?1) > 0"
        with self._database.reading() as db:
            return any(id not in excluding for (id,) in db.execute(query, (fragment,)))


def graded_by(grader: str, version: int) -> str:
    """Return the signature of a scorer. A new version grades again what an older one graded."""
    return f"{grader}/{version}"


def from_row(row: Row) -> Observation:
    """Return the observation of a row selected as SELECTED."""
    values: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    values["synthetic"] = bool(values["synthetic"])
    values["signals"] = () if values["signals"] == "[]" else tuple(json.loads(values["signals"]))
    for name, enum in (("trust", Trust), ("label", Label), ("state", State)):
        values[name] = enum(values[name])
    return Observation(**values)


OBSERVATIONS = RecordFormat(
    "observation",
    {name: f"m.{name}" for name in COLUMNS},
    from_row=from_row,
    is_intact=lambda observation: content_digest(observation) == observation.content_hash,
    readable={
        "trust": ReadableColumn(Trust, Trust.QUARANTINED.value),
        "label": ReadableColumn(Label, Label.UNKNOWN.value),
        "state": ReadableColumn(State, State.ARCHIVED.value),
        "signals": ReadableColumn(json.loads, "[]"),
        "text": READABLE_TEXT,
    },
)


def _indexed(observation: Observation) -> tuple[str, str]:
    body = " ".join((observation.tool_name or "", observation.text, (observation.detail or "")[:MAX_INDEXED_CHARS]))
    return segment(observation.summary), segment(body)


EVENTS = RecordFormat(
    "change",
    {
        "id": "m.observation_id",
        "scope": "''",
        **{name: f"m.{name}" for name in ("seq", "operation", "actor", "reason", "receipt", "at")},
    },
    from_row=lambda row: ObservationEvent(*row[2:]),
)


def rebuild_full_text(db: Connection) -> None:
    """Index every observation again."""
    db.clear_words(TEXT)
    for (row,), observation, _ in OBSERVATIONS.rows(db, f"SELECT m.row, {SELECTED} FROM observations m ORDER BY m.row"):
        _index(db, row, observation)


def _known(db: Connection, ids: Sequence[ObservationId]) -> set[str]:
    """Return those of some ids that exist, or belonged to a forgotten record."""
    return {
        id
        for among, values in id_batches("id", ids)
        for table in ("observations", "tombstones")
        for (id,) in db.execute(f"SELECT id FROM {table} WHERE {among}", values)
    }


def _known_by_other_ids(db: Connection, observations: Sequence[Observation]) -> set[str]:
    """Return those ids whose event came from another scope, with an id from there."""
    inherited = {scope: seeds_of(db, scope).inherited for scope in {one.scope for one in observations}}
    others = [(observation_id(seed, one.key), one.id) for one in observations for seed in inherited[one.scope]]
    known = _known(db, [other for other, _ in others])
    return {id for other, id in others if other in known}


def _insert(db: Connection, observation: Observation) -> None:
    db.execute(_INSERT, to_row(observation))
    _index(db, db.last_insert_rowid(), observation)


def to_row(observation: Observation) -> list[Any]:
    """Return the values of an observation in the order of COLUMNS."""
    values = [getattr(observation, name) for name in COLUMNS]
    values[_SIGNALS] = canonical(values[_SIGNALS])
    values[_SYNTHETIC] = int(values[_SYNTHETIC])
    return values


_SIGNALS, _SYNTHETIC = COLUMNS.index("signals"), COLUMNS.index("synthetic")


def _index(db: Connection, row: int, observation: Observation) -> None:
    db.add_words(TEXT, [(row, _indexed(observation), observation.scope)])


def _grade(db: Connection, one: Grading, receipt: Receipt, actor: str) -> int:
    signed = graded_by(one.grader, one.version)
    # A grade moves a captured observation to categorized; other states stay.
    query = (
        "UPDATE observations SET importance = ?, label = ?, grader = ?, signals = ?, "
        "state = CASE state WHEN 'captured' THEN 'categorized' ELSE state END "
        "WHERE id = ? AND (importance IS NULL OR (grader IS NOT NULL AND grader <> ?)) RETURNING 1"
    )
    values = (one.score, one.label, signed, canonical(one.signals), one.id, signed)
    if first(db.execute(query, values)) is None:
        return 0
    write_event(db, ObservationId(one.id), ("grade", actor, signed), receipt)
    return 1


def erase_one(db: Connection, id: ObservationId, actor: str, receipt: Receipt) -> bool:
    """Erase an observation of any scope, leaving a tombstone; False if there is none."""
    query = f"SELECT m.row, m.log_line, {SELECTED} FROM observations m WHERE m.id = ?"
    for (row, log_line), observation, damage in [*OBSERVATIONS.rows(db, query, (id,))]:
        _erase(db, row, log_line, observation, receipt, damaged=damage is not None)
        write_event(db, id, ("forget", actor, None), receipt)
        return True
    return False


def _erase(
    db: Connection,
    row: int,
    log_line: int | None,
    observation: Observation,
    receipt: Receipt,
    *,
    damaged: bool,
    everywhere: bool = True,
) -> None:
    # Loads the stores of all that may depend on an observation.
    from satchel.adapters.sql import dependents

    dependents.erase_dependents(db, [observation.id], receipt, everywhere=everywhere)
    if not damaged:
        db.remove_words(TEXT, row, _indexed(observation))
    if log_line is not None:
        # The line repeats forgotten text. The other observations that it covers keep their own records.
        db.execute("DELETE FROM log_lines WHERE number = ?", (log_line,))
    db.execute("DELETE FROM selections WHERE record_id = ?", (observation.id,))
    db.execute("DELETE FROM observations WHERE row = ?", (row,))
    if damaged:
        # The words that were indexed are not known any more.
        rebuild_full_text(db)
    db.execute(
        "INSERT INTO tombstones (id, scope, forgotten_at, touched) VALUES (?, ?, ?, ?)",
        (observation.id, observation.scope, receipt.at, next_seq(db)),
    )


def write_event(
    db: Connection,
    id: ObservationId,
    what: tuple[str, str, str | None],
    receipt: Receipt,
    change: StateChange | None = None,
) -> None:
    """Add an event to the history of an observation."""
    states = (None, None) if change is None else (change.from_state, change.to_state)
    db.execute(
        "INSERT INTO observation_events (observation_id, operation, actor, reason, receipt, at, from_state, to_state) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (id, *what, receipt.digest, receipt.at, *states),
    )
