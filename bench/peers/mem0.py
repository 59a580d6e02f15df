"""mem0 with the same vectors and its local store, without extraction by a language model."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satchel.domain.embedding import Vector


class Mem0:
    """One memory on disk. A scope becomes a user. Its local store allows one process."""

    def __init__(self, folder: Path) -> None:
        # Telemetry and the folder in the user's home can only be set by environment variables.
        for name, value in {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "settings")}.items():
            os.environ.setdefault(name, value)
        from mem0 import Memory

        self.folder = folder
        self._embedder = _FixedEmbedder()
        self._ids: dict[str, str] = {}
        unused = {"provider": "openai", "config": {"api_key": "unused"}}
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True}
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": unused,
                "embedder": unused,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = self._embedder

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Add many texts one by one: it has no bulk method."""
        for id, text, scope, vector in zip(ids, texts, scopes, vectors, strict=True):
            self.write(id, text, scope, vector)

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Add one text unchanged."""
        self._embedder.vector = vector
        added = self._memory.add(text, user_id=scope, infer=False)
        self._ids[id] = added["results"][0]["id"]

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the nearest."""
        self._embedder.vector = vector
        found = self._memory.search(question, filters={"user_id": scope}, top_k=limit)
        return [(one["id"], one["memory"]) for one in found["results"]]

    def forget(self, id: str) -> None:
        """Delete one text."""
        self._memory.delete(self._ids[id])

    def close(self) -> None:
        """Close the files."""
        self._memory.vector_store.client.close()


class _FixedEmbedder:
    """An embedder for mem0 that returns the vector that was made beforehand."""

    vector: Vector | None = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        assert self.vector is not None, "mem0 searches by vector only"
        return self.vector.tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]
