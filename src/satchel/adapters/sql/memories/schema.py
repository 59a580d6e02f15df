"""The tables of memories: records, full text, history, vectors."""

from collections.abc import Iterator

from satchel.adapters.sql.engine import Connection, Row
from satchel.adapters.sql.full_text import MEMORIES
from satchel.adapters.sql.memories.text_keys import gist_key, text_key

ROWS_PER_BATCH = 1_000
# The condition of the index of texts without a vector. SQLite uses the index only for a query that repeats part of it.
WITHOUT_VECTOR = "(embedding = 'waiting' OR embedding = 'skipped')"


def m0002_memories(db: Connection) -> None:
    """Memories and their tombstones. `touched` is the sequence number of the last change that an index copies."""
    db.execute("""
        CREATE TABLE memories (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            text TEXT NOT NULL,
            title TEXT,
            kind TEXT NOT NULL,
            scope TEXT NOT NULL,
            importance REAL,
            label TEXT NOT NULL,
            trust TEXT NOT NULL,
            source_kind TEXT NOT NULL,
            source_ref TEXT,
            language TEXT,
            session TEXT,
            task TEXT,
            role_scope TEXT,
            abstraction INTEGER NOT NULL,
            confidence REAL,
            success REAL,
            keywords TEXT NOT NULL,
            tags TEXT NOT NULL,
            media_refs TEXT NOT NULL,
            valid_from INTEGER,
            valid_to INTEGER,
            state TEXT NOT NULL,
            replaced_by TEXT,
            reason TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            content_hash TEXT NOT NULL,
            embedding TEXT NOT NULL DEFAULT 'waiting' CHECK (embedding IN ('waiting', 'made', 'skipped')),
            touched INTEGER NOT NULL
        ) STRICT""")
    db.execute("CREATE UNIQUE INDEX memories_id ON memories (id)")
    db.execute("CREATE INDEX memories_newest ON memories (scope, created_at DESC, id DESC)")
    db.execute("CREATE INDEX memories_everywhere ON memories (created_at DESC, id DESC)")
    db.execute("CREATE INDEX memories_content ON memories (scope, content_hash)")
    for column in ("kind", "label", "trust", "state", "session", "task"):
        db.execute(f"CREATE INDEX memories_{column} ON memories (scope, {column})")
    db.execute("CREATE INDEX memories_touched ON memories (touched)")
    db.execute("CREATE INDEX memories_embedding ON memories (embedding, row)")
    # Covers everything a view checks, so that a full-text match is filtered without reading the record.
    db.execute("CREATE INDEX memories_standing ON memories (row, scope, trust, state, valid_from, valid_to, kind, id)")
    # The few records that an ordinary view excludes; explanations take their examples from these.
    db.execute("""
        CREATE INDEX memories_unusual ON memories (scope, row) WHERE trust = 'quarantined'
            OR state IN ('archived', 'retired') OR valid_from IS NOT NULL OR valid_to IS NOT NULL""")
    db.execute("""
        CREATE TABLE tombstones (
            id TEXT PRIMARY KEY,
            scope TEXT NOT NULL,
            forgotten_at INTEGER NOT NULL,
            touched INTEGER NOT NULL,
            scrubbed INTEGER NOT NULL DEFAULT 0
        ) STRICT""")
    db.execute("CREATE INDEX tombstones_unscrubbed ON tombstones (id) WHERE NOT scrubbed")
    db.execute("CREATE INDEX tombstones_touched ON tombstones (touched)")


def m0003_full_text(db: Connection) -> None:
    """Full text of memories. Contentless, since the text is stored in memories already."""
    db.create_full_text(MEMORIES)


def m0004_history(db: Connection) -> None:
    """The history of memories: who changed what and why, with the receipt and the record as it was before."""
    db.execute("""
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY,
            memory_id TEXT NOT NULL,
            operation TEXT NOT NULL,
            actor TEXT NOT NULL,
            reason TEXT,
            receipt TEXT,
            at INTEGER NOT NULL,
            before TEXT
        ) STRICT""")
    db.execute("CREATE INDEX events_of_memory ON events (memory_id, seq)")


def m0005_vectors(db: Connection) -> None:
    """Vectors and their spaces. At most one space is active."""
    db.execute("""
        CREATE TABLE spaces (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            dimensions INTEGER NOT NULL,
            active INTEGER NOT NULL DEFAULT 0,
            UNIQUE (name, dimensions)
        ) STRICT""")
    db.execute("CREATE UNIQUE INDEX spaces_active ON spaces (active) WHERE active")
    db.execute("""
        CREATE TABLE vectors (
            space INTEGER NOT NULL REFERENCES spaces (id),
            row INTEGER NOT NULL REFERENCES memories (row),
            content_hash TEXT NOT NULL,
            vector BLOB,
            skipped TEXT,
            PRIMARY KEY (space, row),
            CHECK ((vector IS NULL) <> (skipped IS NULL))
        ) STRICT""")
    db.execute("CREATE INDEX vectors_row ON vectors (row)")


