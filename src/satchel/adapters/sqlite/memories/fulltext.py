"""Full-text indexes of the ledger: what is indexed of a memory, safe match expressions, and integrity checks."""

from collections.abc import Iterable, Sequence

import apsw

from satchel.adapters.sqlite.memories.rows import MEMORIES, SELECTED
from satchel.domain.record import Memory
from satchel.domain.words import segment

# A word in the title says more about a memory than one in its text.
BM25 = "bm25(memories_text, 2.0, 1.0, 1.0)"
# Matches of a term are counted up to this number; a term with more is simply common.
MAX_COUNTED = 20_000


def match_expression(terms: Sequence[str]) -> str:
    """Return an FTS5 expression that finds any of the terms. Every term is quoted, so that no user text is syntax."""
    return " OR ".join('"' + term.replace("\0", " ").replace('"', '""') + '"' for term in terms)


def count_matches(db: apsw.Connection, table: str, terms: Sequence[str]) -> dict[str, int]:
    """Return how many rows of a full-text table match each term, up to MAX_COUNTED."""
    query = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"
    return {term: int(db.execute(query, (match_expression([term]), MAX_COUNTED)).get) for term in terms}


def count_trusted(db: apsw.Connection, terms: Sequence[str]) -> dict[str, int]:
    """Return how many trusted memories match each term, among the first MAX_COUNTED matches."""
    query = """
        SELECT count(*) FROM (SELECT rowid AS row FROM memories_text WHERE memories_text MATCH ? LIMIT ?) AS matching
        CROSS JOIN memories m INDEXED BY memories_standing ON m.row = matching.row WHERE m.trust = 'trusted'"""
    return {term: int(db.execute(query, (match_expression([term]), MAX_COUNTED)).get) for term in terms}


def count_mismatches(db: apsw.Connection, table: str, rows: str) -> int:
    """Count the rows of a query that a full-text table lacks, and those that it has in excess."""
    db.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
    return count_missing(db, table, rows)


def count_missing(db: apsw.Connection, table: str, rows: str) -> int:
    """Count those rows without checking the words of the others, which a read-only connection cannot."""
    indexed = f"SELECT id FROM {table}_docsize"
    query = (
        f"SELECT (SELECT count(*) FROM ({rows} EXCEPT {indexed})) + (SELECT count(*) FROM ({indexed} EXCEPT {rows}))"
    )
    return int(db.execute(query).get)


def clear(db: apsw.Connection, table: str) -> None:
    """Empty a full-text table."""
    db.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")


def add(db: apsw.Connection, row: int, memory: Memory, table: str = "memories_text") -> None:
    """Index a memory."""
    add_all(db, [(row, memory)], table)


def add_all(db: apsw.Connection, memories: Iterable[tuple[int, Memory]], table: str = "memories_text") -> None:
    """Index memories, each with its row."""
    db.executemany(
        f"INSERT INTO {table} (rowid, title, body, labels) VALUES (?, ?, ?, ?)",
        ((row, *_indexed(memory)) for row, memory in memories),
    )


def remove(db: apsw.Connection, row: int, memory: Memory) -> None:
    """Remove a memory from the index. FTS5 needs exactly the text that was indexed."""
    db.execute(
        "INSERT INTO memories_text (memories_text, rowid, title, body, labels) VALUES ('delete', ?, ?, ?, ?)",
        (row, *_indexed(memory)),
    )


def words_of(memory: Memory) -> tuple[str | None, str, tuple[str, ...], tuple[str, ...]]:
    """Return the fields that are indexed; if they are equal, so are the index entries."""
    return memory.title, memory.text, memory.tags, memory.keywords


def rebuild_full_text(db: apsw.Connection) -> None:
    """Index every memory again."""
    clear(db, "memories_text")
    for (row,), memory, _ in MEMORIES.rows(db, f"SELECT m.row, {SELECTED} FROM memories m ORDER BY m.row"):
        add(db, row, memory)


def _indexed(memory: Memory) -> tuple[str, str, str]:
    return segment(memory.title or ""), segment(memory.text), segment(" ".join(memory.tags + memory.keywords))
