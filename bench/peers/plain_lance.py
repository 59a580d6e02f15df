"""Plain Lance: one table with a full-text and a vector index, fused by reciprocal rank."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa

from satchel.domain.embedding import Vector

# With fewer rows an exact scan is faster than the index.
VECTOR_INDEX_FROM = 20_000
POOL = 20
RRF_K = 60


class PlainLance:
    """A dataset of ids, texts, scopes and vectors."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "texts.lance"
        self._dataset: lance.LanceDataset | None = lance.dataset(str(path)) if path.exists() else None

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Write the table and build its indexes."""
        dataset = lance.write_dataset(_table(ids, texts, scopes, vectors), str(self.folder / "texts.lance"))
        dataset.create_scalar_index("text", "INVERTED", base_tokenizer="icu", stem=True, with_position=False)
        dataset.create_scalar_index("scope", "BTREE")
        if len(ids) >= VECTOR_INDEX_FROM:
            partitions = max(16, min(128, round(len(ids) ** 0.5 / 3)))
            dataset.create_index("vector", "IVF_SQ", metric="cosine", num_partitions=partitions, sample_rate=64)
        self._dataset = dataset

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Append one row. Lance does not call fsync: this is less durable than the others."""
        self._filled.insert(_table([id], [text], [scope], [vector]))

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the best hits by fused rank."""
        within = "scope = '" + scope.replace("'", "''") + "'"
        lanes = [self._rows(within, "_score", full_text_query=question, limit=max(POOL, limit))]
        if vector is not None:
            near = {
                "column": "vector",
                "q": np.frombuffer(vector, np.float32),
                "k": max(POOL, limit),
                "metric": "cosine",
            }
            lanes.append(self._rows(within, "_distance", nearest=near))
        scores, texts = dict[str, float](), dict[str, str]()
        for lane in lanes:
            for rank, row in enumerate(lane, start=1):
                scores[row["id"]] = scores.get(row["id"], 0.0) + 1 / (RRF_K + rank)
                texts[row["id"]] = row["text"]
        best = sorted(scores, key=lambda id: (-scores[id], id))[:limit]
        return [(id, texts[id]) for id in best]

    def forget(self, id: str) -> None:
        """Delete one row."""
        self._filled.delete("id = '" + id.replace("'", "''") + "'")

    def close(self) -> None:
        """Close the table."""
        self._dataset = None

    @property
    def _filled(self) -> lance.LanceDataset:
        assert self._dataset is not None, "filled first"
        return self._dataset

    def _rows(self, within: str, measure: str, **query: Any) -> list[dict[str, Any]]:
        scanner = self._filled.scanner(columns=["id", "text", measure], filter=within, prefilter=True, **query)
        return list(scanner.to_table().to_pylist())


def _table(
    ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
) -> pa.Table:
    columns = {"id": pa.array(ids), "text": pa.array(texts), "scope": pa.array(scopes)}
    known = [vector for vector in vectors if vector is not None]
    if len(known) == len(ids):
        flat = np.frombuffer(b"".join(vector.tobytes() for vector in known), np.float32)
        columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), len(known[0]))
    return pa.table(columns)
