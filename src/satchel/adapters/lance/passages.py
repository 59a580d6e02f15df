"""The Lance table `passages`: a row for each part of a passage that has a vector. It holds no word of any."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa

from satchel.adapters.lance.dataset import purge
from satchel.adapters.lance.follower import Follower
from satchel.adapters.lance.guard import translated
from satchel.adapters.lance.layout import Layout
from satchel.adapters.lance.schema import vector_column
from satchel.adapters.lance.where import one_of
from satchel.domain.embedding import Vector
from satchel.domain.passage import PassageId, Sight
from satchel.errors import Unavailable
from satchel.ports import PassageItem

# Of about a hundred partitions at 100,000 rows; see the same number for memories.
VECTOR_PROBES = 48
# The neighbours within a small part of the dataset lie far apart, so all partitions are looked into.
SMALL_SHARE = 0.01
EVERY_PARTITION = 100_000
# A long passage has several parts, of which one counts: so many more rows are asked for than passages are wanted.
ROWS_PER_PASSAGE = 2


class LancePassages(Follower[PassageItem]):
    """Implements ports.PassageIndex, in the folder of the index of memories and behind the same lock."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        super().__init__(folder, PASSAGES, read_only=read_only)
        self._shares: dict[str, float] = {}
        self._counted_at = 0

    def nearest(self, vector: Vector, sight: Sight, limit: int) -> list[PassageId]:
        try:
            return self._nearest(vector, sight, limit)
        except Unavailable:
            # Another process may have cleaned up the version this one was reading.
            self._dataset = None
            return self._nearest(vector, sight, limit)

    def _nearest(self, vector: Vector, sight: Sight, limit: int) -> list[PassageId]:
        condition = _sight_filter(sight)
        with translated():
            with self._thread_lock:
                dataset = self._latest()
                if dataset is None:
                    return []
                nearest = {
                    "column": "vector",
                    "q": np.frombuffer(vector, dtype=np.float32),
                    "k": ROWS_PER_PASSAGE * limit,
                    "metric": "cosine",
                    "nprobes": EVERY_PARTITION if self._share(dataset, condition) < SMALL_SHARE else VECTOR_PROBES,
                }
                scanner = dataset.scanner(
                    columns=["id", "passage", "_distance"], filter=condition, prefilter=True, nearest=nearest
                )
            # A scanner stays on the version it was made for, so that two searches can run at once.
            rows = scanner.to_table().to_pylist()
        ordered = sorted(rows, key=lambda row: (row["_distance"], row["id"]))
        return list(dict.fromkeys(PassageId(row["passage"]) for row in ordered))[:limit]

    def _share(self, dataset: lance.LanceDataset, condition: str) -> float:
        """Return how much of the dataset a filter admits; each filter is counted once for a version."""
        if self._counted_at != dataset.version:
            self._counted_at, self._shares = dataset.version, {}
        if condition not in self._shares:
            self._shares[condition] = dataset.count_rows(condition) / max(1, dataset.count_rows())
        return self._shares[condition]


def _sight_filter(sight: Sight) -> str:
    conditions = [one_of("lane", [sight.lane]), one_of("trust", sight.trusts)]
    if not sight.reach.everywhere:
        conditions.insert(0, one_of("scope", sight.reach.scopes))
    if sight.groups:
        conditions.append(one_of("part_of", sight.groups))
    if sight.kinds:
        conditions.append(one_of("kind", sight.kinds))
    if sight.since is not None:
        conditions.append(f"at >= {int(sight.since)}")
    if sight.until is not None:
        conditions.append(f"at < {int(sight.until)}")
    return " AND ".join(conditions)


def _schema(dimensions: int) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("passage", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimensions)),
            pa.field("lane", pa.string(), nullable=False),
            pa.field("scope", pa.string(), nullable=False),
            pa.field("trust", pa.string(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("part_of", pa.string(), nullable=False),
            pa.field("at", pa.int64()),
            pa.field("content_hash", pa.string(), nullable=False),
        ]
    )


def _rows(items: Sequence[PassageItem], dimensions: int) -> pa.Table:
    rows: list[dict[str, Any]] = []
    vectors: list[Vector | None] = []
    for item in items:
        if (one := item.passage) is None:
            continue
        for name, vector in item.parts:
            standing = {"lane": str(one.lane), "scope": one.scope, "trust": str(one.trust), "kind": one.kind}
            placed = {"part_of": one.group, "at": one.at, "content_hash": one.content_hash}
            rows.append({"id": name, "passage": one.id, **standing, **placed})
            vectors.append(vector)
    schema = _schema(dimensions)
    arrays = [
        vector_column(vectors, dimensions)
        if field.name == "vector"
        else pa.array([row[field.name] for row in rows], field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _apply(dataset: lance.LanceDataset, items: Sequence[PassageItem], dimensions: int) -> None:
    gone = [item.id for item in items if item.passage is None]
    changed = [item.id for item in items if item.passage is not None]
    if changed:
        # A passage may have fewer parts than before, so its rows go before the new ones come.
        dataset.delete(one_of("passage", changed))
    kept = _rows(items, dimensions)
    if kept.num_rows:
        dataset.insert(kept)
    if gone:
        purge(dataset, gone, PASSAGES)


PASSAGES = Layout[PassageItem](
    name="passages",
    format="1",
    record="passage",
    schema=_schema,
    apply=_apply,
    scalar={
        "id": "BTREE",
        "passage": "BTREE",
        "scope": "BTREE",
        "part_of": "BTREE",
        "at": "BTREE",
        "lane": "BITMAP",
        "trust": "BITMAP",
        "kind": "BITMAP",
    },
)
