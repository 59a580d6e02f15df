"""Lance datasets: layout, creation, markers, compaction, purging and status."""

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import lance
import pyarrow as pa
from msgspec import Struct

from satchel.adapters.lance.folder import DatasetFolder, is_of_bucket, unusable
from satchel.adapters.lance.where import one_of
from satchel.domain.embedding import Space
from satchel.ports import IndexStatus

# Below this number of vectors an exact scan is as fast, and needs no upkeep.
VECTOR_INDEX_FROM = 20_000
ROWS_PER_FRAGMENT = 20_000
# How long a reader may stay on an old version. A forget does not wait for it.
VERSION_GRACE = timedelta(minutes=10)
# Partitions searched, of about a hundred at 100,000 rows. 24 found 90 % of the true neighbours there, 48 found 97 %.
VECTOR_PROBES = 48
# In a small part of the dataset the neighbours are far apart, so all partitions are searched: of a scope of 100 in a
# million rows, 48 of 128 partitions found 80 %. It takes little longer, since the filter skips nearly every row.
SMALL_SHARE = 0.01
ALL_PARTITIONS = 100_000
# The indexes of 100,000 memories take some 60 MB; of a larger store the parts in use are kept.
INDEX_CACHE_BYTES = 256 << 20
# Fragments and versions: every catch-up adds some, and old ones are not asked for again.
METADATA_CACHE_BYTES = 32 << 20

Item = TypeVar("Item")


class Layout(Struct, Generic[Item], frozen=True):
    """What differs between datasets: columns, indexes, and how a batch of the feed is written."""

    name: str
    format: str
    """Changes when older datasets become unusable."""
    record: str
    """The column with the id of the record that a row belongs to."""
    schema: Callable[[int], pa.Schema]
    """Returns the columns for a number of dimensions."""
    apply: Callable[[lance.LanceDataset, DatasetFolder, Sequence[Item], int], None]
    """Writes a batch of the feed, for a number of dimensions."""
    scalar: Mapping[str, str]
    full_text: Mapping[str, Mapping[str, Any]] = {}
    create_files: Callable[[Path], None] = lambda _: None
    """Creates files of its own in the folder of a new dataset."""
    coded: bool = False
    """Whether the vectors are searched by those files, and not by Lance."""


@cache
def shared_session() -> "lance.Session":
    """Return what holds the caches of all datasets of a process. Without a limit, each may take gigabytes."""
    return lance.Session(index_cache_size_bytes=INDEX_CACHE_BYTES, metadata_cache_size_bytes=METADATA_CACHE_BYTES)


def renew_session() -> None:
    """Begin with empty caches, after the indexes were rewritten: what is cached of the old ones is not asked for again.

    Every reader opens its dataset again when it is used next, and the old caches go with the last of them.
    """
    shared_session.cache_clear()


def probes(share: float) -> int:
    """Return how many partitions to search when a filter admits this share of the dataset."""
    return ALL_PARTITIONS if share < SMALL_SHARE else VECTOR_PROBES


def open_latest(
    files: DatasetFolder, known: lance.LanceDataset | None, session: "lance.Session"
) -> lance.LanceDataset | None:
    """Return the latest version of a dataset, which may be open already; None if there is none."""
    if not files.may_exist():
        return None
    try:
        if known is None:
            return lance.dataset(files.uri, storage_options=files.options, session=session)
        known.checkout_latest()
        return known
    except (OSError, ValueError, RuntimeError) as error:
        if files.is_missing(error):
            return None
        if is_of_bucket(error):
            files.note_failure(unusable(error))
        raise


def create(files: DatasetFolder, space: Space, layout: Layout[Any]) -> lance.LanceDataset:
    """Create an empty dataset with its indexes; the markers of completeness are written last."""
    empty = pa.Table.from_batches([], schema=layout.schema(space.dimensions))
    dataset = lance.write_dataset(empty, files.uri, storage_options=files.options, data_storage_version="2.2")
    files.path.mkdir(mode=0o700, parents=True, exist_ok=True)
    layout.create_files(files.path)
    _index_text(dataset, layout)
    for column, kind in layout.scalar.items():
        dataset.create_scalar_index(column, kind)
    marks = {"satchel.format": layout.format, "satchel.space": _label(space), "satchel.birth": str(uuid.uuid4())}
    files.note_made(marks["satchel.birth"])
    dataset.update_config(marks | {"satchel.applied": "0", "satchel.landmark": ""})
    return dataset


def mark_applied(dataset: lance.LanceDataset, seq: int, landmark: str) -> None:
    """Record the sequence number and landmark up to which the dataset has followed the ledger."""
    dataset.update_config({"satchel.applied": str(seq), "satchel.landmark": landmark})


def generation(dataset: lance.LanceDataset) -> str:
    """Return the id of this build of the dataset."""
    return str(dataset.config().get("satchel.birth", ""))


def landmark(dataset: lance.LanceDataset) -> str:
    """Return the landmark up to which the dataset has followed the ledger."""
    return str(dataset.config().get("satchel.landmark", ""))


