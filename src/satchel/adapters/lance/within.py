"""What a search knows by heart of a reach: how much of the dataset it holds, and its few unusual records."""

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

_COLUMNS = ("id", "scope", "trust_tier", "state", "kind", "importance_label", "valid_from", "valid_to")
_NEVER = float("inf")


class Within(Struct, frozen=True):
    """What is known of one reach."""

    share: float
    """How much of the dataset it holds: 0 to 1."""
    unusual: Mapping[Standing, Sequence[Memory]]
    """Its unusual records, those of one standing together, the first to expire first."""

    def admitted(self, view: View) -> list[MemoryId]:
        """Return the unusual records that the view admits all the same."""
        return [memory.id for memory in self._likely(view) if held_out_by(memory, view) is None]

    def _likely(self, view: View) -> Iterator[Memory]:
        """Yield those that may be admitted, without a look at each: most are quarantined, retired or expired."""
        for (trust, state), group in self.unusual.items():
            if trust in view.trusts and state in view.states:
                yield from group if view.timeless else group[bisect_right(group, float(view.now), key=_end) :]


class KnownReaches:
    """What is known of one version of a dataset: each reach is looked at once."""

    def __init__(self) -> None:
        self._version = 0
        self._known: dict[Reach, Within] = {}

    def look(self, dataset: lance.LanceDataset, reach: Reach) -> Within:
        """Return what is known of a reach."""
        if self._version != dataset.version:
            self._version, self._known = dataset.version, {}
        if reach not in self._known:
            self._known[reach] = _look(dataset, reach)
        return self._known[reach]


def _look(dataset: lance.LanceDataset, reach: Reach) -> Within:
    scopes = "true" if reach.everywhere else one_of("scope", reach.scopes)
    share = dataset.count_rows(scopes) / max(1, dataset.count_rows())
    found: dict[Standing, list[Memory]] = {}
    for row in dataset.to_table(columns=list(_COLUMNS), filter=f"{scopes} AND unusual = true").to_pylist():
        memory = _standing_of(row)
        found.setdefault((memory.trust, memory.state), []).append(memory)
    return Within(share, {standing: sorted(group, key=_end) for standing, group in found.items()})


def _end(memory: Memory) -> float:
    return _NEVER if memory.valid_to is None else memory.valid_to


def _standing_of(row: dict[str, Any]) -> Memory:
    """Return a record with nothing but what the rules of a view look at."""
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
    )
