"""The Lance index: a copy of the ledger laid out as the LanceDB table `memories`, for search by word and by meaning.

Lance syncs nothing to disk and checks no sums on reading, and two writers of one key leave two rows. So it is only
ever written behind one lock, in the order of the ledger's feed, and whatever cannot be read is built anew from it.
"""

import os
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from satchel.adapters.lance.where import one_of, view_filter
from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import CatchUp, Feed, FeedItem, IndexStatus, Progress

# Lance logs to standard error on its own account; what matters reaches the receipt.
os.environ.setdefault("LANCE_LOG", "error")  # read when the package is loaded, so before that
import lance
import numpy as np
import pyarrow as pa
from lance.dataset import ColumnOrdering
from lance.query import MatchQuery

from satchel.adapters.lance.schema import as_table, table_schema

FORMAT = "1"
ROWS_PER_BATCH = 2_000
# Below this an exact scan answers in the same time, and needs no care.
VECTOR_INDEX_FROM = 20_000
VECTOR_PROBES = 24
# Each catch-up leaves a small fragment behind; beyond this many they are merged.
TIDY_AT_FRAGMENTS = 48
ROWS_PER_FRAGMENT = 20_000
# A reader may still be on a version for this long; a forget does not wait for it.
VERSION_GRACE = timedelta(minutes=10)

_TEXT_INDEX = {"base_tokenizer": "icu", "language": "English", "stem": True, "max_token_length": 255}
_TERMS_INDEX = {"base_tokenizer": "simple", "language": "English", "stem": True, "max_token_length": 255}
_FULL_TEXT = {"text": _TEXT_INDEX, "terms": _TERMS_INDEX}
_SCALAR = {"id": "BTREE", "scope": "BTREE", "importance_label": "BITMAP", "category": "BITMAP"}


