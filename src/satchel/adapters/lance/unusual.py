"""The unusual records of a dataset: few, and known by heart, so that a search can name those its view admits."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import lance

from satchel.adapters.lance.where import one_of
from satchel.domain.record import Kind, Label, Memory, MemoryId, State, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View, held_out_by

Standing = tuple[Trust, State]

_COLUMNS = ("id", "scope", "trust_tier", "state", "kind", "importance_label", "valid_from", "valid_to")
_NEVER = float("inf")


class UnusualRecords:
    """Those of one version of a dataset, read once for each reach that is asked for."""

    def __init__(self) -> None:
        self._version = 0
        self._within: dict[Reach, Mapping[Standing, Sequence[Memory]]] = {}

    def admitted(self, dataset: lance.LanceDataset, view: View) -> list[MemoryId]:
        """Return the unusual records that the view admits all the same."""
        if self._version != dataset.version:
            self._version, self._within = dataset.version, {}
        if view.reach not in self._within:
            self._within[view.reach] = _by_standing(dataset, view.reach)
        likely = _likely(self._within[view.reach], view)
        return [memory.id for memory in likely if held_out_by(memory, view) is None]


def _likely(records: Mapping[Standing, Sequence[Memory]], view: View) -> Iterator[Memory]:
    """Yield the records that may be admitted, without looking at each: most are quarantined, retired or expired."""
    for (trust, state), group in records.items():
        if trust in view.trusts and state in view.states:
            yield from group if view.timeless else group[bisect_right(group, float(view.now), key=_end) :]


def _by_standing(dataset: lance.LanceDataset, reach: Reach) -> Mapping[Standing, Sequence[Memory]]:
    """Read the unusual records within reach, those of one standing together, the first to expire first."""
    within = "" if reach.everywhere else f"{one_of('scope', reach.scopes)} AND "
    found: dict[Standing, list[Memory]] = {}
    for row in dataset.to_table(columns=list(_COLUMNS), filter=f"{within}unusual = true").to_pylist():
        memory = _standing_of(row)
        found.setdefault((memory.trust, memory.state), []).append(memory)
    return {standing: sorted(group, key=_end) for standing, group in found.items()}


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
