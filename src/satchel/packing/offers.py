"""Convert the results of each lane into offers, with short citations."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.changes import Changes
from satchel.domain.citations import LONGER_CITATION_CHARS, citation
from satchel.domain.document_hits import DocHit
from satchel.domain.episode import EpisodeHit
from satchel.domain.graph import EntityType
from satchel.domain.graph_answers import A_PERSON, GraphAnswer
from satchel.domain.observation import KeptObservation
from satchel.domain.ranking import Contribution, Hit, LaneItem
from satchel.domain.record import Kind, Memory, MemoryId
from satchel.packing.values import Offer, OfferSource

# Plans and todos are intent, not facts.
_INTENT = (Kind.PLAN, Kind.TODO)
_KNOWN = {
    OfferSource.FACTS: ("f", "temporal_fact", "fact", "fact"),
    OfferSource.CONVERSATIONS: ("d", "decision", "decided", "decision"),
}


def with_unique_refs(offers: Sequence[Offer]) -> list[Offer]:
    """Return offers with distinct citations: those that share one get a longer one, in the end their full id."""
    cited = list(offers)
    for chars in (*LONGER_CITATION_CHARS, None):
        refs = Counter(one.ref for one in cited)
        if len(refs) == len(cited):
            break
        cited = [replace(one, ref=_longer_ref(one, chars)) if refs[one.ref] > 1 else one for one in cited]
    return cited


def _longer_ref(offer: Offer, chars: int | None) -> str:
    return offer.id if chars is None else citation(offer.ref[:1], offer.id, chars)


def memory_offer(hit: Hit) -> Offer:
    """Return the offer of a recalled memory."""
    return with_scores(record_offer(hit.memory, hit.relevance), hit.contributions, hit.score)


def record_offer(memory: Memory, relevance: float, *, dissent: bool = False) -> Offer:
    """Return the offer of a memory, however it was found."""
    plan = memory.kind in _INTENT
    words = [_marked(f"{memory.kind}, not yet done" if plan else str(memory.kind), memory.trust)]
    words += ["dissent"] if dissent else []
    return Offer(
        ref=citation("m", memory.id),
        id=memory.id,
        source=OfferSource.MEMORIES,
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


def with_changes(offers: Sequence[Offer], hits: Sequence[Hit], changes: Changes) -> list[Offer]:
    """Mark the offers that a newer one contradicts, and add the hits that one replaces, each after it."""
    replaced = [(changes.left_out[hit.memory.id], hit) for hit in hits if hit.memory.id in changes.left_out]
    marked = list[Offer]()
    for one in offers:
        marked.append(replace(one, earlier_than=changes.earlier.get(MemoryId(one.id), "")))
        marked += [replace(memory_offer(hit), replaced_by=newer) for newer, hit in replaced if newer == one.id]
    return marked


def turn_offer(number: int, role: str, text: str) -> Offer:
    """Return the offer of a recent turn given by the caller."""
    ref = f"t{number}"
    return Offer(ref, ref, OfferSource.TAIL, "recent_turn", text, 1.0, head=role)


def episode_offer(hit: EpisodeHit) -> Offer:
    """Return the offer of an episode."""
    offer = Offer(
        ref=citation("e", hit.id),
        id=hit.id,
        source=OfferSource.EPISODES,
        type="episode",
        text=hit.text,
        relevance=hit.relevance,
        head=hit.speaker or hit.kind.rpartition(".")[2],
        kind=hit.kind,
        trust=hit.trust,
        at=hit.at,
        session=hit.session,
        position=hit.position,
        named=any(part.name == "speaker" for part in hit.contributions),
    )
    return with_scores(offer, hit.contributions, hit.score)


def observation_offer(kept: KeptObservation) -> Offer:
    """Return the offer of an observation that was graded as worth keeping."""
    one = kept.observation
    return Offer(
        ref=citation("o", one.id),
        id=one.id,
        source=OfferSource.OBSERVATIONS,
        type="observation",
        text=kept.text,
        relevance=kept.relevance,
        head=one.tool_name or one.kind,
        kind=one.kind,
        label=one.label,
        trust=one.trust,
        at=one.at,
    )


def document_offer(hit: DocHit) -> Offer:
    """Return the offer of a document passage."""
    offer = Offer(
        ref=hit.citation,
        id=hit.id,
        source=OfferSource.DOCUMENTS,
        type="document",
        text=hit.text,
        relevance=hit.relevance,
        head=" › ".join(hit.heading) or hit.title,
        kind=hit.kind,
        trust=hit.trust,
    )
    return with_scores(offer, hit.contributions, hit.score)


def item_offer(item: LaneItem, source: OfferSource) -> Offer:
    """Return the offer of a fact or a decision from a conversation."""
    letter, type, head, kind = _KNOWN[source]
    return Offer(
        ref=citation(letter, item.id),
        id=item.id,
        source=source,
        type=type,
        text=item.text,
        relevance=item.relevance,
        head=_marked(head, item.trust),
        kind=kind,
        trust=item.trust,
        at=item.at,
        # Sources are cited with and without their type prefix.
        rests_on=(*item.citations, *(one.partition(":")[2] for one in item.citations)),
    )


def relation_offer(answer: GraphAnswer) -> Offer:
    """Return the offer of a relation in the graph."""
    # Of the entities, not of the text: two people who may not be named are two relations.
    steps: list[Json] = [[tie.tail.id, tie.relation, tie.label, tie.head.id] for tie in answer.path.ties]
    id = digest(canonical(steps or answer.entity.id)).removeprefix("sha256:")
    is_hidden = any(one.type is EntityType.PERSON and one.name == A_PERSON for one in answer.path.entities)
    return Offer(
        ref=citation("r", id),
        id=id,
        source=OfferSource.GRAPH,
        type="relation",
        text=answer.text,
        relevance=answer.relevance,
        head=_marked("relation", answer.trust),
        kind="relation",
        trust=answer.trust,
        says=id if is_hidden else "",
    )


def rank_lane(offers: Sequence[Offer]) -> list[Offer]:
    """Rank the offers of one lane, so that merging lanes keeps each lane's order.

    An untrusted offer never lifts a trusted one above the offers of other lanes.
    """
    placed, worth = list[Offer](), defaultdict[str, float](float)
    for rank, one in reversed(list(enumerate(offers, start=1))):
        worth[one.trust] = max(worth[one.trust], one.likelihood)
        placed.append(replace(one, rank=rank, worth=worth[one.trust]))
    return placed[::-1]


def with_scores(offer: Offer, contributions: tuple[Contribution, ...], fused: float) -> Offer:
    """Return an offer with the scores of its lane."""
    raw: Mapping[str, float] = {part.name: part.raw for part in contributions}
    scores = {"rrf": fused, "fts": raw.get("lexical"), "semantic": raw.get("vector")}
    return replace(offer, scores=scores)


def _marked(head: str, trust: str) -> str:
    """Return the text before the content, with the trust of what is not trusted."""
    return head if trust == "trusted" else f"{head}, {trust}"


def _address(source: str | None) -> str | None:
    """Return a source that is a public address; local paths are private."""
    return source if source and source.startswith(("https://", "http://")) else None
