"""The full text of the ledger: what is indexed of a record, and how a question becomes a safe match expression."""

from collections.abc import Sequence

import apsw

from satchel.adapters.sqlite.memories.rows import SELECTED, from_row
from satchel.domain.record import Memory
from satchel.domain.words import segmented

# A word in the title says more about a memory than one in its text.
BM25 = "bm25(memories_text, 2.0, 1.0, 1.0)"
# A word in more records than this is common, however many more there are.
MOST_COUNTED = 20_000


def match_expression(terms: Sequence[str]) -> str:
    """Return an FTS5 expression that finds any of the terms. Every term is quoted: no user text is syntax."""
    return " OR ".join('"' + term.replace("\0", " ").replace('"', '""') + '"' for term in terms)


def counted(db: apsw.Connection, table: str, terms: Sequence[str]) -> dict[str, int]:
    """Return in how many rows of a full text each term stands, as far as that matters."""
    query = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"
    return {term: int(db.execute(query, (match_expression([term]), MOST_COUNTED)).get) for term in terms}


def add(db: apsw.Connection, row: int, memory: Memory, table: str = "memories_text") -> None:
    """Index a record."""
    db.execute(f"INSERT INTO {table} (rowid, title, body, labels) VALUES (?, ?, ?, ?)", (row, *_indexed(memory)))


def remove(db: apsw.Connection, row: int, memory: Memory) -> None:
    """Take a record out of the index. FTS5 needs the very words it was given."""
    db.execute(
        "INSERT INTO memories_text (memories_text, rowid, title, body, labels) VALUES ('delete', ?, ?, ?, ?)",
        (row, *_indexed(memory)),
    )


def words_of(memory: Memory) -> tuple[str | None, str, tuple[str, ...], tuple[str, ...]]:
    """Return what a record is indexed by: where it is the same, so is the index."""
    return memory.title, memory.text, memory.tags, memory.keywords


def rebuild(db: apsw.Connection) -> None:
    """Index every record anew."""
    db.execute("INSERT INTO memories_text (memories_text) VALUES ('delete-all')")
    for row, *columns in db.execute(f"SELECT m.row, {SELECTED} FROM memories m ORDER BY m.row"):
        add(db, row, from_row(tuple(columns)))


def _indexed(memory: Memory) -> tuple[str, str, str]:
    return segmented(memory.title or ""), segmented(memory.text), segmented(" ".join(memory.tags + memory.keywords))
