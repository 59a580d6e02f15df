"""Offers: what each lane found, in the one form that a pack is chosen from."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.canonical import digest
from satchel.domain.document_hits import DocHit
from satchel.domain.episode import EpisodeHit
from satchel.domain.graph_answers import GraphAnswer
from satchel.domain.lane import LaneItem
from satchel.domain.ranking import Contribution, Hit
from satchel.domain.record import Kind, Memory
from satchel.packing.reference import reference
from satchel.packing.values import Offer, Source

# What somebody means to do is no fact.
_INTENT = (Kind.PLAN, Kind.TODO)
_KNOWN = {
    Source.FACTS: ("f", "temporal_fact", "fact", "fact"),
    Source.CONVERSATIONS: ("d", "decision", "decided", "decision"),
}


def of_memory(hit: Hit) -> Offer:
    """Return a memory that was found."""
    return with_scores(of_record(hit.memory, hit.relevance), hit.contributions, hit.score)


def of_record(memory: Memory, relevance: float, *, dissent: bool = False) -> Offer:
    """Return a memory, however it was come by."""
    plan = memory.kind in _INTENT
    words = [f"{memory.kind}, not yet done" if plan else str(memory.kind)]
    words += [] if memory.trust == "trusted" else [str(memory.trust)]
    words += ["dissent"] if dissent else []
    return Offer(
        ref=reference("m", memory.id),
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
    ref = f"t{number}"
    return Offer(ref, ref, Source.TAIL, "recent_turn", text, 1.0, head=role)


def of_episode(hit: EpisodeHit) -> Offer:
    """Return a turn that was found, as it was said."""
    offer = Offer(
        ref=reference("e", hit.id),
        id=hit.id,
        source=Source.EPISODES,
        type="episode",
        text=hit.text,
        relevance=hit.relevance,
        head=hit.speaker or hit.kind.rpartition(".")[2],
        kind=hit.kind,
        trust=hit.trust,
        at=hit.at,
        named=any(part.name == "speaker" for part in hit.contributions),
    )
    return with_scores(offer, hit.contributions, hit.score)


def of_document(hit: DocHit) -> Offer:
    """Return a piece of a document."""
    offer = Offer(
        ref=hit.citation,
        id=hit.id,
        source=Source.DOCUMENTS,
        type="document",
        text=hit.text,
        relevance=hit.relevance,
        head=" › ".join(hit.heading) or hit.title,
        kind=hit.kind,
        trust=hit.trust,
    )
    return with_scores(offer, hit.contributions, hit.score)


def of_item(item: LaneItem, source: Source) -> Offer:
    """Return what is true of a subject now, or what was decided in a conversation and why."""
    letter, type, head, kind = _KNOWN[source]
    return Offer(
        ref=reference(letter, item.id),
        id=item.id,
        source=source,
        type=type,
        text=item.text,
        relevance=item.relevance,
        head=head,
        kind=kind,
        trust=item.trust,
        at=item.at,
        # A source is cited with or without a word for what it is.
        rests_on=(*item.citations, *(one.partition(":")[2] for one in item.citations)),
    )


def of_relation(answer: GraphAnswer) -> Offer:
    """Return how things are connected, in words."""
    id = digest(answer.text).removeprefix("sha256:")
    return Offer(
        ref=reference("r", id),
        id=id,
        source=Source.GRAPH,
        type="relation",
        text=answer.text,
        relevance=answer.relevance,
        head="relation",
        kind="relation",
        trust=answer.trust,
    )


def in_lane(offers: Sequence[Offer]) -> list[Offer]:
    """Return the offers of one lane, best first, so that merging lanes keeps the order within each."""
    placed, worth = list[Offer](), 0.0
    for rank, one in reversed(list(enumerate(offers, start=1))):
        worth = max(worth, one.relevance)
        placed.append(replace(one, rank=rank, worth=worth))
    return placed[::-1]


def with_scores(offer: Offer, contributions: tuple[Contribution, ...], fused: float) -> Offer:
    """Return an offer with the scores of the lanes that found it."""
    raw: Mapping[str, float] = {part.name: part.raw for part in contributions}
    scores = {"rrf": fused, "fts": raw.get("lexical"), "semantic": raw.get("vector")}
    return replace(offer, scores=scores)


def _address(source: str | None) -> str | None:
    """Return where a record came from if that is an address anybody may see: paths of this machine are private."""
    return source if source and source.startswith(("https://", "http://")) else None
