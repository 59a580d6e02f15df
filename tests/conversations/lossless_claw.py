"""Creates a database like that of lossless-claw 0.15."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

SCHEMA = """
CREATE TABLE conversations (
  conversation_id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  session_key TEXT,
  active INTEGER NOT NULL DEFAULT 1,
  archived_at TEXT,
  title TEXT,
  bootstrapped_at TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE messages (
  message_id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id INTEGER NOT NULL REFERENCES conversations(conversation_id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  content TEXT NOT NULL,
  token_count INTEGER NOT NULL,
  identity_hash TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  UNIQUE (conversation_id, seq)
);
CREATE TABLE summaries (
  summary_id TEXT PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversations(conversation_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('leaf', 'condensed')),
  depth INTEGER NOT NULL DEFAULT 0,
  content TEXT NOT NULL,
  token_count INTEGER NOT NULL,
  earliest_at TEXT,
  latest_at TEXT,
  descendant_count INTEGER NOT NULL DEFAULT 0,
  descendant_token_count INTEGER NOT NULL DEFAULT 0,
  source_message_token_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  file_ids TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE summary_messages (
  summary_id TEXT NOT NULL REFERENCES summaries(summary_id) ON DELETE CASCADE,
  message_id INTEGER NOT NULL REFERENCES messages(message_id) ON DELETE RESTRICT,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (summary_id, message_id)
);
CREATE TABLE summary_parents (
  summary_id TEXT NOT NULL REFERENCES summaries(summary_id) ON DELETE CASCADE,
  parent_summary_id TEXT NOT NULL REFERENCES summaries(summary_id) ON DELETE RESTRICT,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (summary_id, parent_summary_id)
);
CREATE TABLE context_items (
  conversation_id INTEGER NOT NULL REFERENCES conversations(conversation_id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  item_type TEXT NOT NULL CHECK (item_type IN ('message', 'summary')),
  message_id INTEGER,
  summary_id TEXT,
  PRIMARY KEY (conversation_id, ordinal)
);
"""


def make_database(path: Path, messages: Sequence[tuple[str, str]], *, session_key: str | None = "agent:main") -> Path:
    """Create a database with one conversation, a leaf over all of it and a condensed summary over the leaf."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(SCHEMA)
        db.execute(
            "INSERT INTO conversations (session_id, session_key, title) VALUES ('s-1', ?, 'Work')", (session_key,)
        )
        for seq, (role, content) in enumerate(messages, 1):
            db.execute(
                "INSERT INTO messages (conversation_id, seq, role, content, token_count) VALUES (1, ?, ?, ?, 1)",
                (seq, role, content),
            )
        db.execute("INSERT INTO summaries (summary_id, conversation_id, kind, content, token_count, descendant_count) VALUES ('sum_aaaaaaaaaaaaaaaa', 1, 'leaf', 'a leaf', 1, ?)", (len(messages),))  # fmt: skip
        db.execute("INSERT INTO summaries (summary_id, conversation_id, kind, depth, content, token_count, descendant_count) VALUES ('sum_bbbbbbbbbbbbbbbb', 1, 'condensed', 1, 'the whole', 1, ?)", (len(messages),))  # fmt: skip
        db.executemany("INSERT INTO summary_messages VALUES ('sum_aaaaaaaaaaaaaaaa', ?, ?)", [(seq, seq) for seq in range(1, len(messages) + 1)])  # fmt: skip
        db.execute("INSERT INTO summary_parents VALUES ('sum_bbbbbbbbbbbbbbbb', 'sum_aaaaaaaaaaaaaaaa', 0)")
    return path
