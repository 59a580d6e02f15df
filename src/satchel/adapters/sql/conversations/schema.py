"""The tables of conversations. Messages and summaries are named as in lossless-claw, so that one reader serves both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.adapters.sql.conversations import message_passages
from satchel.adapters.sql.conversations.rows import WITHOUT_SPEAKERS
from satchel.adapters.sql.full_text import FullText, passages_text

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection

# Of earlier versions.
_MESSAGES_TEXT = FullText("messages_fts", ("content",), (1.0,), "SELECT message_id FROM messages")


def m0016_conversations(db: Connection) -> None:
    """Conversations with their messages, summaries and decisions."""
    db.execute("""
        CREATE TABLE conversations (
            conversation_id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL,
            session_key TEXT,
            active INTEGER NOT NULL DEFAULT 1,
            archived_at TEXT,
            title TEXT,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            scope TEXT NOT NULL,
            UNIQUE (scope, session_id)
        ) STRICT""")
    db.execute("""
        CREATE TABLE messages (
            message_id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id),
            seq INTEGER NOT NULL,
            role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
            content TEXT NOT NULL,
            token_count INTEGER NOT NULL,
            identity_hash TEXT NOT NULL,
            created_at TEXT NOT NULL,
            ref TEXT NOT NULL UNIQUE,
            scope TEXT NOT NULL,
            trust TEXT NOT NULL,
            erased INTEGER NOT NULL DEFAULT 0,
            UNIQUE (conversation_id, seq)
        ) STRICT""")
    db.execute("""
        CREATE TABLE summaries (
            summary_id TEXT PRIMARY KEY,
            conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id),
            kind TEXT NOT NULL CHECK (kind IN ('leaf', 'condensed')),
            depth INTEGER NOT NULL,
            content TEXT NOT NULL,
            token_count INTEGER NOT NULL,
            earliest_at TEXT NOT NULL,
            latest_at TEXT NOT NULL,
            descendant_count INTEGER NOT NULL,
            created_at TEXT NOT NULL,
            scope TEXT NOT NULL,
            trust TEXT NOT NULL,
            stale INTEGER NOT NULL DEFAULT 0
        ) STRICT""")
    db.execute("CREATE INDEX summaries_conversation ON summaries (conversation_id, earliest_at)")
    db.execute("""
        CREATE TABLE summary_messages (
            summary_id TEXT NOT NULL,
            message_id INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            PRIMARY KEY (summary_id, message_id)
        ) STRICT, WITHOUT ROWID""")
    db.execute("CREATE INDEX summary_messages_message ON summary_messages (message_id)")
    db.execute("""
        CREATE TABLE summary_parents (
            summary_id TEXT NOT NULL,
            parent_summary_id TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            PRIMARY KEY (summary_id, parent_summary_id)
        ) STRICT, WITHOUT ROWID""")
    db.execute("CREATE INDEX summary_parents_parent ON summary_parents (parent_summary_id)")
    db.execute("""
        CREATE TABLE decisions (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id),
            conversation TEXT NOT NULL,
            scope TEXT NOT NULL,
            trust TEXT NOT NULL,
            message_ref TEXT,
            at INTEGER NOT NULL,
            choice TEXT NOT NULL,
            topic TEXT NOT NULL,
            statement TEXT NOT NULL,
            rule TEXT NOT NULL,
            reverses INTEGER NOT NULL,
            replaces TEXT,
            caused_by TEXT NOT NULL
        ) STRICT""")
    db.execute("CREATE INDEX decisions_scope ON decisions (scope, at, id)")
    db.execute("CREATE INDEX decisions_message ON decisions (message_ref)")
    db.execute("""
        CREATE TABLE decision_clauses (
            decision_id TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            message_ref TEXT,
            PRIMARY KEY (decision_id, ordinal)
        ) STRICT, WITHOUT ROWID""")
    db.execute("CREATE INDEX decision_clauses_message ON decision_clauses (message_ref)")
    db.create_full_text(_MESSAGES_TEXT)


def m0020_message_passages(db: Connection) -> None:
    """Messages are searched like other evidence, by words and by meaning, so their own full text is not needed."""
    db.execute("DROP TABLE messages_fts")
    db.create_full_text(passages_text("conversations"))
    message_passages.restore(db, WITHOUT_SPEAKERS)


def m0022_speakers(db: Connection) -> None:
    """A message may name who said it."""
    db.execute("ALTER TABLE messages ADD COLUMN said_by TEXT")
