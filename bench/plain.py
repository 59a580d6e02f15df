"""The alternative one would write by hand: plain FTS5, a NumPy matrix of each scope's vectors, and rank fusion."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.words import question_terms
from satchel.ports import FeedItem

POOL = 20
RRF_K = 60
_PER_READ = 5_000
_CREATE = "CREATE VIRTUAL TABLE texts USING fts5 (body, scope UNINDEXED, tokenize = 'porter unicode61')"

Vectors: TypeAlias = NDArray[np.float32]


class Block(Struct, frozen=True):
    """The vectors of one scope, each with the row of its text."""

    rows: NDArray[np.int64]
    vectors: Vectors

    def cosines(self, vector: Vectors) -> Vectors:
        """Compare every vector."""
        return self.vectors @ vector


class PlainSearch(Struct, frozen=True):
    """Everything in memory but the words. Scope is its only rule; it keeps no receipt and checks nothing."""

    database: sqlite3.Connection
    ids: list[str]
    blocks: dict[str, Block]

    @classmethod
    def over(cls, ledger: Path, database: Path) -> "PlainSearch":
        """Read texts and vectors from a ledger, and index the texts in a database of its own."""
        connection, ids = sqlite3.connect(database), list[str]()
        connection.execute(_CREATE)
        rows, vectors = defaultdict[str, list[int]](list), defaultdict[str, bytearray](bytearray)
        for item in _read(ledger):
            if item.memory is None or item.vector is None:
                continue
            scope = item.memory.scope
            written = (len(ids), item.memory.text, scope)
            connection.execute("INSERT INTO texts (rowid, body, scope) VALUES (?, ?, ?)", written)
            rows[scope].append(len(ids))
            vectors[scope] += item.vector.tobytes()
            ids.append(item.id)
        connection.commit()
        return cls(connection, ids, {scope: _block(rows[scope], vectors[scope]) for scope in rows})

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
        """Return the rows of the nearest vectors, exactly: every vector of the scope is compared."""
        block = self.blocks[scope]
        cosines = block.cosines(vector)
        best = np.argpartition(-cosines, limit)[:limit]
        return [int(row) for row in block.rows[best[np.argsort(-cosines[best])]]]


def match(connection: sqlite3.Connection, question: str, scope: str, limit: int) -> list[int]:
    """Return the rows of the best matches of a question's words."""
    query = "SELECT rowid FROM texts WHERE texts MATCH ? AND scope = ? ORDER BY rank LIMIT ?"
    return [int(row) for (row,) in connection.execute(query, (expression(question), scope, limit))]


def expression(question: str) -> str:
    """Return the FTS5 expression for a question: the same words that Satchel looks for, any of them."""
    return " OR ".join(f'"{term}"' for term in question_terms(question))


def _block(rows: list[int], vectors: bytearray) -> Block:
    return Block(np.array(rows), np.frombuffer(vectors, dtype=np.float32).reshape(len(rows), -1))


def _read(path: Path) -> Iterator[FeedItem]:
    ledger, last = SqliteLedger(path), 0
    space = ledger.vectors.space()
    assert space is not None, "a filled store has vectors"
    while items := ledger.feed.since(last, space, _PER_READ):
        yield from items
        last = items[-1].seq
    ledger.close()
