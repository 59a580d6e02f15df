"""The tables of passages: full text by lane, parts, and the vectors of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.adapters.sql.full_text import passages_text

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection

LANES = ("episodes", "documents")


def m0012_passages(db: Connection) -> None:
    """Passages, with their own change sequence, so that the index of memories does not follow them."""
    db.execute("CREATE TABLE passage_sequence (value INTEGER NOT NULL) STRICT")
    db.execute("INSERT INTO passage_sequence VALUES (0)")
    db.execute("""
        CREATE TABLE passages (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            lane TEXT NOT NULL,
            scope TEXT NOT NULL,
            "group" TEXT NOT NULL,
            position INTEGER NOT NULL,
            text TEXT NOT NULL,
            own TEXT NOT NULL,
            about TEXT NOT NULL,
            meaning TEXT NOT NULL,
            trust TEXT NOT NULL,
            kind TEXT NOT NULL,
            speaker TEXT,
            at INTEGER,
            added_at INTEGER NOT NULL,
            ref TEXT,
            detail TEXT,
            content_hash TEXT NOT NULL,
            words INTEGER NOT NULL,
            touched INTEGER NOT NULL
        ) STRICT""")
    db.execute("CREATE UNIQUE INDEX passages_id ON passages (id)")
    db.execute("""CREATE INDEX passages_order ON passages (lane, scope, "group", position, trust, words, id)""")
    db.execute("CREATE INDEX passages_newest ON passages (lane, scope, coalesce(at, 0) DESC, id DESC)")
    db.execute("CREATE INDEX passages_speaker ON passages (lane, scope, speaker)")
    db.execute("CREATE INDEX passages_age ON passages (lane, kind, added_at)")
    db.execute("CREATE INDEX passages_touched ON passages (touched)")
    # Covers everything a view checks, so that a full-text match is filtered without reading the passage.
    db.execute("""CREATE INDEX passages_standing ON passages (row, lane, scope, trust, kind, at, "group", id)""")
    for lane in LANES:
        db.create_full_text(passages_text(lane))
    # A part is the slice of a passage that one vector is made of.
    db.execute("""
        CREATE TABLE passage_parts (
            row INTEGER PRIMARY KEY,
            passage INTEGER NOT NULL REFERENCES passages (row),
            part INTEGER NOT NULL,
            start INTEGER NOT NULL,
            length INTEGER NOT NULL,
            content_hash TEXT NOT NULL,
            embedding TEXT NOT NULL DEFAULT 'waiting' CHECK (embedding IN ('waiting', 'made', 'skipped'))
        ) STRICT""")
    db.execute("CREATE UNIQUE INDEX passage_parts_place ON passage_parts (passage, part)")
    db.execute("CREATE INDEX passage_parts_embedding ON passage_parts (embedding, row)")
    db.execute("""
        CREATE TABLE passage_vectors (
            space INTEGER NOT NULL REFERENCES spaces (id),
            part INTEGER NOT NULL REFERENCES passage_parts (row),
            content_hash TEXT NOT NULL,
            vector BLOB,
            skipped TEXT,
            PRIMARY KEY (space, part),
            CHECK ((vector IS NULL) <> (skipped IS NULL))
        ) STRICT""")
    db.execute("CREATE INDEX passage_vectors_part ON passage_vectors (part)")
    db.execute("""
        CREATE TABLE passage_tombstones (
            id TEXT PRIMARY KEY,
            lane TEXT NOT NULL,
            scope TEXT NOT NULL,
            forgotten INTEGER NOT NULL,
            touched INTEGER NOT NULL,
            scrubbed INTEGER NOT NULL DEFAULT 0
        ) STRICT""")
    db.execute("CREATE INDEX passage_tombstones_touched ON passage_tombstones (touched)")
    db.execute("CREATE INDEX passage_tombstones_unscrubbed ON passage_tombstones (id) WHERE NOT scrubbed")
