"""What the ledger does without: indexes that no query asks for, each of which every store paid for."""

import apsw

# By scope and one word of a record. What lists and searches need of them stands in the shelves and in memories_standing.
UNASKED = ("content", "kind", "label", "state", "session", "task")


def m0018_fewer_indexes(db: apsw.Connection) -> None:
    """Drop the indexes that nothing is looked up by."""
    for name in UNASKED:
        db.execute(f"DROP INDEX IF EXISTS memories_{name}")
