"""The schema as a list of small steps; a ledger runs those it has not seen, each with its number, as one."""

from collections.abc import Callable, Iterator, Sequence

import apsw

from satchel.adapters.sqlite.conversations.schema import m0016_conversations
from satchel.adapters.sqlite.database import APPLICATION_ID, Database, Row, newer_store
from satchel.adapters.sqlite.documents.schema import m0013_documents
from satchel.adapters.sqlite.facts.schema import m0015_facts
from satchel.adapters.sqlite.graph.schema import m0014_graph
from satchel.adapters.sqlite.memories.schema import m0017_history
from satchel.adapters.sqlite.memories.text_keys import gist_key, text_key
from satchel.adapters.sqlite.passages.schema import m0012_passages
from satchel.adapters.sqlite.schema_lean import m0018_fewer_indexes

Migration = Callable[[apsw.Connection], None]
ROWS_PER_BATCH = 1_000


def m0001_sequence(db: apsw.Connection) -> None:
    """Number every change of the store: one counter, so that an order exists across all tables."""
    db.execute("CREATE TABLE sequence (value INTEGER NOT NULL) STRICT")
    db.execute("INSERT INTO sequence VALUES (0)")


def m0002_memories(db: apsw.Connection) -> None:
    """Keep the records. `touched` is the sequence number that last changed anything an index copies."""
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
    # A full-text match is checked against these columns without reading the record itself.
    db.execute("CREATE INDEX memories_standing ON memories (row, scope, trust, state, valid_from, valid_to, kind, id)")
    # Few records are kept out of an ordinary view; an explanation looks for its examples among these alone.
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


def m0003_full_text(db: apsw.Connection) -> None:
    """Find records by their words. Contentless, since the text stands in memories already."""
    db.execute("""
        CREATE VIRTUAL TABLE memories_text USING fts5 (
            title, body, labels, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
        )""")
    # Without this a deleted word stays in the full-text pages until they happen to be merged.
    db.execute("INSERT INTO memories_text (memories_text, rank) VALUES ('secure-delete', 1)")


def m0004_history(db: apsw.Connection) -> None:
    """Remember every change: who, what, why, by which receipt, and the record as it was before."""
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


def m0005_vectors(db: apsw.Connection) -> None:
    """Keep vectors with the space they belong to; one space at most is the store's own."""
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


def m0006_receipts_and_use(db: apsw.Connection) -> None:
    """Keep receipts in a chain; count use apart from the records, so that reading changes none of them."""
    db.execute("""
        CREATE TABLE receipts (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            digest TEXT NOT NULL,
            operation TEXT NOT NULL,
            at INTEGER NOT NULL,
            duration_ms REAL NOT NULL,
            body TEXT NOT NULL,
            link TEXT NOT NULL
        ) STRICT""")
    db.execute("CREATE INDEX receipts_digest ON receipts (digest)")
    db.execute("CREATE INDEX receipts_link ON receipts (link)")
    db.execute("CREATE INDEX receipts_operation ON receipts (operation, seq)")
    # The head of the chain stands apart, so that cutting off the newest receipts shows too.
    db.execute("CREATE TABLE receipt_head (receipts INTEGER NOT NULL, link TEXT NOT NULL) STRICT")
    db.execute("""
        CREATE TABLE use (
            memory_id TEXT PRIMARY KEY,
            recalled INTEGER NOT NULL,
            last_recalled_at INTEGER NOT NULL
        ) STRICT""")


def m0007_equal_texts(db: apsw.Connection) -> None:
    """Find a text again whatever its case, width or white space: by the key of its normalised form."""
    db.execute("ALTER TABLE memories ADD COLUMN text_key BLOB")
    for batch in _batches(db, "SELECT row, text FROM memories WHERE row > ? ORDER BY row LIMIT ?"):
        db.executemany("UPDATE memories SET text_key = ? WHERE row = ?", [(text_key(text), row) for row, text in batch])
    db.execute("CREATE INDEX memories_text_key ON memories (scope, text_key)")


def m0008_alike_and_tiers(db: apsw.Connection) -> None:
    """Find a text again in nearly the same words; and tell without counting which tiers a scope has."""
    db.execute("ALTER TABLE memories ADD COLUMN gist_key BLOB")
    for batch in _batches(db, "SELECT row, text FROM memories WHERE row > ? ORDER BY row LIMIT ?"):
        db.executemany("UPDATE memories SET gist_key = ? WHERE row = ?", [(gist_key(text), row) for row, text in batch])
    db.execute("CREATE INDEX memories_gist_key ON memories (scope, gist_key)")
    db.execute("CREATE INDEX memories_tier ON memories (trust, label, scope)")
    db.execute("DROP INDEX memories_standing")
    columns = "row, scope, trust, label, state, valid_from, valid_to, kind, id"
    db.execute(f"CREATE INDEX memories_standing ON memories ({columns})")


