"""The tables of moves between scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection


def m0021_scope_moves(db: Connection) -> None:
    """Moves between scopes with what each moved, the seeds of scopes, and where the ids of a conversation come from."""
    db.execute("""
        CREATE TABLE scope_moves (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            tag TEXT NOT NULL,
            at INTEGER NOT NULL,
            taken_back INTEGER NOT NULL DEFAULT 0
        ) STRICT""")
    db.execute("CREATE INDEX scope_moves_tag ON scope_moves (tag)")
    db.execute("""
        CREATE TABLE moved_records (
            move INTEGER NOT NULL REFERENCES scope_moves (number),
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            PRIMARY KEY (move, kind, key)
        ) STRICT, WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE scope_seeds (
            scope TEXT NOT NULL,
            seed TEXT NOT NULL,
            own INTEGER NOT NULL,
            PRIMARY KEY (scope, seed)
        ) STRICT, WITHOUT ROWID""")
    # NULL: from its scope and name.
    db.execute("ALTER TABLE conversations ADD COLUMN seed TEXT")
    db.execute("ALTER TABLE conversations ADD COLUMN seed_name TEXT")
