"""The table of tags."""

import apsw


def m0017_tags(db: apsw.Connection) -> None:
    """Give moments of the history a name."""
    db.execute("""
        CREATE TABLE tags (
            name TEXT PRIMARY KEY,
            seq INTEGER NOT NULL,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            note TEXT,
            receipt TEXT NOT NULL
        ) STRICT, WITHOUT ROWID""")
