"""A Lance dataset that follows the ledger: what the index of memories and that of passages have in common.

Lance calls no fsync and verifies no checksums, and two writers of one key leave two rows. So it is only written under
one lock, in the order of the ledger's feed, and an unreadable dataset is rebuilt from it.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import lance
from lance.dataset import ColumnOrdering
from msgspec.structs import replace

from satchel.adapters.lance.bucket import dataset_files
from satchel.adapters.lance.dataset import (
    ROWS_PER_FRAGMENT,
    Layout,
    applied_seq,
    belongs,
    compact,
    create,
    folder_bytes,
    generation,
    index_vectors,
    is_unfinished,
    landmark,
    mark_applied,
    open_latest,
    renew_session,
    shared_session,
    small_fragments,
    status,
)
from satchel.adapters.lance.folder import unwritable
from satchel.adapters.lance.guard import translate_errors
from satchel.domain.embedding import Space
from satchel.domain.record import MemoryId
from satchel.errors import Unavailable
from satchel.ports import INDEX_UNREACHABLE, CatchUp, ChangeFeed, IndexStatus, Progress

ROWS_PER_BATCH = 2_000
# Without a deadline, a batch fills a whole fragment, so that nothing has to be merged later.
ROWS_PER_BULK = ROWS_PER_FRAGMENT
# How long a few changed records may wait after a write. Under constant load each write would add a fragment.
WRITE_PAUSE_SECONDS = 10.0
# Each catch-up adds a small fragment. Beyond this number they are merged, though never while a recall waits. Each one takes
# a search 0.15 ms; merging takes a quarter of a second with 100,000 memories.
COMPACT_AT_FRAGMENTS = 16


class Numbered(Protocol):
    """An item of a feed."""

    @property
    def seq(self) -> int: ...


Item = TypeVar("Item", bound=Numbered)
ItemOut = TypeVar("ItemOut", bound=Numbered, covariant=True)
Found = TypeVar("Found")


class FeedOf(ChangeFeed, Protocol[ItemOut]):
    """A feed of items of one type."""

    def since(self, seq: int, space: Space, limit: int) -> Sequence[ItemOut]: ...


class Follower(Generic[Item]):
    """A dataset in a folder, kept up to date with a feed."""

    def __init__(self, folder: Path, layout: Layout[Item], *, read_only: bool = False, bucket: str = "") -> None:
        """With a `bucket`, the table is there, and only its lock and the codes of its vectors are in the folder."""
        self._layout = layout
        self._files = dataset_files(folder, layout.name, bucket, read_only=read_only)
        self._path = self._files.path
        self._dataset: lance.LanceDataset | None = None
        self._session: lance.Session | None = None
        self._thread_lock = threading.RLock()

    # Following the ledger

    def catch_up(
        self, feed: FeedOf[Item], space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            with translate_errors():
                if self._is_current(feed, space):
                    return CatchUp(generation=self._generation())
                with self._writing(deadline) as locked:
                    if not locked:
                        return CatchUp(behind=feed.behind(self._applied()), generation=self._generation())
                    caught_up = self._follow_or_rebuild(feed, space, deadline, progress)
                    return replace(caught_up, generation=self._generation())
        except Unavailable as error:
            return CatchUp(behind=feed.behind(0), problem=error.message, code=error.code)

    def _is_current(self, feed: FeedOf[Item], space: Space) -> bool:
        # Another thread of this process may search, and moves the same dataset to its latest version.
        with self._thread_lock:
            try:
                dataset = self._latest()
            except Unavailable:
                return False
            if dataset is None or not self._belongs(dataset, space):
                return False
            return applied_seq(dataset) == feed.tip() and _follows(dataset, feed)

    def _follow_or_rebuild(
        self, feed: FeedOf[Item], space: Space, deadline: float | None, progress: Progress | None
    ) -> CatchUp:
        try:
            with translate_errors():
                return self._follow(feed, space, deadline, progress)
        except Unavailable as error:
            if error.code == INDEX_UNREACHABLE:
                raise
            # Some damage only shows when old rows are read for writing.
            self._remove()
            return replace(self._follow(feed, space, deadline, progress), repaired=error.message)

    def _follow(self, feed: FeedOf[Item], space: Space, deadline: float | None, progress: Progress | None) -> CatchUp:
        dataset, repaired = self._usable(space, feed)
        total, applied, seq = feed.behind(applied_seq(dataset)), 0, applied_seq(dataset)
        while items := feed.since(seq, space, ROWS_PER_BULK if deadline is None else ROWS_PER_BATCH):
            self._apply(dataset, items, space, feed)
            applied, seq = applied + len(items), items[-1].seq
            if progress:
                progress(applied, max(total, applied), "indexing")
            if deadline is not None and time.monotonic() > deadline:
                break
        return CatchUp(applied=applied, behind=feed.behind(seq), repaired=repaired)

    def _apply(self, dataset: lance.LanceDataset, items: Sequence[Item], space: Space, feed: FeedOf[Item]) -> None:
        with translate_errors():
            self._layout.apply(dataset, self._files, items, space.dimensions)
            # Written last: if anything before it is lost, the batch is applied again.
            mark_applied(dataset, items[-1].seq, feed.landmark())
            self._files.note_written()

    def _usable(self, space: Space, feed: FeedOf[Item]) -> tuple[lance.LanceDataset, str]:
        """Open the dataset, or create a new one if it cannot be used; return it with the problem that was found."""
        dataset, problem = self._open_or_repair()
        if dataset is not None and not self._belongs(dataset, space):
            dataset, problem = None, "" if is_unfinished(dataset) else "made for another embedding space or version"
        if dataset is not None and not _follows(dataset, feed):
            dataset, problem = None, "made from another history of the ledger"
        if dataset is not None and (damage := self._damage(dataset)):
            dataset, problem = None, damage
        if dataset is None:
            self._remove()
            with translate_errors():
                dataset = create(self._files, space, self._layout)
        self._dataset = dataset
        return dataset, problem

    def _damage(self, dataset: lance.LanceDataset) -> str:
        """Return what is wrong with files that Lance does not know of."""
        return ""

    def _open_or_repair(self) -> tuple[lance.LanceDataset | None, str]:
        problem = ""
        while self._files.may_exist():
            try:
                self._dataset = None
                return self._latest(), problem
            except Unavailable as error:
                if error.code == INDEX_UNREACHABLE:
                    raise
                problem = error.message
                if not self._drop_newest_manifest():
                    break
        return None, problem

    def _drop_newest_manifest(self) -> bool:
        """Go back one version, whose changes the feed then replays; False if there is no older one."""
        # Manifest names count down, so the newest sorts first.
        manifests = [name for name in self._files.names("_versions") if name.endswith(".manifest")]
        if len(manifests) < 2:
            return False
        self._files.delete(manifests[0])
        return True

    def _applied_of(self, feed: FeedOf[Item], space: Space) -> int | None:
        """Return how far the dataset has followed this feed in this space; None if it has not."""
        with self._thread_lock, translate_errors():
            dataset = self._latest()
            is_own = dataset is not None and self._belongs(dataset, space) and _follows(dataset, feed)
            return applied_seq(dataset) if dataset is not None and is_own else None

    def _was_just_written(self) -> bool:
        """Return whether any process has written the dataset a moment ago."""
        try:
            written = self._files.written_at()
        except OSError:
            return False
        return 0 <= time.time() - written < WRITE_PAUSE_SECONDS

    # Upkeep

    def optimize(self, *, only_if_due: bool = False) -> bool:
        with self._writing(time.monotonic() if only_if_due else None) as locked, translate_errors():
            if not locked and only_if_due:
                return False
            if not locked:
                raise unwritable()
            dataset = self._latest()
            if dataset is None or (only_if_due and small_fragments(dataset) <= COMPACT_AT_FRAGMENTS):
                return False
            compact(dataset)
            index_vectors(dataset, self._layout)
            renew_session()
            return True

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        self._files.drop(seconds=seconds, unless=lambda: bool(only) and only != self._generation())
        self._close()

    def status(self) -> IndexStatus:
        try:
            with self._thread_lock, translate_errors():
                dataset = self._latest()
                return IndexStatus(exists=False) if dataset is None else status(dataset, self._path, self._layout)
        except Unavailable as error:
            return IndexStatus(exists=True, problem=error.message, bytes=folder_bytes(self._path))

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        with self._thread_lock, translate_errors():
            dataset = self._latest()
            if dataset is None:
                return
            scanner = dataset.scanner(columns=["id", "content_hash"], order_by=[ColumnOrdering("id")])
            for batch in scanner.to_batches():
                yield from zip(batch["id"].to_pylist(), batch["content_hash"].to_pylist(), strict=True)

    # Access to the dataset

    def _retry(self, search: Callable[[], Found]) -> Found:
        """Search again if it fails: another process may have removed the version that this one was reading."""
        try:
            return search()
        except Unavailable:
            self._dataset = None
            return search()

    def _latest(self) -> lance.LanceDataset | None:
        with self._thread_lock, translate_errors():
            session = shared_session()
            known = self._dataset if self._session is session else None
            self._session, self._dataset = session, open_latest(self._files, known, session)
            return self._dataset

    def _belongs(self, dataset: lance.LanceDataset, space: Space) -> bool:
        return belongs(dataset, space, self._layout) and self._files.is_own(generation(dataset))

    def _applied(self) -> int:
        with suppress(Unavailable), self._thread_lock:
            if (dataset := self._latest()) is not None:
                return applied_seq(dataset)
        return 0

    def _generation(self) -> str:
        with suppress(Unavailable), self._thread_lock:
            if (dataset := self._latest()) is not None:
                return generation(dataset)
        return ""

    def _remove(self) -> None:
        self._close()
        self._files.remove()

    def _close(self) -> None:
        with self._thread_lock:
            self._dataset = None

    @contextmanager
    def _writing(self, deadline: float | None) -> Iterator[bool]:
        with self._files.writing(deadline) as locked, self._thread_lock:
            yield locked


def _follows(dataset: lance.LanceDataset, feed: ChangeFeed) -> bool:
    """Return whether the dataset was built from this ledger's history. A restored backup has another history."""
    return applied_seq(dataset) <= feed.tip() and feed.has_landmark(landmark(dataset))