def m0010_edges(db: apsw.Connection) -> None:
    """Relate memories to each other, let them carry details, keep the packets made of them, and shelve them."""
    db.execute("""
        CREATE TABLE edges (
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            type TEXT NOT NULL,
            weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
            created_at INTEGER NOT NULL,
            PRIMARY KEY (source, target, type)
        ) STRICT, WITHOUT ROWID""")
    db.execute("CREATE INDEX edges_target ON edges (target, type, weight DESC, source, created_at)")
    db.execute("""
        CREATE TABLE details (
            memory_id TEXT PRIMARY KEY,
            data TEXT NOT NULL,
            source_refs TEXT NOT NULL,
            recency INTEGER
        ) STRICT""")
    db.execute("""
        CREATE TABLE packets (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            scope TEXT NOT NULL,
            session TEXT,
            task TEXT,
            step_role TEXT NOT NULL,
            goal TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT""")
    db.execute("CREATE UNIQUE INDEX packets_id ON packets (id)")
    # One text to a row: what is forgotten can be taken out of a packet without reading the rest of it.
    db.execute("""
        CREATE TABLE packet_items (
            row INTEGER PRIMARY KEY,
            packet INTEGER NOT NULL REFERENCES packets (row),
            slot TEXT NOT NULL,
            text TEXT NOT NULL,
            memory_id TEXT
        ) STRICT""")
    db.execute("CREATE INDEX packet_items_packet ON packet_items (packet)")
    db.execute("CREATE INDEX packet_items_memory ON packet_items (memory_id)")
    # The shelves. Whatever a view asks of a record stands in them too, so that only the best are read whole.
    standing = "kind, trust, state, valid_from, valid_to"
    best, live = "coalesce(importance, 0.5) DESC, updated_at DESC, id", "state NOT IN ('archived', 'retired')"
    durable = "(abstraction >= 2 OR role_scope IS NULL OR role_scope = 'global')"
    for column in ("task", "session"):
        db.execute(f"""
            CREATE INDEX shelf_{column} ON memories (scope, {column}, {best}, {standing})
            WHERE {column} IS NOT NULL AND {live}""")
    db.execute(f"CREATE INDEX shelf_durable ON memories (scope, {best}, {standing}) WHERE {live} AND {durable}")
    db.execute(f"CREATE INDEX shelf_recent ON memories (scope, updated_at DESC, id, {standing})")


def m0011_observations(db: apsw.Connection) -> None:
    """Keep captured events, how far the spool was read, use that counts, grades, and the log over it all."""
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
    # A full-text match is checked against these columns without reading the record itself.
    db.execute("CREATE INDEX observations_standing ON observations (row, scope, trust, state, id)")
    db.execute("""
        CREATE VIRTUAL TABLE observations_text USING fts5 (
            summary, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
        )""")
    db.execute("INSERT INTO observations_text (observations_text, rank) VALUES ('secure-delete', 1)")
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
    # Apart from the counts of recalls: only being selected into a final bundle keeps a record from growing old.
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
    # Which days anything happened on: what a doubtful clock is held against.
    db.execute("CREATE INDEX receipts_day ON receipts (at / 86400000)")


def _batches(db: apsw.Connection, query: str) -> Iterator[list[Row]]:
    """Yield rows a batch at a time, by the number that stands first in each: a table may be larger than memory."""
    last = 0
    while batch := list[Row](db.execute(query, (last, ROWS_PER_BATCH))):
        yield batch
        last = int(batch[-1][0])


MIGRATIONS: tuple[Migration, ...] = (
    m0001_sequence,
    m0002_memories,
    m0003_full_text,
    m0004_history,
    m0005_vectors,
    m0006_receipts_and_use,
    m0007_equal_texts,
    m0008_alike_and_tiers,
    m0010_edges,
    m0011_observations,
    m0012_passages,
    m0013_documents,
    m0014_graph,
    m0015_facts,
    m0016_conversations,
    m0017_history,
    m0018_fewer_indexes,
)


def migrate(database: Database, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a ledger up to date. A newer one is refused untouched."""
    with database.reading() as db:
        version = db.execute("PRAGMA user_version").get
    if version > len(migrations):
        raise newer_store(database.path, version, len(migrations))
    if version == len(migrations):
        return
    with database.writing() as db:
        # Another process may have migrated while this one waited for its turn.
        version = db.execute("PRAGMA user_version").get
        for migration in migrations[version:]:
            migration(db)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {max(version, len(migrations))}")
