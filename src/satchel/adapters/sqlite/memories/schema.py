"""The tables of history: tags, and the changes of edges."""

import apsw


def m0017_history(db: apsw.Connection) -> None:
    """Give moments a name, and remember of every change of an edge what it was before; nothing if it was not there."""
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
