"""The alternative one would write by hand: plain FTS5, a NumPy matrix of all vectors, and reciprocal rank fusion."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.record import Memory
from satchel.domain.words import question_terms
from satchel.ports import FeedItem

POOL = 20
RRF_K = 60
_PER_READ = 5_000

Vectors: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PlainSearch:
    """Everything in memory but the words. Scope is its only rule; it keeps no receipt and checks nothing."""

    database: sqlite3.Connection
    ids: list[str]
    rows: dict[str, int]
    scopes: NDArray[np.str_]
    vectors: Vectors

    @classmethod
    def over(cls, ledger: Path, database: Path) -> "PlainSearch":
        """Read texts and vectors from a ledger, and index the texts in a database of its own."""
        items = _read(ledger)
        memories = [item.memory for item in items if item.memory is not None]
        vectors = np.stack([np.frombuffer(item.vector or b"", dtype=np.float32) for item in items])
        return cls(
            index_texts(memories, database),
            [memory.id for memory in memories],
            {memory.id: row for row, memory in enumerate(memories)},
            np.array([memory.scope for memory in memories]),
            vectors,
        )

    def recall(self, question: str, vector: Vectors, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the best, by word and by meaning."""
        scores: dict[int, float] = {}
        for lane in (self.nearest(vector, scope, POOL), match(self.database, question, scope, POOL)):
            for rank, row in enumerate(lane, start=1):
                scores[row] = scores.get(row, 0.0) + 1 / (RRF_K + rank)
        best = sorted(scores, key=lambda row: (-scores[row], row))[:limit]
        query = "SELECT body FROM texts WHERE rowid = ?"
        return [(self.ids[row], str(self.database.execute(query, (row,)).fetchone()[0])) for row in best]

    def nearest(self, vector: Vectors, scope: str, limit: int) -> list[int]:
        """Return the rows of the nearest vectors, exactly: every vector is compared."""
        scores = np.where(self.scopes == scope, self.vectors @ vector, -2.0)
        best = np.argpartition(-scores, limit)[:limit]
        return [int(row) for row in best[np.argsort(-scores[best])]]


def index_texts(memories: Sequence[Memory], database: Path) -> sqlite3.Connection:
    """Write texts into a plain FTS5 table and return it open."""
    connection = sqlite3.connect(database)
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (body, scope UNINDEXED, tokenize = 'porter unicode61')")
    rows = ((row, memory.text, memory.scope) for row, memory in enumerate(memories))
    connection.executemany("INSERT INTO texts (rowid, body, scope) VALUES (?, ?, ?)", rows)
    connection.commit()
    return connection


def match(connection: sqlite3.Connection, question: str, scope: str, limit: int) -> list[int]:
    """Return the rows of the best matches of a question's words."""
    query = "SELECT rowid FROM texts WHERE texts MATCH ? AND scope = ? ORDER BY rank LIMIT ?"
    return [int(row) for (row,) in connection.execute(query, (expression(question), scope, limit))]


def expression(question: str) -> str:
    """Return the FTS5 expression for a question: the same words that Satchel looks for, any of them."""
    return " OR ".join(f'"{term}"' for term in question_terms(question))


def _read(path: Path) -> list[FeedItem]:
    ledger, items = SqliteLedger(path), list[FeedItem]()
    space = ledger.vectors.space()
    assert space is not None, "a filled store has vectors"
    while more := ledger.feed.since(items[-1].seq if items else 0, space, _PER_READ):
        items += more
    ledger.close()
    return items