class LanceIndex:
    """Implements ports.Index in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "memories.lance"
        self._dataset: lance.LanceDataset | None = None
        self._thread_lock = threading.RLock()

    # Following the ledger

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            if self._is_current(feed, space):
                return CatchUp()
            with self._writing(deadline) as locked:
                if not locked:
                    return CatchUp(behind=feed.behind(self._applied()), problem="")
                return self._follow(feed, space, deadline, progress)
        except Unavailable as error:
            return CatchUp(behind=feed.behind(0), problem=error.message)

    def _is_current(self, feed: Feed, space: Space) -> bool:
        try:
            dataset = self._latest()
        except Unavailable:
            return False
        return dataset is not None and _belongs(dataset, space) and _applied_seq(dataset) == feed.tip()

    def _follow(self, feed: Feed, space: Space, deadline: float | None, progress: Progress | None) -> CatchUp:
        dataset, repaired = self._usable(space, feed)
        total, applied, seq = feed.behind(_applied_seq(dataset)), 0, _applied_seq(dataset)
        while items := feed.since(seq, space, ROWS_PER_BATCH):
            self._apply(dataset, items, space)
            applied, seq = applied + len(items), items[-1].seq
            if progress:
                progress(applied, max(total, applied), "indexing")
            if deadline is not None and time.monotonic() > deadline:
                break
        if len(dataset.get_fragments()) > TIDY_AT_FRAGMENTS:
            _tidy(dataset, VERSION_GRACE)
        return CatchUp(applied=applied, behind=feed.behind(seq), repaired=repaired)

    def _apply(self, dataset: lance.LanceDataset, items: Sequence[FeedItem], space: Space) -> None:
        with _translated():
            gone = [item.id for item in items if item.memory is None]
            kept = as_table(items, space.dimensions)
            if kept.num_rows:
                dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(kept)
            if gone:
                _purge(dataset, gone)
            # Written last: if anything before it is lost, the same batch is simply applied again.
            dataset.update_config({"satchel.applied": str(items[-1].seq)})

    def _usable(self, space: Space, feed: Feed) -> tuple[lance.LanceDataset, str]:
        """Open the dataset, or make a new one where there is none that can be used."""
        dataset, problem = self._opened_or_repaired()
        if dataset is not None and not _belongs(dataset, space):
            dataset, problem = None, "" if _is_foreign(dataset) else "made for another embedding space or version"
        if dataset is not None and _applied_seq(dataset) > feed.tip():
            dataset, problem = None, "ahead of its ledger"
        if dataset is None:
            self._remove()
            dataset = self._create(space)
        self._dataset = dataset
        return dataset, problem

    def _opened_or_repaired(self) -> tuple[lance.LanceDataset | None, str]:
        problem = ""
        while self._path.exists():
            try:
                self._dataset = None
                return self._latest(), problem
            except Unavailable as error:
                problem = error.message
                if not self._drop_newest_manifest():
                    break
        return None, problem

    def _drop_newest_manifest(self) -> bool:
        """Go back one version; False when there is none to go back to. The feed then replays what it held."""
        # Their names count down, so that the newest is listed first.
        manifests = sorted((self._path / "_versions").glob("*.manifest"))
        if len(manifests) < 2:
            return False
        manifests[0].unlink()
        return True

    def _create(self, space: Space) -> lance.LanceDataset:
        with _translated():
            empty = pa.Table.from_batches([], schema=table_schema(space.dimensions))
            dataset = lance.write_dataset(empty, str(self._path), data_storage_version="2.2")
            _index_text(dataset)
            for column, kind in _SCALAR.items():
                dataset.create_scalar_index(column, kind)
            dataset.update_config({"satchel.format": FORMAT, "satchel.space": space.name, "satchel.applied": "0"})
            return dataset

    # Searching

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        if not terms:
            return []
        query = MatchQuery(" ".join(terms), "terms")
        columns = ["id", "content_hash", "_score"]
        rows = self._search(view, columns, {"full_text_query": query, "limit": limit})
        return [Candidate(MemoryId(row["id"]), row["_score"], row["content_hash"]) for row in rows]

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        query = np.frombuffer(vector, dtype=np.float32)
        wanted = {"column": "vector", "q": query, "k": limit, "metric": "cosine", "nprobes": VECTOR_PROBES}
        rows = self._search(view, ["id", "content_hash", "_distance"], {"nearest": wanted})
        return [Candidate(MemoryId(row["id"]), 1.0 - row["_distance"], row["content_hash"]) for row in rows]

    def _search(self, view: View, columns: list[str], query: dict[str, object]) -> list[dict[str, Any]]:
        try:
            return self._scan(view, columns, query)
        except Unavailable:
            # Another process may have cleaned up the version this one was reading.
            self._dataset = None
            return self._scan(view, columns, query)

    def _scan(self, view: View, columns: list[str], query: dict[str, object]) -> list[dict[str, Any]]:
        with self._thread_lock, _translated():
            dataset = self._latest()
            if dataset is None:
                return []
            scanner = dataset.scanner(columns=columns, filter=view_filter(view), prefilter=True, **query)
            return list(scanner.to_table().to_pylist())

    # Care

    def optimize(self) -> None:
        with self._writing(None), _translated():
            dataset = self._latest()
            if dataset is None:
                return
            _tidy(dataset, VERSION_GRACE)
            _index_vectors(dataset)

    def drop(self) -> None:
        with self._writing(None):
            self._remove()

    def status(self) -> IndexStatus:
        try:
            with self._thread_lock, _translated():
                dataset = self._latest()
                return IndexStatus(exists=False) if dataset is None else _status(dataset, self._path)
        except Unavailable as error:
            return IndexStatus(exists=True, problem=error.message, bytes=_folder_bytes(self._path))

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        with self._thread_lock, _translated():
            dataset = self._latest()
            if dataset is None:
                return
            scanner = dataset.scanner(columns=["id", "content_hash"], order_by=[ColumnOrdering("id")])
            for batch in scanner.to_batches():
                yield from zip(batch["id"].to_pylist(), batch["content_hash"].to_pylist(), strict=True)

    # Plumbing

    def _latest(self) -> lance.LanceDataset | None:
        with self._thread_lock, _translated():
            if self._dataset is not None and self._path.exists():
                self._dataset.checkout_latest()
            else:
                self._dataset = lance.dataset(str(self._path)) if self._path.exists() else None
            return self._dataset

    def _applied(self) -> int:
        try:
            dataset = self._latest()
        except Unavailable:
            return 0
        return 0 if dataset is None else _applied_seq(dataset)

    def _remove(self) -> None:
        self._dataset = None
        with _translated():
            if self._path.exists():
                shutil.rmtree(self._path)

    @contextmanager
    def _writing(self, deadline: float | None) -> Iterator[bool]:
        """Hold the one writer lock of this index across all processes; yields False when it was not free in time."""
        from filelock import FileLock, Timeout

        with _translated():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        timeout = -1 if deadline is None else max(0.0, deadline - time.monotonic())
        lock = FileLock(str(self._folder / "writer.lock"), timeout=timeout, mode=0o600)
        try:
            lock.acquire()
        except Timeout:
            yield False
            return
        except OSError as error:
            raise _unusable(error) from error
        try:
            with self._thread_lock, _private_files():
                yield True
        finally:
            lock.release()


def _belongs(dataset: lance.LanceDataset, space: Space) -> bool:
    config = dataset.config()
    return bool(config.get("satchel.format") == FORMAT and config.get("satchel.space") == space.name)


def _is_foreign(dataset: lance.LanceDataset) -> bool:
    """Say whether creation was cut short, before the dataset was marked as ours: nothing worth a warning."""
    return "satchel.format" not in dataset.config()


def _applied_seq(dataset: lance.LanceDataset) -> int:
    return int(dataset.config().get("satchel.applied", "0"))


def _index_text(dataset: lance.LanceDataset) -> None:
    for column, options in _FULL_TEXT.items():
        dataset.create_scalar_index(
            column, "INVERTED", replace=True, remove_stop_words=False, with_position=False, **options
        )


def _index_vectors(dataset: lance.LanceDataset) -> None:
    rows = dataset.count_rows("vector IS NOT NULL")
    if rows < VECTOR_INDEX_FROM or _vector_index(dataset) is not None:
        return
    partitions = max(16, min(128, round(rows**0.5 / 3)))
    dataset.create_index(
        "vector", "IVF_SQ", metric="cosine", num_partitions=partitions, sample_rate=64, max_iterations=10
    )


def _vector_index(dataset: lance.LanceDataset) -> "lance.indices.IndexDescription | None":
    return next((found for found in dataset.describe_indices() if found.field_names == ["vector"]), None)


def _tidy(dataset: lance.LanceDataset, grace: timedelta) -> None:
    dataset.optimize.compact_files(target_rows_per_fragment=ROWS_PER_FRAGMENT)
    dataset.optimize.optimize_indices()
    _drop_versions(dataset, grace)


def _purge(dataset: lance.LanceDataset, ids: Sequence[MemoryId]) -> None:
    """Remove rows from every file: their data, their words in the text indexes, and all older versions."""
    dataset.delete(one_of("id", ids))
    dataset.optimize.compact_files(
        target_rows_per_fragment=ROWS_PER_FRAGMENT, materialize_deletions=True, materialize_deletions_threshold=0.0
    )
    _index_text(dataset)
    _drop_versions(dataset, timedelta(0))


def _drop_versions(dataset: lance.LanceDataset, grace: timedelta) -> None:
    dataset.cleanup_old_versions(older_than=grace, error_if_tagged_old_versions=False)


def _status(dataset: lance.LanceDataset, path: Path) -> IndexStatus:
    rows, config, found = dataset.count_rows(), dataset.config(), _vector_index(dataset)
    text_index = next((one for one in dataset.describe_indices() if one.field_names == ["terms"]), None)
    return IndexStatus(
        exists=True,
        rows=rows,
        rows_with_vectors=dataset.count_rows("vector IS NOT NULL"),
        applied_seq=_applied_seq(dataset),
        space=config.get("satchel.space", ""),
        vector_index="IVF_SQ" if found is not None else "exact scan",
        unindexed_rows=rows - (text_index.num_rows_indexed if text_index is not None else 0),
        fragments=len(dataset.get_fragments()),
        versions=len(dataset.versions()),
        bytes=_folder_bytes(path),
    )


def _folder_bytes(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


@contextmanager
def _private_files() -> Iterator[None]:
    """Let Lance create files that only their owner can read. The umask is all it offers to say so."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _translated() -> Iterator[None]:
    """Turn whatever Lance raises into one error: the index cannot be used, the ledger still can."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, pa.ArrowException) as error:
        raise _unusable(error) from error
    except BaseException as error:
        # A damaged file can make the Rust side panic, which arrives outside Exception.
        if type(error).__name__ == "PanicException":
            raise _unusable(error) from error
        raise


def _unusable(error: BaseException) -> Unavailable:
    first_line = str(error).strip().partition("\n")[0][:200]
    return Unavailable(
        f"the index cannot be used: {first_line or type(error).__name__}",
        code="index_unusable",
        hint="satchel index rebuild",
    )
