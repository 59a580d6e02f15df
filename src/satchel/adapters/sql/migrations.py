"""The schema as numbered migrations; a ledger runs those that it has not run yet, in one transaction."""

from collections.abc import Callable, Sequence

from satchel.adapters.sql.attention.schema import m0010_edges
from satchel.adapters.sql.conversations.schema import m0016_conversations, m0020_message_passages, m0022_speakers
from satchel.adapters.sql.documents.schema import m0013_documents
from satchel.adapters.sql.engine import Connection, Database
from satchel.adapters.sql.facts.schema import m0015_facts
from satchel.adapters.sql.graph.schema import m0014_graph
from satchel.adapters.sql.memories.schema import (
    m0002_memories,
    m0003_full_text,
    m0004_history,
    m0005_vectors,
    m0007_equal_texts,
    m0008_alike_and_tiers,
    m0017_history,
    m0018_fewer_indexes,
    m0019_sessions,
    m0023_denser_indexes,
)
from satchel.adapters.sql.moves.schema import m0021_scope_moves
from satchel.adapters.sql.observations.schema import m0011_observations
from satchel.adapters.sql.passages.schema import m0012_passages

Migration = Callable[[Connection], None]


def m0001_sequence(db: Connection) -> None:
    """One counter numbers every change of the store, so that changes have an order across tables."""
    db.execute("CREATE TABLE sequence (value INTEGER NOT NULL) STRICT")
    db.execute("INSERT INTO sequence VALUES (0)")


def m0006_receipts_and_use(db: Connection) -> None:
    """The receipt chain, and use counts apart from the records, so that reading changes no record."""
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
    # The head is stored apart, so that removing the newest receipts is detected too.
    db.execute("CREATE TABLE receipt_head (receipts INTEGER NOT NULL, link TEXT NOT NULL) STRICT")
    db.execute("""
        CREATE TABLE use (
            memory_id TEXT PRIMARY KEY,
            recalled INTEGER NOT NULL,
            last_recalled_at INTEGER NOT NULL
        ) STRICT""")


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
    m0019_sessions,
    m0020_message_passages,
    m0021_scope_moves,
    m0022_speakers,
    m0023_denser_indexes,
)


def run_migrations(database: Database, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Run the migrations that a ledger has not run yet."""
    with database.writing() as db:
        # Another process may have migrated while this one waited for its turn.
        version = db.schema_version()
        for migration in migrations[version:]:
            migration(db)
        db.set_schema_version(max(version, len(migrations)))
