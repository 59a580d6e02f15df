"""chromadb with the same vectors. It searches by vector only."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satchel.domain.embedding import Vector

_BATCH = 5_000


class Chroma:
    """One collection on disk, without telemetry and without its own model."""

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self.folder = folder
        self._client: Any = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self._texts: Any = self._client.get_or_create_collection(
            "texts", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Add many texts in batches."""
        for start in range(0, len(ids), _BATCH):
            part = slice(start, start + _BATCH)
            self._texts.add(
                ids=list(ids[part]),
                documents=list(texts[part]),
                metadatas=[{"scope": scope} for scope in scopes[part]],
                embeddings=[_plain(vector) for vector in vectors[part]],
            )

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Add one text."""
        self._texts.add(ids=[id], documents=[text], metadatas=[{"scope": scope}], embeddings=[_plain(vector)])

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the nearest."""
        found = self._texts.query(query_embeddings=[_plain(vector)], n_results=limit, where={"scope": scope})
        return list(zip(found["ids"][0], found["documents"][0], strict=True))

    def forget(self, id: str) -> None:
        """Delete one text."""
        self._texts.delete(ids=[id])

    def close(self) -> None:
        """Close the collection."""
        self._client.close()


def _plain(vector: Vector | None) -> list[float]:
    assert vector is not None, "chromadb searches by vector only"
    return vector.tolist()
