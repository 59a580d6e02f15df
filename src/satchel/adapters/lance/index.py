"""The Lance index of memories, laid out as the LanceDB table `memories`, for full-text search, with codes of vectors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import lance
from lance.query import MatchQuery
from msgspec.structs import replace

from satchel.adapters.lance.codes import Codes
from satchel.adapters.lance.follower import Follower
from satchel.adapters.lance.guard import translate_errors
from satchel.adapters.lance.reaches import ReachCache
from satchel.adapters.lance.schema import MEMORIES, MEMORIES_WITH_VECTORS
from satchel.adapters.lance.where import full_filter, view_filter
from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import FeedItem, IndexStatus

# A filter that lists more ids than this is no faster than one with every rule.
MAX_LISTED = 200


class ExactVectors(Protocol):
    """The ledger's memories, with the vectors that the codes were made from."""

    def nearest_among(self, rows: Sequence[int], vector: Vector, view: View, limit: int) -> list[Candidate]:
        """Return the nearest of the records in these rows that the view admits."""
        ...


class LanceIndex(Follower[FeedItem]):
    """Implements ports.Index in a folder."""

    in_ledger = False

    def __init__(
        self, folder: Path, exact: ExactVectors, *, read_only: bool = False, with_vectors: bool = False
    ) -> None:
        """With `with_vectors`, the table has the vectors too, for people who search it with LanceDB."""
        super().__init__(folder, MEMORIES_WITH_VECTORS if with_vectors else MEMORIES, read_only=read_only)
        self._exact = exact
        self._reaches = ReachCache()
        self._codes: Codes | None = None

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        if not terms:
            return []
        rows = self._retry(lambda: self._scan(MatchQuery(" ".join(terms), "terms"), view, limit))
        return [Candidate(MemoryId(row["id"]), row["_score"], row["content_hash"]) for row in rows]

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        return self._exact.nearest_among(self._retry(lambda: self._closest(vector, view, limit)), vector, view, limit)

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

    def _scan(self, query: MatchQuery, view: View, limit: int) -> list[dict[str, Any]]:
        columns = ["id", "content_hash", "_score"]
        with translate_errors():
            with self._thread_lock:
                dataset = self._latest()
                if dataset is None:
                    return []
                admitted = self._reaches.get(dataset, view.reach).admitted(view)
                condition = full_filter(view) if len(admitted) > MAX_LISTED else view_filter(view, admitted)
                scanner = dataset.scanner(
                    columns=columns, filter=condition, prefilter=True, full_text_query=query, limit=limit
                )
            # A scanner stays on its version, so two searches can run at the same time.
            return list(scanner.to_table().to_pylist())

    def _closest(self, vector: Vector, view: View, limit: int) -> list[int]:
        with translate_errors():
            with self._thread_lock:
                codes = self._latest_codes()
            # Two searches can run at the same time: the arrays are only read.
            return [] if codes is None else codes.nearest(vector, view, limit)

    def _latest_codes(self) -> Codes | None:
        if self._codes is None or not self._path.exists() or not self._codes.is_current():
            dataset = self._latest()
            self._codes = None if dataset is None else Codes(self._path, _dimensions(dataset))
        return self._codes

    def _close(self) -> None:
        with self._thread_lock:
            super()._close()
            self._codes = None


def _dimensions(dataset: lance.LanceDataset) -> int:
    return int(str(dataset.config()["satchel.space"]).rpartition(" ")[2])
