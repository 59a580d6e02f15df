"""Plain SQLite FTS5: the simplest hand-written memory. It searches by words only."""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from satchel.domain.embedding import Vector

_WORD = re.compile(r"\w+")
_CREATE = "CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (id UNINDEXED, scope UNINDEXED, body, tokenize = 'porter unicode61')"
_SEARCH = "SELECT id, body FROM texts WHERE texts MATCH ? AND scope = ? ORDER BY rank LIMIT ?"


class PlainFts5:
    """One FTS5 table, as durable as Satchel's ledger."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._database = sqlite3.connect(folder / "texts.sqlite3", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute(_CREATE)

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Add many texts in one transaction."""
        self._database.execute("BEGIN")
        self._database.executemany("INSERT INTO texts VALUES (?, ?, ?)", zip(ids, scopes, texts, strict=True))
        self._database.execute("COMMIT")

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Add one text durably."""
        self._database.execute("INSERT INTO texts VALUES (?, ?, ?)", (id, scope, text))

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the best matches of any word."""
        expression = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
        return list(self._database.execute(_SEARCH, (expression, scope, limit))) if expression else []

    def forget(self, id: str) -> None:
        """Delete one text."""
        self._database.execute("DELETE FROM texts WHERE id = ?", (id,))

    def close(self) -> None:
        """Close the file."""
        self._database.close()