def m0007_equal_texts(db: Connection) -> None:
    """The key of a text's normalised form, equal whatever its case, width or white space."""
    db.execute("ALTER TABLE memories ADD COLUMN text_key BLOB")
    for batch in _batches(db, "SELECT row, text FROM memories WHERE row > ? ORDER BY row LIMIT ?"):
        db.executemany("UPDATE memories SET text_key = ? WHERE row = ?", [(text_key(text), row) for row, text in batch])
    db.execute("CREATE INDEX memories_text_key ON memories (scope, text_key)")


def m0008_alike_and_tiers(db: Connection) -> None:
    """The key of nearly equal texts, and an index that tells which tiers a scope has."""
    db.execute("ALTER TABLE memories ADD COLUMN gist_key BLOB")
    for batch in _batches(db, "SELECT row, text FROM memories WHERE row > ? ORDER BY row LIMIT ?"):
        db.executemany("UPDATE memories SET gist_key = ? WHERE row = ?", [(gist_key(text), row) for row, text in batch])
    db.execute("CREATE INDEX memories_gist_key ON memories (scope, gist_key)")
    db.execute("CREATE INDEX memories_tier ON memories (trust, label, scope)")
    db.execute("DROP INDEX memories_standing")
    columns = "row, scope, trust, label, state, valid_from, valid_to, kind, id"
    db.execute(f"CREATE INDEX memories_standing ON memories ({columns})")


def m0017_history(db: Connection) -> None:
    """Tags, and the history of edges: each event has the edge as it was before, NULL if it did not exist."""
    db.execute("""
        CREATE TABLE tags (
            name TEXT PRIMARY KEY,
            seq INTEGER NOT NULL,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            note TEXT,
            receipt TEXT NOT NULL
        ) STRICT, WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE edge_events (
            seq INTEGER NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            type TEXT NOT NULL,
            weight REAL,
            created_at INTEGER,
            PRIMARY KEY (source, target, type, seq)
        ) STRICT, WITHOUT ROWID""")
    db.execute("CREATE INDEX edge_events_seq ON edge_events (seq)")
    db.execute("CREATE INDEX edge_events_target ON edge_events (target)")


# Indexes by scope and one column. Lists and searches use the candidate-list indexes and memories_standing instead.
_UNUSED_INDEXES = ("content", "kind", "label", "state", "session", "task")


def m0018_fewer_indexes(db: Connection) -> None:
    """Drop the indexes that no query uses."""
    for name in _UNUSED_INDEXES:
        db.execute(f"DROP INDEX IF EXISTS memories_{name}")


def m0019_sessions(db: Connection) -> None:
    """An index of the memories of a session, in the order in which they were stored."""
    db.execute("CREATE INDEX memories_session ON memories (scope, session) WHERE session IS NOT NULL")


def m0023_denser_indexes(db: Connection) -> None:
    """Indexes by time that grow at their end, which fills their pages, and no scope or text state that is not needed."""
    for name in ("newest", "everywhere", "text_key", "gist_key", "embedding"):
        db.execute(f"DROP INDEX memories_{name}")
    db.execute("DROP INDEX shelf_recent")
    # In reverse for the newest first. In descending order, every insert would split the first page in halves.
    db.execute("CREATE INDEX memories_newest ON memories (scope, created_at, id)")
    db.execute("CREATE INDEX memories_everywhere ON memories (created_at, id)")
    db.execute(
        "CREATE INDEX shelf_recent ON memories (scope, updated_at, id DESC, kind, trust, state, valid_from, valid_to)"
    )
    # Few scopes have the same text.
    db.execute("CREATE INDEX memories_text_key ON memories (text_key)")
    db.execute("CREATE INDEX memories_gist_key ON memories (gist_key)")
    db.execute(f"CREATE INDEX memories_embedding ON memories (embedding, row) WHERE {WITHOUT_VECTOR}")


def _batches(db: Connection, query: str) -> Iterator[list[Row]]:
    """Yield rows in batches, in the order of their first column: a table may be larger than memory."""
    last = 0
    while batch := list[Row](db.execute(query, (last, ROWS_PER_BATCH))):
        yield batch
        last = int(batch[-1][0])
