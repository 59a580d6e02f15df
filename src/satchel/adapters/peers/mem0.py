"""mem0 with the vectors of the same model and its own local store, nothing extracted by a language model."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satchel.domain.embedding import Vector


class Mem0:
    """One memory on disk. A user is what a scope is here. Its local store lets one process in."""

    def __init__(self, folder: Path) -> None:
        # What it would send to its maker, and the folder it would make in the person's home, are set in this way alone.
        for name, value in {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "settings")}.items():
            os.environ.setdefault(name, value)
        from mem0 import Memory

        self.folder = folder
        self._given = _Given()
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
        self._memory.embedding_model = self._given

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Take in many texts, one by one: it has no other way."""
        for id, text, scope, vector in zip(ids, texts, scopes, vectors, strict=True):
            self.write(id, text, scope, vector)

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Add one text as it is."""
        self._given.vector = vector
        added = self._memory.add(text, user_id=scope, infer=False)
        self._ids[id] = added["results"][0]["id"]

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the nearest."""
        self._given.vector = vector
        found = self._memory.search(question, filters={"user_id": scope}, top_k=limit)
        return [(one["id"], one["memory"]) for one in found["results"]]

    def forget(self, id: str) -> None:
        """Delete one text, the way the interface offers it."""
        self._memory.delete(self._ids[id])

    def close(self) -> None:
        """Let go of the files."""
        self._memory.vector_store.client.close()


class _Given:
    """An embedder in its sense, which hands on the vector that the others get, too."""

    vector: Vector | None = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        assert self.vector is not None, "it searches by meaning alone"
        return self.vector.tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]