def belongs(dataset: lance.LanceDataset, space: Space, layout: Layout[Any]) -> bool:
    """Return whether a dataset has this layout and this space."""
    config = dataset.config()
    return bool(config.get("satchel.format") == layout.format and config.get("satchel.space") == _label(space))


def _label(space: Space) -> str:
    return f"{space.name} {space.dimensions}"


def is_unfinished(dataset: lance.LanceDataset) -> bool:
    """Return whether creation was interrupted before the dataset was marked; not worth a warning."""
    return "satchel.format" not in dataset.config()


def applied_seq(dataset: lance.LanceDataset) -> int:
    """Return the sequence number up to which the dataset has followed the ledger."""
    return int(dataset.config().get("satchel.applied", "0"))


def _index_text(dataset: lance.LanceDataset, layout: Layout[Any]) -> None:
    for column, options in layout.full_text.items():
        dataset.create_scalar_index(
            column, "INVERTED", replace=True, remove_stop_words=False, with_position=False, **options
        )


def index_vectors(dataset: lance.LanceDataset, layout: Layout[Any]) -> None:
    """Build the vector index if Lance searches the vectors, there are enough of them, and it does not exist."""
    if layout.coded:
        return
    rows = dataset.count_rows("vector IS NOT NULL")
    if rows < VECTOR_INDEX_FROM or _vector_index(dataset) is not None:
        return
    partitions = max(16, min(128, round(rows**0.5 / 3)))
    dataset.create_index(
        "vector", "IVF_SQ", metric="cosine", num_partitions=partitions, sample_rate=64, max_iterations=10
    )


def _vector_index(dataset: lance.LanceDataset) -> "lance.indices.IndexDescription | None":
    return next((found for found in dataset.describe_indices() if found.field_names == ["vector"]), None)


def small_fragments(dataset: lance.LanceDataset) -> int:
    """Return how many fragments there are beyond the full ones."""
    rows: int = dataset.count_rows()
    return len(dataset.get_fragments()) - rows // ROWS_PER_FRAGMENT


def compact(dataset: lance.LanceDataset) -> None:
    """Merge small fragments, update the indexes, and drop old versions."""
    dataset.optimize.compact_files(target_rows_per_fragment=ROWS_PER_FRAGMENT)
    dataset.optimize.optimize_indices()
    dataset.cleanup_old_versions(older_than=VERSION_GRACE, error_if_tagged_old_versions=False)


def purge(dataset: lance.LanceDataset, files: DatasetFolder, ids: Sequence[str], layout: Layout[Any]) -> None:
    """Remove rows from every file: their data, their words in the text indexes, and all older versions."""
    dataset.delete(one_of(layout.record, ids))
    dataset.optimize.compact_files(
        target_rows_per_fragment=ROWS_PER_FRAGMENT, materialize_deletions=True, materialize_deletions_threshold=0.0
    )
    _index_text(dataset, layout)
    # A killed writer leaves files that belong to no version. Under the lock they can be deleted as well.
    dataset.cleanup_old_versions(older_than=timedelta(0), delete_unverified=True, error_if_tagged_old_versions=False)
    _remove_unnamed(dataset, files)


def _remove_unnamed(dataset: lance.LanceDataset, files: DatasetFolder) -> None:
    """Remove data files that no fragment names: cleaning up silently passes over a file that it fails to delete."""
    named = {file.path for fragment in dataset.get_fragments() for file in fragment.data_files()}
    for name in files.names("data"):
        if name.removeprefix("data/") not in named:
            files.delete(name)


def status(dataset: lance.LanceDataset, path: Path, layout: Layout[Any]) -> IndexStatus:
    """Return the status of a dataset."""
    rows, config = dataset.count_rows(), dataset.config()
    found = None if layout.coded else _vector_index(dataset)
    with_vectors = 0 if layout.coded else dataset.count_rows("vector IS NOT NULL")
    indexed = next((one for one in dataset.describe_indices() if one.field_names == [layout.record]), None)
    return IndexStatus(
        exists=True,
        rows=rows,
        rows_with_vectors=with_vectors,
        applied_seq=applied_seq(dataset),
        space=str(config.get("satchel.space", "")).rpartition(" ")[0],
        vector_index="IVF_SQ" if found is not None else "exact scan",
        outgrown=found is None and with_vectors >= VECTOR_INDEX_FROM,
        unindexed_rows=rows - (indexed.num_rows_indexed if indexed is not None else 0),
        fragments=len(dataset.get_fragments()),
        small_fragments=small_fragments(dataset),
        versions=len(dataset.versions()),
        bytes=folder_bytes(path),
    )


def folder_bytes(path: Path) -> int:
    """Return the total size of the files in a folder."""
    size = 0
    # Another process may clean up meanwhile. os.walk passes over a folder that is gone, Path.rglob fails.
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(FileNotFoundError):
                size += Path(folder, name).stat().st_size
    return size
