"""LangGraph's SqliteStore, the memory of an agent framework, with the same vectors."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satchel.domain.embedding import Vector

_BATCH = 1_000


class LangGraphStore:
    """One store on disk. A scope becomes a namespace."""

    def __init__(self, folder: Path) -> None:
        from langgraph.store.sqlite import SqliteStore

        self.folder = folder
        self._namespaces: dict[str, tuple[str, ...]] = {}
        # It calls an embedding function; ours returns the vectors that were made beforehand.
        self._vectors: dict[str, Vector] = {}
        self._database = sqlite3.connect(folder / "store.sqlite3", isolation_level=None, check_same_thread=False)
        self._store: Any = SqliteStore(self._database, index={"dims": 384, "embed": self._embedded, "fields": ["text"]})
        self._store.setup()

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Add many texts in batches."""
        from langgraph.store.base import PutOp

        rows = list(zip(ids, texts, scopes, vectors, strict=True))
        for start in range(0, len(rows), _BATCH):
            self._vectors = {text: vector for _, text, _, vector in rows[start : start + _BATCH] if vector is not None}
            self._store.batch(
                [PutOp(_namespace(scope), id, {"text": text}) for id, text, scope, _ in rows[start : start + _BATCH]]
            )
            self._namespaces |= {id: _namespace(scope) for id, _, scope, _ in rows[start : start + _BATCH]}

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Add one text."""
        self.fill([id], [text], [scope], [vector])

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return key and text of the nearest."""
        self._vectors = {question: vector} if vector is not None else {}
        return [
            (one.key, one.value["text"]) for one in self._store.search(_namespace(scope), query=question, limit=limit)
        ]

    def forget(self, id: str) -> None:
        """Delete one text."""
        self._store.delete(self._namespaces[id], id)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _embedded(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vectors[text].tolist() for text in texts]


def _namespace(scope: str) -> tuple[str, ...]:
    # Labels of a namespace may not contain a dot.
    return tuple(scope.replace(".", "_").split("/"))
