"""Answer: lanes are gathered, fused, checked against the ledger and cut to the limit; and everything is accounted for."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.answers import HeldOut
from satchel.domain.canonical import Json
from satchel.domain.ranking import Candidate, Hit, Ranked
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View, held_out_by
from satchel.ports import Ledger, Memories
from satchel.recall.fuse import FUSIONS
from satchel.recall.lanes import Gathered, Meaning, gather
from satchel.recall.question import Question

# How many of those that were not returned an answer names.
NAMED_OTHERS = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits, and what became of every other candidate."""

    hits: tuple[Hit, ...]
    below_limit: tuple[Ranked, ...]
    held_out: tuple[HeldOut, ...]
    gathered: Gathered
    strays: int
    """Candidates that are not in the ledger as the index has them."""
    fusion: str


def answer(question: Question, view: View, ledger: Ledger, meaning: Meaning | None, fusion: str) -> Answer:
    """Find the memories that answer a question."""
    gathered = gather(question, view, ledger.memories, ledger.vectors, meaning)
    nominated = _nominated(gathered.lanes)
    ranked = FUSIONS[fusion](gathered.lanes)
    # Those below are only named, so they need not be read, unless some above turn out not to be what they seemed.
    looked_at = ranked[: question.limit + NAMED_OTHERS]
    memories = _sound(ledger.memories, nominated, looked_at, view)
    if len(memories) < len(looked_at):
        looked_at = ranked
        memories = _sound(ledger.memories, nominated, looked_at, view)
    sound = [one for one in looked_at if one.id in memories]
    return Answer(
        hits=tuple(_hits(sound[: question.limit], memories)),
        below_limit=tuple(sound[question.limit : question.limit + NAMED_OTHERS]),
        held_out=tuple(_held_out(ledger.memories, question, view)),
        gathered=gathered,
        strays=len(looked_at) - len(sound),
        fusion=fusion,
    )


def considered(found: Answer) -> dict[str, Json]:
    """Say how many candidates each lane brought, and from where."""
    counts: dict[str, Json] = {lane: len(candidates) for lane, candidates in sorted(found.gathered.lanes.items())}
    return counts | {"lexical_source": found.gathered.lexical_source}


def decided(found: Answer) -> dict[str, Json]:
    """Say what was returned and why, and what was not and why. Ids and scores only."""
    return {
        "fusion": found.fusion,
        "hits": [_hit_facts(hit) for hit in found.hits],
        "below_limit": [{"id": one.id, "score": one.score} for one in found.below_limit],
        "held_out": [{"id": one.id, "rule": one.rule} for one in found.held_out],
    }


def _nominated(lanes: dict[str, list[Candidate]]) -> dict[MemoryId, str]:
    return {one.id: one.content_hash for candidates in lanes.values() for one in candidates}


def _sound(
    memories: Memories, nominated: dict[MemoryId, str], ranked: Sequence[Ranked], view: View
) -> dict[MemoryId, Memory]:
    """Fetch candidates from the ledger, and keep those that are what they were taken for."""
    found = memories.fetch([one.id for one in ranked], view)
    return {id: memory for id, memory in found.items() if memory.content_hash == nominated[id]}


def _hits(ranked: Sequence[Ranked], memories: dict[MemoryId, Memory]) -> list[Hit]:
    return [Hit(memories[one.id], rank, one.score, one.contributions) for rank, one in enumerate(ranked, start=1)]


def _held_out(memories: Memories, question: Question, view: View) -> list[HeldOut]:
    matching = memories.held_out(question.terms, view, NAMED_OTHERS)
    return [HeldOut(memory.id, rule) for memory in matching if (rule := held_out_by(memory, view))]


def _hit_facts(hit: Hit) -> dict[str, Json]:
    lanes: dict[str, Json] = {part.lane: {"rank": part.rank, "score": part.lane_score} for part in hit.contributions}
    return {"id": hit.memory.id, "score": hit.score, "lanes": lanes}
