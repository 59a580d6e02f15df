"""Erase a text from everywhere it was written, and show that it is gone."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.answers import ErasureCheck, Forgotten
from satchel.domain.observation import Observation, ObservationId
from satchel.domain.passage import PassageId
from satchel.domain.pieces import pieces
from satchel.domain.record import MemoryId
from satchel.ports import Files, FileSearch, Ledger

MAX_FRAGMENTS = 12


class ErasureTarget(Struct, frozen=True):
    """Evidence to erase: a text of one scope, the observations that hold it, or both."""

    scope: str
    observations: tuple[Observation, ...] = ()
    text: str = ""

    @property
    def ids(self) -> tuple[ObservationId, ...]:
        """The ids of the observations."""
        return tuple(one.id for one in self.observations)


class ErasedRecords(Struct, frozen=True):
    """The records that an erasure removes, so that their text does not count as surviving."""

    memory: MemoryId = MemoryId("")
    observations: Sequence[ObservationId] = ()
    passages: Sequence[PassageId] = ()
    source: str = ""
    """A source of the graph."""
    scope: str = ""
    texts: Sequence[str] = ()
    """Messages of this scope that hold one of these texts are erased too."""


def survives_elsewhere(ledger: Ledger, erased: ErasedRecords) -> Callable[[str], bool]:
    """Return a predicate: is this text in a surviving record?"""
    resting_on = [erased.memory, *erased.observations, *erased.passages]
    return lambda piece: (
        ledger.memories.contains(piece, excluding=erased.memory)
        or ledger.observations.contains(piece, excluding=erased.observations)
        or ledger.passages.contains(piece, excluding=erased.passages)
        or ledger.graph.contains(piece, excluding=erased.source or erased.memory)
        or ledger.facts.contains(piece, excluding_sources=resting_on)
        or ledger.conversations.contains(piece, scope=erased.scope, excluding=erased.texts)
    )


class Proof(Struct):
    """Searches the store's files for an erased text, before and after, when the caller wants proof."""

    files: Files
    needles: Sequence[bytes]
    before: FileSearch | None

    def check(self) -> ErasureCheck | None:
        """Search again and compare; None when no proof was wanted."""
        if self.before is None:
            return None
        return compare(len(self.needles), self.before, self.files.search(self.needles))


def prepare_proof(text: str, is_elsewhere: Callable[[str], bool], files: Files, *, verify: bool) -> Proof:
    """Search for the fragments of a text that no surviving record holds, before it is erased."""
    if not verify:
        return Proof(files, (), None)
    needles = [piece.encode() for piece in fragments(text) if not is_elsewhere(piece)]
    return Proof(files, needles, files.search(needles))


def clear_places(id: MemoryId, proof: Proof, places: Mapping[str, Callable[[], bool]]) -> Forgotten:
    """Clear each place after its records were erased; one that could not be cleared yet is named as pending."""
    done = {place: clear() for place, clear in places.items()}
    return Forgotten(
        "deleted",
        id,
        erased_from=tuple(place for place, clean in done.items() if clean),
        pending=tuple(place for place, clean in done.items() if not clean),
        check=proof.check(),
    )


def fragments(text: str) -> list[str]:
    """Return fragments of a text: short enough to lie unbroken in a file, long enough to be distinctive."""
    found = pieces(text)
    if len(found) <= MAX_FRAGMENTS:
        return found
    # Spread over the whole text, its end included.
    return [found[round(place * (len(found) - 1) / (MAX_FRAGMENTS - 1))] for place in range(MAX_FRAGMENTS)]


def compare(searched: int, before: FileSearch, after: FileSearch) -> ErasureCheck:
    """Compare the files before and after. Not finding a text proves something only if it was found before."""
    note = ""
    if not searched:
        note = "no fragment of the text is long enough and unique to this record"
    elif not before.holding:
        note = "the text was not found in the files before it was erased either"
    return ErasureCheck(
        conclusive=not note,
        fragments=searched,
        files=after.files,
        bytes=after.bytes,
        found_before=len(before.holding),
        found_after=after.holding,
        note=note,
    )
