"""The Lance index: a copy of the ledger laid out as the LanceDB table `memories`, for search by word and by meaning."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lance.query import MatchQuery

from satchel.adapters.lance.follower import TIDY_AT_FRAGMENTS, Follower
from satchel.adapters.lance.guard import translated
from satchel.adapters.lance.schema import MEMORIES
from satchel.adapters.lance.where import view_filter, whole_filter
from satchel.adapters.lance.within import KnownReaches, Within
from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import FeedItem

__all__ = ["TIDY_AT_FRAGMENTS", "LanceIndex"]

# Of about a hundred partitions at 100,000 rows. 24 found 90 % of the true neighbours there, 48 found 97 %.
VECTOR_PROBES = 48
# The neighbours within a small scope lie far apart, so all partitions are looked into: of a scope of 100 in a million
# rows, 48 of 128 partitions found 80 % of them. It takes little longer, since nearly every row is passed over.
SMALL_SHARE = 0.01
EVERY_PARTITION = 100_000
# A filter that names more records than this is no quicker than one that looks at every rule.
MOST_NAMED = 200

Query = Callable[[Within], dict[str, Any]]
"""What is asked of Lance, given what is known of the reach."""


class LanceIndex(Follower[FeedItem]):
    """Implements ports.Index in a folder of its own."""

    in_ledger = False

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        super().__init__(folder, MEMORIES, read_only=read_only)
        self._reaches = KnownReaches()

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        if not terms:
            return []
        wanted = {"full_text_query": MatchQuery(" ".join(terms), "terms"), "limit": limit}
        rows = self._search(view, "_score", lambda _: wanted)
        return [Candidate(MemoryId(row["id"]), row["_score"], row["content_hash"]) for row in rows]

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        wanted = {"column": "vector", "q": np.frombuffer(vector, dtype=np.float32), "k": limit, "metric": "cosine"}
        rows = self._search(view, "_distance", lambda within: {"nearest": {**wanted, "nprobes": _probes(within)}})
        return [Candidate(MemoryId(row["id"]), 1.0 - row["_distance"], row["content_hash"]) for row in rows]

    def _search(self, view: View, measure: str, query: Query) -> list[dict[str, Any]]:
        try:
            return self._scan(view, measure, query)
        except Unavailable:
            # Another process may have cleaned up the version this one was reading.
            self._dataset = None
            return self._scan(view, measure, query)

    def _scan(self, view: View, measure: str, query: Query) -> list[dict[str, Any]]:
        columns = ["id", "content_hash", measure]
        with translated():
            with self._thread_lock:
                dataset = self._latest()
                if dataset is None:
                    return []
                within = self._reaches.look(dataset, view.reach)
                admitted = within.admitted(view)
                condition = whole_filter(view) if len(admitted) > MOST_NAMED else view_filter(view, admitted)
                scanner = dataset.scanner(columns=columns, filter=condition, prefilter=True, **query(within))
            # A scanner stays on the version it was made for, so that two searches can run at once.
            return list(scanner.to_table().to_pylist())


def _probes(within: Within) -> int:
    return EVERY_PARTITION if within.share < SMALL_SHARE else VECTOR_PROBES
