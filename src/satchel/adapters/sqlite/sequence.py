"""The store's one sequence."""

import apsw


def next_seq(db: apsw.Connection) -> int:
    """Take the next number of the store's one sequence."""
    # Of one row by its number, and without RETURNING: else SQLite begins a statement that could be undone, for which
    # FTS5 writes out whatever it has gathered, once for every record instead of once in a while.
    db.execute("UPDATE sequence SET value = value + 1 WHERE rowid = 1")
    return int(db.execute("SELECT value FROM sequence").get)
