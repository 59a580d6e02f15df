"""The tables of temporal facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.adapters.sql.full_text import FACTS

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection


def m0015_facts(db: Connection) -> None:
    """Assertions as events, and the facts derived from them, which can be rebuilt."""
    db.execute("""
        CREATE TABLE fact_events (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            scope TEXT NOT NULL,
            subject TEXT NOT NULL,
            fact_id TEXT NOT NULL,
            deed TEXT NOT NULL,
            assertion TEXT,
            closes TEXT NOT NULL,
            moment INTEGER,
            reason TEXT,
            learned_at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            receipt TEXT NOT NULL
        ) STRICT""")
    db.execute("CREATE INDEX fact_events_subject ON fact_events (scope, subject, seq)")
    db.execute("CREATE INDEX fact_events_fact ON fact_events (fact_id, seq)")
    db.execute("""
        CREATE TABLE facts (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            scope TEXT NOT NULL,
            subject TEXT NOT NULL,
            predicate TEXT NOT NULL,
            trust TEXT NOT NULL,
            valid_from INTEGER NOT NULL,
            valid_to INTEGER,
            stored_status TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            assertion TEXT NOT NULL,
            supersedes TEXT NOT NULL,
            superseded_by TEXT NOT NULL
        ) STRICT""")
    db.execute("CREATE INDEX facts_subject ON facts (scope, subject, predicate, valid_from)")
    db.execute("""
        CREATE TABLE fact_sources (
            fact_id TEXT NOT NULL,
            place INTEGER NOT NULL,
            kind TEXT NOT NULL,
            ref TEXT NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (fact_id, place)
        ) STRICT, WITHOUT ROWID""")
    db.execute("CREATE INDEX fact_sources_ref ON fact_sources (ref)")
    db.create_full_text(FACTS)
