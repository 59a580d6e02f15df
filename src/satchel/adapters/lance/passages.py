"""The Lance index of passages: a row for each part with a vector, without any text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa

from satchel.adapters.lance.dataset import Layout, probes, purge
from satchel.adapters.lance.folder import DatasetFolder
from satchel.adapters.lance.follower import Follower
from satchel.adapters.lance.guard import translate_errors
from satchel.adapters.lance.schema import vector_column
from satchel.adapters.lance.where import one_of
from satchel.domain.embedding import Vector
from satchel.domain.passage import PassageId, PassageView
from satchel.ports import PassageItem

# Rows requested per passage: a long passage has several parts, of which only the nearest counts.
ROWS_PER_PASSAGE = 2


class LancePassageIndex(Follower[PassageItem]):
    """Implements ports.PassageIndex, in the folder of the index of memories and under the same lock."""

    def __init__(self, folder: Path, *, read_only: bool = False, bucket: str = "") -> None:
        super().__init__(folder, PASSAGES, read_only=read_only, bucket=bucket)
        self._shares: dict[str, float] = {}
        self._counted_at = 0

    def nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        return self._retry(lambda: self._nearest(vector, view, limit))

    def _nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        condition = _view_filter(view)
        with translate_errors():
            with self._thread_lock:
                dataset = self._latest()
                if dataset is None:
                    return []
                nearest = {
                    "column": "vector",
                    "q": np.frombuffer(vector, dtype=np.float32),
                    "k": ROWS_PER_PASSAGE * limit,
                    "metric": "cosine",
                    "nprobes": probes(self._share(dataset, condition)),
                }
                scanner = dataset.scanner(
                    columns=["id", "passage", "_distance"], filter=condition, prefilter=True, nearest=nearest
                )
            # A scanner stays on its version, so two searches can run at the same time.
            rows = scanner.to_table().to_pylist()
        ordered = sorted(rows, key=lambda row: (row["_distance"], row["id"]))
        return list(dict.fromkeys(PassageId(row["passage"]) for row in ordered))[:limit]

    def _share(self, dataset: lance.LanceDataset, condition: str) -> float:
        """Return the share of rows that a filter admits, counted once per version."""
        if self._counted_at != dataset.version:
            self._counted_at, self._shares = dataset.version, {}
        if condition not in self._shares:
            self._shares[condition] = dataset.count_rows(condition) / max(1, dataset.count_rows())
        return self._shares[condition]


def _view_filter(view: PassageView) -> str:
    conditions = [one_of("lane", [view.lane]), one_of("trust", view.trusts)]
    if not view.reach.everywhere:
        conditions.insert(0, one_of("scope", view.reach.scopes))
    if view.groups:
        conditions.append(one_of("part_of", view.groups))
    if view.kinds:
        conditions.append(one_of("kind", view.kinds))
    if view.since is not None:
        conditions.append(f"at >= {int(view.since)}")
    if view.until is not None:
        conditions.append(f"at < {int(view.until)}")
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
            visibility = {"lane": str(one.lane), "scope": one.scope, "trust": str(one.trust), "kind": one.kind}
            rest = {"part_of": one.group, "at": one.at, "content_hash": one.content_hash}
            rows.append({"id": name, "passage": one.id, **visibility, **rest})
            vectors.append(vector)
    schema = _schema(dimensions)
    arrays = [
        vector_column(vectors, dimensions)
        if field.name == "vector"
        else pa.array([row[field.name] for row in rows], field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _apply(dataset: lance.LanceDataset, files: DatasetFolder, items: Sequence[PassageItem], dimensions: int) -> None:
    gone = [item.id for item in items if item.passage is None]
    changed = [item.id for item in items if item.passage is not None]
    if changed:
        # A passage may have fewer parts than before, so its old rows are deleted first.
        dataset.delete(one_of("passage", changed))
    kept = _rows(items, dimensions)
    if kept.num_rows:
        dataset.insert(kept)
    if gone:
        purge(dataset, files, gone, PASSAGES)


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
