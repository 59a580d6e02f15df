"""The Lance index of memories, laid out as the LanceDB table `memories`, for full-text and vector search."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lance.query import MatchQuery

from satchel.adapters.lance.dataset import probes
from satchel.adapters.lance.follower import Follower
from satchel.adapters.lance.guard import translate_errors
from satchel.adapters.lance.reaches import ReachSummary, shared_reaches
from satchel.adapters.lance.schema import MEMORIES
from satchel.adapters.lance.where import full_filter, view_filter
from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import Feed, FeedItem

# A filter that lists more ids than this is no faster than one with every rule.
MAX_LISTED = 200
# Changed records that may wait to be written.
MAX_PENDING = 200

Query = Callable[[ReachSummary], dict[str, Any]]
"""Returns the arguments of a Lance scan for a reach."""


class LanceIndex(Follower[FeedItem]):
    """Implements ports.Index in a folder."""

    in_ledger = False

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        super().__init__(folder, MEMORIES, read_only=read_only)
        self._reaches = shared_reaches(self._path)
        self._pending_at = 0, 0
        self._pending: tuple[Memory, ...] = ()

    def pending(self, feed: Feed, space: Space) -> tuple[Memory, ...]:
        # Every write adds a fragment, which no index covers, and a version, for which the cache of reaches is made again.
        try:
            seq = self._applied_of(feed, space) if self._was_just_written() else None
        except Unavailable:
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
        wanted = {"full_text_query": MatchQuery(" ".join(terms), "terms"), "limit": limit}
        rows = self._search(view, "_score", lambda _: wanted)
        return [Candidate(MemoryId(row["id"]), row["_score"], row["content_hash"]) for row in rows]

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        wanted = {"column": "vector", "q": np.frombuffer(vector, dtype=np.float32), "k": limit, "metric": "cosine"}
        rows = self._search(view, "_distance", lambda reach: {"nearest": {**wanted, "nprobes": probes(reach.share)}})
        return [Candidate(MemoryId(row["id"]), 1.0 - row["_distance"], row["content_hash"]) for row in rows]

    def _search(self, view: View, measure: str, query: Query) -> list[dict[str, Any]]:
        return self._retry(lambda: self._scan(view, measure, query))

    def _scan(self, view: View, measure: str, query: Query) -> list[dict[str, Any]]:
        columns = ["id", "content_hash", measure]
        with translate_errors():
            with self._thread_lock:
                dataset = self._latest()
                if dataset is None:
                    return []
                reach = self._reaches.get(dataset, view.reach)
                admitted = reach.admitted(view)
                condition = full_filter(view) if len(admitted) > MAX_LISTED else view_filter(view, admitted)
                scanner = dataset.scanner(columns=columns, filter=condition, prefilter=True, **query(reach))
            # A scanner stays on its version, so two searches can run at the same time.
            return list(scanner.to_table().to_pylist())


def _few_changed(feed: Feed, space: Space, seq: int) -> tuple[Memory, ...]:
    """Return the records that were changed since, if they are few and none was erased: that must leave the index at once."""
    if not 0 < feed.behind(seq) <= MAX_PENDING:
        return ()
    changed = [item.memory for item in feed.since(seq, space, MAX_PENDING + 1)]
    kept = [one for one in changed if one is not None]
    return tuple(kept) if len(kept) == len(changed) <= MAX_PENDING else ()
