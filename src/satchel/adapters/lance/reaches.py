"""A cache of facts about scopes: their share of the dataset, and their few unusual records."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import lance
from msgspec import Struct

from satchel.adapters.lance.where import one_of
from satchel.domain.record import Kind, Label, Memory, MemoryId, State, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View, held_out_by

Standing = tuple[Trust, State]

_COLUMNS = ("id", "scope", "trust_tier", "state", "kind", "importance_label", "valid_from", "valid_to", "media_refs")
_NEVER = float("inf")


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
    """Caches the summary of each reach for one version of a dataset."""

    def __init__(self) -> None:
        self._version = 0
        self._known: dict[Reach, ReachSummary] = {}

    def get(self, dataset: lance.LanceDataset, reach: Reach) -> ReachSummary:
        """Return the summary of a reach."""
        if self._version != dataset.version:
            self._version, self._known = dataset.version, {}
        if reach not in self._known:
            self._known[reach] = _summarise(dataset, reach)
        return self._known[reach]


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
