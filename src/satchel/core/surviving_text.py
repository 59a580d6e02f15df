"""Elsewhere: whether a piece of a text that is to be forgotten stands in some record that stays. One list for all."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from satchel.domain.observation import ObservationId
from satchel.domain.passage import PassageId
from satchel.domain.record import MemoryId
from satchel.ports import Ledger


class Going(Struct, frozen=True):
    """What is to be forgotten, by the names of its records."""

    memory: MemoryId = MemoryId("")
    observations: Sequence[ObservationId] = ()
    passages: Sequence[PassageId] = ()
    source: str = ""
    """A source of the graph."""
    scope: str = ""
    told: Sequence[str] = ()
    """Of this scope's messages, those go that hold one of these texts."""


def held_elsewhere(ledger: Ledger, going: Going) -> Callable[[str], bool]:
    """Return who knows whether a piece of text is held by anything but what is going."""
    resting_on = [going.memory, *going.observations, *going.passages]
    return lambda piece: (
        ledger.memories.contains(piece, besides=going.memory)
        or ledger.observations.contains(piece, besides=going.observations)
        or ledger.passages.contains(piece, besides=going.passages)
        or ledger.graph.contains(piece, besides=going.source or going.memory)
        or ledger.facts.contains(piece, resting_on=resting_on)
        or ledger.conversations.contains(piece, scope=going.scope, besides=going.told)
    )
