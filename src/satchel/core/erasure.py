"""Erase a text from everywhere it was written, and show that it is gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct

from satchel.domain.erasure import ErasureCheck, ForgetReason, Forgotten
from satchel.domain.fragments import text_fragments
from satchel.domain.observation import Observation, ObservationId
from satchel.domain.passage import PassageId
from satchel.domain.record import MemoryId, SourceKind, Trust
from satchel.domain.trust import CEILING, check_removal
from satchel.errors import Refused
from satchel.ports import Files, FileSearch, Ledger

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.domain.canonical import Json
    from satchel.domain.scope import Reach

MAX_FRAGMENTS = 12


class ErasureTarget(Struct, frozen=True):
    """Evidence to erase: a text of one scope, the observations that hold it, or both."""

    scope: str
    observations: tuple[Observation, ...] = ()
    text: str = ""
    everywhere: bool = True
    """Whether what only repeats the text goes in other scopes too."""

    @property
    def ids(self) -> tuple[ObservationId, ...]:
        """The ids of the observations."""
        return tuple(one.id for one in self.observations)


class ErasedRecords(Struct, frozen=True):
    """The records that an erasure removes, so that their text does not count as surviving."""

    memory: MemoryId = MemoryId("")
    versions: Sequence[MemoryId] = ()
    """Earlier versions of the memory."""
    observations: Sequence[ObservationId] = ()
    passages: Sequence[PassageId] = ()
    source: str = ""
    """A source of the graph."""
    scope: str = ""
    texts: Sequence[str] = ()
    """Messages of this scope that hold one of these texts are erased too."""


class ForgottenRecord(Struct, frozen=True):
    """A record that someone wants to forget."""

    id: str
    trust: Trust
    scope: str


def forget_facts(id: str, within: Reach, *, verify: bool, reason: ForgetReason | None) -> dict[str, Json]:
    """Return what the receipt of a forget says that was asked."""
    given: dict[str, Json] = {} if reason is None else {"reason": reason}
    return {"id": id, "scope": within.name, "verify": verify, **given}


def reaches_everywhere(channel: SourceKind, parts: Parts) -> bool:
    """Return whether a forget may touch other scopes: the operator's, and an agent's that may do what the operator may."""
    return parts.policies.agents.forget_trusted or CEILING[channel] is Trust.TRUSTED


def check_forget(record: ForgottenRecord, evidence: Sequence[Observation], channel: SourceKind, parts: Parts) -> None:
    """Raise Refused if an agent would erase a trusted record, or trusted evidence and messages with the same text.

    The operator erases anything; `agents.forget_trusted` gives agents the same right.
    """
    authority = CEILING[channel]
    if reaches_everywhere(channel, parts):
        return
    from shlex import quote  # only needed for an agent

    by, hint = "an agent", f"ask the person to run: satchel forget {quote(record.id)} --scope {quote(record.scope)}"
    check_removal(record.id, record.trust, authority, "forget", by=by, hint=hint)
    for one in evidence:
        check_removal(one.id, one.trust, authority, "forget", by=by, hint=hint)
    if any(map(parts.ledger.conversations.is_quoted_by_trusted, [record.id, *(one.id for one in evidence)])):
        raise Refused(
            f"an agent cannot forget {record.id}: a trusted message with the same text would be erased too",
            code="trust_not_granted",
            hint=hint,
        )


def survives_elsewhere(ledger: Ledger, erased: ErasedRecords) -> Callable[[str], bool]:
    """Return a predicate: is this text in a surviving record?"""
    resting_on = [erased.memory, *erased.versions, *erased.observations, *erased.passages]
    return lambda text: (
        ledger.memories.contains(text, excluding=erased.memory, versions=erased.versions)
        or ledger.observations.contains(text, excluding=erased.observations)
        or ledger.passages.contains(text, excluding=erased.passages)
        or ledger.graph.contains(text, excluding=erased.source or erased.memory)
        or ledger.facts.contains(text, excluding_sources=resting_on)
        or ledger.conversations.contains(text, scope=erased.scope, excluding=erased.texts)
    )


class ErasureProof(Struct):
    """Searches the store's files for an erased text, before and after, if the caller wants proof."""

    files: Files
    needles: Sequence[bytes]
    before: FileSearch | None

    def check(self) -> ErasureCheck | None:
        """Search again and compare; None if no proof was requested."""
        if self.before is None:
            return None
        return compare_searches(len(self.needles), self.before, self.files.search(self.needles))


def prepare_erasure_proof(
    text: str, is_elsewhere: Callable[[str], bool], files: Files, *, verify: bool
) -> ErasureProof:
    """Search for the fragments of a text that no surviving record holds, before it is erased."""
    if not verify:
        return ErasureProof(files, (), None)
    needles = [fragment.encode() for fragment in sample_fragments(text) if not is_elsewhere(fragment)]
    return ErasureProof(files, needles, files.search(needles))


def clear_places(id: MemoryId, proof: ErasureProof, places: Mapping[str, Callable[[], bool]]) -> Forgotten:
    """Clear each place after its records were erased; a place that cannot be cleared yet is listed as pending."""
    done = {place: clear() for place, clear in places.items()}
    return Forgotten(
        "deleted",
        id,
        erased_from=tuple(place for place, clean in done.items() if clean),
        pending=tuple(place for place, clean in done.items() if not clean),
        check=proof.check(),
    )


def sample_fragments(text: str) -> list[str]:
    """Return at most MAX_FRAGMENTS fragments of a text, spread evenly from its beginning to its end."""
    found = text_fragments(text)
    if len(found) <= MAX_FRAGMENTS:
        return found
    return [found[round(place * (len(found) - 1) / (MAX_FRAGMENTS - 1))] for place in range(MAX_FRAGMENTS)]


def compare_searches(searched: int, before: FileSearch, after: FileSearch) -> ErasureCheck:
    """Compare the file searches before and after. Not finding a text proves erasure only if it was found before."""
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
        tables=after.tables or UNSET,
        unseen=after.unseen or UNSET,
    )
