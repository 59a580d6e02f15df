"""The tables of edges, details and packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection


def m0010_edges(db: Connection) -> None:
    """Edges, details of memories, packets, and the indexes of the candidate lists."""
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
    # One text per row, so that forgotten text can be removed from a packet.
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
    # The candidate lists. They cover everything a view checks, so that only the best records are read.
    standing = "kind, trust, state, valid_from, valid_to"
    best, live = "coalesce(importance, 0.5) DESC, updated_at DESC, id", "state NOT IN ('archived', 'retired')"
    durable = "(abstraction >= 2 OR role_scope IS NULL OR role_scope = 'global')"
    for column in ("task", "session"):
        db.execute(f"""
            CREATE INDEX shelf_{column} ON memories (scope, {column}, {best}, {standing})
            WHERE {column} IS NOT NULL AND {live}""")
    db.execute(f"CREATE INDEX shelf_durable ON memories (scope, {best}, {standing}) WHERE {live} AND {durable}")
    db.execute(f"CREATE INDEX shelf_recent ON memories (scope, updated_at DESC, id, {standing})")
