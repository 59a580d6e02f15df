"""What is indexed of a memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql import full_text
from satchel.adapters.sql.full_text import MEMORIES as TEXT
from satchel.adapters.sql.full_text import FullText
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED
from satchel.domain.words import segment

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection
    from satchel.domain.record import Memory

# Texts that are indexed together: a large store does not fit into memory.
ROWS_PER_BATCH = 1_000


def count_trusted(db: Connection, terms: Sequence[str]) -> dict[str, int]:
    """Return how many trusted memories match each term, among the first MAX_COUNTED matches."""
    query = f"""
        SELECT count(*) FROM (SELECT row FROM {db.matches(TEXT)} AS found LIMIT {full_text.MAX_COUNTED}) AS matching
        CROSS JOIN memories m INDEXED BY memories_standing ON m.row = matching.row WHERE m.trust = 'trusted'"""
    return {term: int(db.execute(query, (db.match_value([term]),)).get) for term in terms}


def add(db: Connection, row: int, memory: Memory, text: FullText = TEXT) -> None:
    """Index a memory."""
    add_all(db, [(row, memory)], text)


def add_all(db: Connection, memories: Iterable[tuple[int, Memory]], text: FullText = TEXT) -> None:
    """Index memories, each with its row."""
    db.add_words(text, ((row, _indexed(memory), memory.scope) for row, memory in memories))


def remove(db: Connection, row: int, memory: Memory) -> None:
    """Remove a memory from the index."""
    db.remove_words(TEXT, row, _indexed(memory))


def is_reworded(db: Connection, memory: Memory, before: Memory) -> bool:
    """Return whether two versions of a memory have different entries in the index."""
    if db.indexes_scopes and memory.scope != before.scope:
        return True
    return _words_of(memory) != _words_of(before)


def rebuild_full_text(db: Connection) -> None:
    """Index every memory again."""
    db.clear_words(TEXT)
    query, last = f"SELECT m.row, {SELECTED} FROM memories m WHERE m.row > ? ORDER BY m.row LIMIT {ROWS_PER_BATCH}", -1
    while batch := [(row, memory) for (row,), memory, _ in MEMORIES.rows(db, query, (last,))]:
        add_all(db, batch)
        last = max(row for row, _ in batch)


def _indexed(memory: Memory) -> tuple[str, str, str]:
    return segment(memory.title or ""), segment(memory.text), segment(" ".join(memory.tags + memory.keywords))


def _words_of(memory: Memory) -> tuple[str | None, str, tuple[str, ...], tuple[str, ...]]:
    return memory.title, memory.text, memory.tags, memory.keywords
