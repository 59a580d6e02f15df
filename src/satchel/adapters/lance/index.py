"""The Lance index of memories, the LanceDB table `memories`, for full-text search, with codes of vectors."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import lance
from lance.query import MatchQuery
from msgspec.structs import replace

from satchel.adapters.lance.codes import Codes, LatestCodes
from satchel.adapters.lance.follower import Follower
from satchel.adapters.lance.guard import translate_errors
from satchel.adapters.lance.reaches import ReachCache
from satchel.adapters.lance.row_keys import RowKeys
from satchel.adapters.lance.schema import MEMORIES, MEMORIES_FOR_LANCEDB, ledger_key, row_of
from satchel.adapters.lance.shared import shared
from satchel.adapters.lance.where import full_filter, view_filter
from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import Feed, FeedItem, IndexStatus

# A filter that lists more ids than this is no faster than one with every rule.
MAX_LISTED = 200
# Changed records that may wait to be written.
MAX_PENDING = 200


class LedgerRows(Protocol):
    """The ledger's memories, with their names, and with the vectors that the codes were made from."""

    def names(self, rows: Sequence[int]) -> Mapping[int, tuple[MemoryId, str]]:
        """Return the id and content hash of the records in these rows."""
        ...

    def nearest_among(self, rows: Sequence[int], vector: Vector, view: View, limit: int) -> list[Candidate]:
        """Return the nearest of the records in these rows that the view admits."""
        ...


class LanceIndex(Follower[FeedItem]):
    """Implements ports.Index in a folder."""

    in_ledger = False

    def __init__(
        self,
        folder: Path,
        ledger: LedgerRows,
        *,
        read_only: bool = False,
        for_lancedb: bool = False,
        bucket: str = "",
    ) -> None:
        """With `for_lancedb`, the table has texts and vectors too, for people who search it with LanceDB."""
        super().__init__(folder, MEMORIES_FOR_LANCEDB if for_lancedb else MEMORIES, read_only=read_only, bucket=bucket)
        self._ledger = ledger
        self._reaches = shared(ReachCache, self._path)
        self._row_keys = shared(RowKeys, self._path)
        self._codes = shared(LatestCodes, self._path)
        self._pending_at = 0, 0
        self._pending: tuple[Memory, ...] = ()

    def pending(self, feed: Feed, space: Space) -> tuple[Memory, ...]:
        # Every write adds a fragment, which no index covers, and a version, for which the cache of reaches is made again.
        try:
            seq = self._applied_of(feed, space) if self._was_just_written() else None
            if seq is not None:
                with self._thread_lock, translate_errors():
                    self._latest_codes()
        except Unavailable:
            # It is repaired by catching up, so nothing waits.
            return ()
        if seq is None:
            return ()
        now = seq, feed.tip()
        if self._pending_at != now:
            self._pending_at, self._pending = now, _few_changed(feed, space, seq)
        return self._pending

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        if not terms:
            return []
        found = self._retry(lambda: self._scan(MatchQuery(" ".join(terms), "terms"), view, limit))
        named = self._ledger.names([row_of(key) for key, _ in found])
        return [_candidate(key, score, named.get(row_of(key))) for key, score in found]

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        return self._ledger.nearest_among(self._retry(lambda: self._closest(vector, view, limit)), vector, view, limit)

    def status(self) -> IndexStatus:
        found = super().status()
        if not found.exists or found.problem:
            return found
        try:
            with translate_errors():
                codes = self._latest_codes()
        except Unavailable as error:
            return replace(found, problem=error.message)
        return replace(found, rows_with_vectors=codes.count() if codes else 0, vector_index="codes", outgrown=False)

    def _scan(self, query: MatchQuery, view: View, limit: int) -> list[tuple[bytes, float]]:
        with translate_errors():
            with self._thread_lock:
                dataset = self._latest()
                if dataset is None:
                    return []
                admitted = self._reaches.get(dataset, view.reach).admitted(view)
                condition = full_filter(view) if len(admitted) > MAX_LISTED else view_filter(view, admitted)
                keys = self._row_keys.at_version(dataset)
                column = "ledger_key" if keys is None else "_rowid"
                scanner = dataset.scanner(
                    columns=[column, "_score"], filter=condition, prefilter=True, full_text_query=query, limit=limit
                )
            # A scanner stays on its version, so two searches can run at the same time.
            table = scanner.to_table()
            found = table[column].to_pylist()
            return list(zip(found if keys is None else keys.get(found), table["_score"].to_pylist(), strict=True))

    def _closest(self, vector: Vector, view: View, limit: int) -> list[int]:
        with translate_errors():
            codes = self._latest_codes()
            # Two searches can run at the same time: the arrays are only read.
            return [] if codes is None else codes.nearest(vector, view, limit)

    def _latest_codes(self) -> Codes | None:
        # This lock first, since the other one is held while the dataset is asked for its dimensions.
        with self._thread_lock:
            return self._codes.get(self._path, self._dimensions)

    def _dimensions(self) -> int | None:
        dataset = self._latest()
        return None if dataset is None else _dimensions(dataset)

    def _damage(self, dataset: lance.LanceDataset) -> str:
        try:
            with translate_errors():
                Codes(self._path, _dimensions(dataset))
        except Unavailable as error:
            return error.message
        return ""

    def _close(self) -> None:
        with self._thread_lock:
            super()._close()
            self._codes.forget()


def _few_changed(feed: Feed, space: Space, seq: int) -> tuple[Memory, ...]:
    """Return the records that were changed since, if they are few and none was erased: that must leave the index at once."""
    if not 0 < feed.behind(seq) <= MAX_PENDING:
        return ()
    changed = [item.memory for item in feed.since(seq, space, MAX_PENDING + 1)]
    kept = [one for one in changed if one is not None]
    return tuple(kept) if len(kept) == len(changed) <= MAX_PENDING else ()


def _candidate(key: bytes, score: float, named: tuple[MemoryId, str] | None) -> Candidate:
    """Return a candidate. The ledger confirms none that the index took for another record, and none that is not there."""
    row = row_of(key)
    id, content_hash = (MemoryId(f"row {row}"), "") if named is None else named
    return Candidate(id, score, content_hash if ledger_key(row, content_hash) == key else "")


def _dimensions(dataset: lance.LanceDataset) -> int:
    return int(str(dataset.config()["satchel.space"]).rpartition(" ")[2])
