"""A cache of facts about scopes: their share of the dataset, and their few unusual records."""

import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import lance
from msgspec import Struct

from satchel.adapters.lance.dataset import generation
from satchel.adapters.lance.where import one_of
from satchel.domain.record import Kind, Label, Memory, MemoryId, State, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View, held_out_by

Standing = tuple[Trust, State]

_COLUMNS = ("id", "scope", "trust_tier", "state", "kind", "importance_label", "valid_from", "valid_to", "media_refs")
_NEVER = float("inf")
MAX_VERSIONS = 2
# How many reaches are cached of each version.
MAX_REACHES = 256


class ReachSummary(Struct, frozen=True):
    """What is cached about one reach."""

    share: float
    """Its share of the dataset's rows, from 0 to 1."""
    unusual: Mapping[Standing, Sequence[Memory]]
    """Its unusual records by trust and state, the first to expire first."""

    def admitted(self, view: View) -> list[MemoryId]:
        """Return the unusual records that the view admits."""
        return [memory.id for memory in self._likely(view) if held_out_by(memory, view) is None]

    def _likely(self, view: View) -> Iterator[Memory]:
        """Yield those that may be admitted, skipping most of them: quarantined, retired or expired ones."""
        for (trust, state), group in self.unusual.items():
            if trust in view.trusts and state in view.states:
                yield from group if view.timeless else group[bisect_right(group, float(view.now), key=_end) :]


class ReachCache:
    """Caches the summary of each reach for the versions of a dataset that are being read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], dict[Reach, ReachSummary]] = {}

    def get(self, dataset: lance.LanceDataset, reach: Reach) -> ReachSummary:
        """Return the summary of a reach."""
        # Under the lock, so that two threads do not make the same one.
        with self._lock:
            known = self._of_version(generation(dataset), dataset.version)
            if reach not in known:
                if len(known) >= MAX_REACHES:
                    del known[next(iter(known))]
                known[reach] = _summarise(dataset, reach)
            return known[reach]

    def _of_version(self, generation: str, version: int) -> dict[Reach, ReachSummary]:
        state = generation, version
        if state not in self._known:
            # A thread may still be at the version before.
            for old in list(self._known)[: len(self._known) + 1 - MAX_VERSIONS]:
                del self._known[old]
            self._known[state] = {}
        return self._known[state]


def _summarise(dataset: lance.LanceDataset, reach: Reach) -> ReachSummary:
    scopes = "true" if reach.everywhere else one_of("scope", reach.scopes)
    share = dataset.count_rows(scopes) / max(1, dataset.count_rows())
    found: dict[Standing, list[Memory]] = {}
    for row in dataset.to_table(columns=list(_COLUMNS), filter=f"{scopes} AND unusual = true").to_pylist():
        memory = _memory(row)
        found.setdefault((memory.trust, memory.state), []).append(memory)
    return ReachSummary(share, {standing: sorted(group, key=_end) for standing, group in found.items()})


def _end(memory: Memory) -> float:
    return _NEVER if memory.valid_to is None else memory.valid_to


def _memory(row: dict[str, Any]) -> Memory:
    """Return a record with only the fields that the rules of a view check."""
    return Memory(
        id=MemoryId(row["id"]),
        text="",
        scope=row["scope"],
        created_at=0,
        updated_at=0,
        kind=Kind(row["kind"]),
        label=Label(row["importance_label"]),
        trust=Trust(row["trust_tier"]),
        state=State(row["state"]),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        media_refs=tuple(row["media_refs"] or ()),
    )
