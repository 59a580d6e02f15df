"""The tables of observations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.adapters.sql.full_text import OBSERVATIONS

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection


def m0011_observations(db: Connection) -> None:
    """Observations, spool positions, selections, grades and the observational log."""
    db.execute("""
        CREATE TABLE observations (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            key TEXT NOT NULL,
            scope TEXT NOT NULL,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            captured_at INTEGER NOT NULL,
            summary TEXT NOT NULL,
            text TEXT NOT NULL,
            detail TEXT,
            tool_name TEXT,
            tool_call_id TEXT,
            session TEXT,
            agent TEXT,
            synthetic INTEGER NOT NULL,
            language TEXT,
            trust TEXT NOT NULL,
            importance REAL,
            label TEXT NOT NULL,
            grader TEXT,
            signals TEXT NOT NULL,
            state TEXT NOT NULL,
            payload TEXT,
            payload_bytes INTEGER NOT NULL,
            source TEXT NOT NULL,
            offset INTEGER NOT NULL,
            revived_at INTEGER,
            content_hash TEXT NOT NULL,
            log_line INTEGER
        ) STRICT""")
    db.execute("CREATE UNIQUE INDEX observations_id ON observations (id)")
    db.execute("CREATE INDEX observations_timeline ON observations (scope, at, id)")
    db.execute("CREATE INDEX observations_session ON observations (scope, session)")
    db.execute("CREATE INDEX observations_label ON observations (scope, label, state)")
    db.execute("CREATE INDEX observations_payload ON observations (payload) WHERE payload IS NOT NULL")
    db.execute("CREATE INDEX observations_unlogged ON observations (scope, row) WHERE log_line IS NULL")
    # Covers everything a view checks, so that a full-text match is filtered without reading the record.
    db.execute("CREATE INDEX observations_standing ON observations (row, scope, trust, state, id)")
    db.create_full_text(OBSERVATIONS)
    db.execute("""
        CREATE TABLE observation_events (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            observation_id TEXT NOT NULL,
            operation TEXT NOT NULL,
            actor TEXT NOT NULL,
            reason TEXT,
            receipt TEXT NOT NULL,
            at INTEGER NOT NULL,
            from_state TEXT,
            to_state TEXT
        ) STRICT""")
    db.execute("CREATE INDEX observation_events_of ON observation_events (observation_id, seq)")
    db.execute("""
        CREATE TABLE spool_cursors (
            source TEXT PRIMARY KEY,
            position INTEGER NOT NULL,
            head TEXT NOT NULL
        ) STRICT""")
    # Apart from recall counts: only selection into a final bundle keeps a record from aging.
    db.execute("""
        CREATE TABLE selections (
            record_id TEXT PRIMARY KEY,
            selected INTEGER NOT NULL,
            last_used_at INTEGER NOT NULL
        ) STRICT""")
    db.execute("""
        CREATE TABLE grades (
            memory_id TEXT PRIMARY KEY,
            grader TEXT NOT NULL,
            version INTEGER NOT NULL,
            score REAL NOT NULL,
            label TEXT NOT NULL,
            signals TEXT NOT NULL,
            graded_at INTEGER NOT NULL
        ) STRICT""")
    db.execute("""
        CREATE TABLE log_lines (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            scope TEXT NOT NULL,
            at INTEGER NOT NULL,
            level TEXT NOT NULL,
            text TEXT NOT NULL
        ) STRICT""")
    db.execute("CREATE INDEX log_lines_scope ON log_lines (scope, number)")
    # The days with any activity, against which a wrong clock is checked.
    db.execute("CREATE INDEX receipts_day ON receipts (at / 86400000)")
