"""The result of a recall, and the trace of one record through it."""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType, field

from satchel.domain.document_hits import DocumentFallback
from satchel.domain.history import Point
from satchel.domain.ranking import Hit
from satchel.domain.record import MemoryId
from satchel.domain.scope import Placement
from satchel.recall.fusion import VECTOR
from satchel.recall.relevance import PLAUSIBLE, likelihood


class HeldOut(Struct, frozen=True):
    """A matching record that a rule kept out of the answer."""

    id: MemoryId
    rule: str


class Recalled(Struct, frozen=True):
    """The memories that answer a question, best first, and which records were held out by which rule."""

    hits: tuple[Hit, ...]
    relevance: float
    """The probability, from 0 to 1, that the hits hold an answer."""
    mode: str
    scope: str
    placement: Placement
    """How the scope was chosen."""
    policy_tier: str
    """The importance labels that were searched until there were enough hits."""
    held_out: tuple[HeldOut, ...]
    cold: DocumentFallback = field(default_factory=DocumentFallback)
    """Hits from documents, if there were too few memories."""
    as_of: Point | None = None
    """The earlier moment whose memories answered, if one was given."""
    nearest: tuple[Hit, ...] = ()
    """The best candidates below the minimum relevance, in the places that hits leave: probably about something else."""
    earlier: Mapping[MemoryId, MemoryId] | UnsetType = UNSET
    """The hits that a newer memory changes, each with that memory, if there are any."""

    @property
    def plausible(self) -> bool:
        """Whether a hit may well be about the question."""
        rated = any(hit.raw(VECTOR) is not None for hit in self.hits)
        return likelihood(self.relevance, rated=rated) >= PLAUSIBLE


class LaneFinding(Struct, frozen=True):
    """The result of one lane for one record."""

    lane: str
    ran: bool
    """Whether the lane was searched."""
    brought: bool
    """Whether the lane returned the record as a candidate."""
    rank: int | None = None
    """The record's rank in the lane, as deep as the trace looked."""
    of: int = 0
    """Number of records in the lane, as deep as the trace looked."""
    pool: int = 0
    """Number of candidates that the lane returns."""
    score: float | None = None
    """The record's BM25 score or cosine."""
    problem: str = ""
    """Why the lane could not find the record, if not because of its rank."""


class RecordTrace(Struct, frozen=True):
    """How far one record got in a recall: facts only, taken from the recall itself."""

    returned: int | None
    """Its rank in the answer; None if it was not returned."""
    within: str
    """The searched scope that holds it; empty if none does."""
    fallback: str
    """Why the fallback scope that holds it was not searched; empty otherwise."""
    held_out_by: str | None
    """The view rule that excludes it."""
    gate: str
    """Why its tier was not searched: trust_gate or tier; empty if it was."""
    lanes: tuple[LaneFinding, ...]
    terms: tuple[str, ...]
    """The terms of the question."""
    held: tuple[str, ...]
    """The terms that the record holds."""
    in_fallback: bool = False
    """Whether it is in a fallback scope that was searched."""
    plausible: bool = True
    """Whether it is relevant enough to be returned from a fallback scope."""
    mismatch: bool = False
    """Whether index and ledger disagree about it."""
    rank: int | None = None
    """Its rank among all candidates."""
    ranked: int = 0
    """Number of candidates."""
    place: int | None = None
    """Its rank among the candidates that are relevant enough."""
    relevance: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    """The contributions to its score, by name."""
