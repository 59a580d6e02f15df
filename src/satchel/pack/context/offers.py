"""Offers: what each lane found, in the one form that a pack is chosen from."""

from collections.abc import Mapping

from msgspec.structs import replace

from satchel.domain.contextpack import Offer, Source
from satchel.domain.ranking import Contribution, Hit
from satchel.domain.record import Kind, Memory
from satchel.domain.reference import reference

# What somebody means to do is no fact.
_INTENT = (Kind.PLAN, Kind.TODO)


def of_memory(hit: Hit, *, dissent: bool = False) -> Offer:
    """Return a memory that was found."""
    return with_scores(of_record(hit.memory, hit.relevance, dissent=dissent), hit.contributions, hit.score)


def of_record(memory: Memory, relevance: float, *, dissent: bool = False) -> Offer:
    """Return a memory, however it was come by."""
    plan = memory.kind in _INTENT
    words = [f"{memory.kind}, not yet done" if plan else str(memory.kind)]
    words += [] if memory.trust == "trusted" else [str(memory.trust)]
    words += ["dissent"] if dissent else []
    return Offer(
        ref=reference("mem", memory.id),
        id=memory.id,
        source=Source.MEMORIES,
        type="plan" if plan else "memory",
        text=memory.text,
        relevance=relevance,
        head=", ".join(words),
        kind=memory.kind,
        label=memory.label,
        trust=memory.trust,
        at=memory.created_at,
        url=_address(memory.source_ref),
        rests_on=tuple(filter(None, [memory.source_ref])),
        dissent=dissent,
    )


def of_turn(number: int, role: str, text: str) -> Offer:
    """Return one of the newest turns, as the caller gave it."""
    ref = f"tail:{number}"
    return Offer(ref, ref, Source.TAIL, "recent_turn", text, 1.0, head=role)


def with_scores(offer: Offer, contributions: tuple[Contribution, ...], fused: float) -> Offer:
    """Return an offer with the scores of the lanes that found it."""
    raw: Mapping[str, float] = {part.name: part.raw for part in contributions}
    scores = {"rrf": fused, "fts": raw.get("lexical"), "semantic": raw.get("vector")}
    return replace(offer, scores=scores)


def _address(source: str | None) -> str | None:
    """Return where a record came from if that is an address anybody may see: paths of this machine are private."""
    return source if source and source.startswith(("https://", "http://")) else None
