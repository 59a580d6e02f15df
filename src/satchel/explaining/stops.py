"""Stops: where a record's way into an answer ended and by which rule, from what a recall says of its whereabouts."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from satchel.domain.explanation import LaneFinding, Step, Whereabouts
from satchel.domain.moment import iso
from satchel.domain.record import Memory, State

LEXICAL = "lexical"
RETURNED = "returned"


class Asked(Struct, frozen=True):
    """What was asked, as far as it decides."""

    scope: str
    mode: str
    limit: int
    min_relevance: float
    kinds: tuple[str, ...] = ()


def rule_of(memory: Memory, at: Whereabouts, asked: Asked) -> str:
    """Name the first rule that stopped a record; "returned" when none did."""
    if at.returned is not None:
        return RETURNED
    if not at.within:
        return "fallback" if at.fallback else "scope"
    if at.held_out_by is not None:
        return _standing_rule(memory, at.held_out_by)
    if at.gate or at.stray:
        return at.gate or "index_mismatch"
    if at.rank is None:
        return _lane_rule(at)
    if at.place is None:
        return "min_relevance"
    return "fallback_relevance" if at.stands_in and not at.plausible else "limit"


def _standing_rule(memory: Memory, held_out_by: str) -> str:
    if held_out_by == "trust":
        return str(memory.trust)
    if held_out_by == "state":
        return "superseded" if memory.state is State.RETIRED and memory.replaced_by else str(memory.state)
    return held_out_by


def _lane_rule(at: Whereabouts) -> str:
    """Name why no lane brought a record: what is missing before what is merely too far down."""
    lacking = {lane.lane: lane.problem for lane in at.lanes if lane.problem}
    for problem in ("not_embedded", "index_behind", "index_unusable"):
        if problem in lacking.values():
            return problem
    by_meaning = next((lane for lane in at.lanes if lane.lane != LEXICAL), None)
    if by_meaning is None or by_meaning.problem:
        return lacking.get(LEXICAL) or "lexical_pool"
    return "vector_pool"


def steps(memory: Memory, at: Whereabouts, asked: Asked) -> tuple[Step, ...]:
    """Return the stages of a record's way, in order. A stage that it did not come to has no verdict."""
    return (_scope(memory, at, asked), _standing(memory, at), _tier(memory, at), *_lanes(at), *_ranking(at, asked))


def _scope(memory: Memory, at: Whereabouts, asked: Asked) -> Step:
    if at.within:
        through = ", which stood in" if at.stands_in else ""
        return Step("scope", True, "scope", f"it is in scope '{memory.scope}'{through}")
    if at.fallback:
        why = _FALLBACK.get(at.fallback, at.fallback)
        return Step("scope", False, "fallback", f"it is in the fallback scope '{memory.scope}', not looked at: {why}")
    return Step("scope", False, "scope", f"it is in scope '{memory.scope}', the question asked '{asked.scope}'")


_FALLBACK = {
    "enough": "the scope that was asked had enough",
    "disabled": "fallback scopes are off for this question",
    "invalid_scope": "the scope that was asked has no valid name",
}


def _standing(memory: Memory, at: Whereabouts) -> Step:
    if at.held_out_by is None:
        said = f"{memory.trust}, {memory.state}; nothing in its standing keeps it out"
        return Step("standing", True if at.within else None, "standing", said)
    rule = _standing_rule(memory, at.held_out_by)
    return Step("standing", False, rule, _STANDING[rule](memory) if rule in _STANDING else f"it is {memory.state}")


_STANDING: Mapping[str, Callable[[Memory], str]] = {
    "quarantined": lambda one: "it is quarantined: nothing in it reaches an answer",
    "superseded": lambda one: f"it was replaced by {one.replaced_by}",
    "retired": lambda one: "it was retired" + (f": {one.reason}" if one.reason else ""),
    "archived": lambda one: "it is archived, since it was not used for long",
    "expired": lambda one: f"it held until {iso(one.valid_to or 0)}",
    "not_yet_valid": lambda one: f"it holds from {iso(one.valid_from or 0)} on",
    "kind": lambda one: f"it is of kind {one.kind}, which was not asked for",
    "label": lambda one: f"its importance is {one.label}, which was not asked for",
}


def _tier(memory: Memory, at: Whereabouts) -> Step:
    tier = f"{memory.trust}, {memory.label}"
    if at.gate == "trust_gate":
        return Step("tier", False, at.gate, f"it is {memory.trust}, and trusted memories answer")
    if at.gate:
        return Step("tier", False, at.gate, f"its tier ({tier}) was not needed: the tiers before it had enough")
    come = bool(at.within) and at.held_out_by is None
    return Step("tier", True if come else None, "tier", f"its tier is {tier}" + ("; it was searched" if come else ""))


def _lanes(at: Whereabouts) -> Iterator[Step]:
    for lane in at.lanes:
        name = "words" if lane.lane == LEXICAL else "meaning"
        would = lane.brought or (lane.rank is not None and lane.rank <= lane.pool)
        said = _by_word(lane, at) if lane.lane == LEXICAL else _by_meaning(lane)
        rule = lane.problem or f"{lane.lane}_pool"
        yield Step(name, would, lane.lane if would else rule, said)


def _by_word(lane: LaneFinding, at: Whereabouts) -> str:
    missing = [term for term in at.terms if term not in at.held]
    if not at.held:
        return f"it holds no word of the question: {_named(missing)}"
    lacks = f"; it lacks {_named(missing)}" if missing else ""
    return f"it holds {_named(at.held)}{lacks}; {_where(lane)}"


def _by_meaning(lane: LaneFinding) -> str:
    if lane.problem in _UNSEEN:
        return _UNSEEN[lane.problem]
    return f"its cosine is {lane.score or 0.0:.3f}; {_where(lane)}"


_UNSEEN = {
    "no_vector_search": "nothing was searched by meaning: there is no model, no vector or no index yet",
    "not_embedded": "it has no vector yet, so nothing finds it by meaning",
    "index_behind": "it has a vector, but the index has not taken it in yet",
    "index_unusable": "the index cannot be searched",
}


def _where(lane: LaneFinding) -> str:
    if lane.rank is None:
        return f"it is not among the first {lane.of} of the lane, which brings {lane.pool}"
    return f"rank {lane.rank} of {lane.of}, the lane brings {lane.pool}"


def _named(terms: "tuple[str, ...] | list[str]", most: int = 12) -> str:
    more = f" and {len(terms) - most} more" if len(terms) > most else ""
    return (", ".join(terms[:most]) or "nothing") + more


def _ranking(at: Whereabouts, asked: Asked) -> Iterator[Step]:
    if at.stray:
        yield Step("ledger", False, "index_mismatch", "the index has it otherwise than the ledger, so it was left out")
    if at.rank is None or at.relevance is None:
        yield Step("rank", None, "rank", "it did not come to be ranked")
        return
    parts = ", ".join(f"{name} {value:+.3f}" for name, value in at.parts.items())
    yield Step("rank", True, "rank", f"rank {at.rank} of {at.ranked} ({parts})")
    enough = at.place is not None
    least = f"at least {asked.min_relevance:g} is wanted"
    yield Step("relevance", enough, "min_relevance", f"its relevance is {at.relevance:.4f}; {least}")
    if at.stands_in and not at.plausible:
        yield Step("fallback", False, "fallback_relevance", "what stands in for another scope has to be plausible")
        return
    if at.place is not None:
        yield Step("limit", at.returned is not None, "limit", _limit(at, asked))


def _limit(at: Whereabouts, asked: Asked) -> str:
    if at.returned is not None:
        return f"it is number {at.returned} of an answer of at most {asked.limit}"
    others = "; hits of a fallback scope came before it" if at.place is not None and at.place <= asked.limit else ""
    return f"it is number {at.place} of those relevant enough, and the answer ends after {asked.limit}{others}"


# The way of a piece of a document


def document(scope: str, ref: str) -> Step:
    """Say what it is."""
    return Step("record", True, "record", f"a piece of a document of scope '{scope}': {ref}")


def document_scope(seen: bool, scope: str, asked: str) -> Step:
    """Say whether the question may look into its collection."""
    return Step("scope", seen, "scope", f"it is in scope '{scope}', the question asked '{asked}'")


def documents_wanted(enabled: bool) -> Step:
    """Say whether recalls look into documents at all."""
    return Step("documents", enabled, "documents_off", "a recall looks into documents only when it is told to")


def documents_asked(consulted: bool, memories: int, least: int) -> Step:
    """Say whether this one did."""
    said = f"{memories} memories answer; documents are asked below {least}"
    return Step("memories", consulted, "enough_memories", said)


def document_match(rank: int | None, of: int) -> Step:
    """Say whether it matches."""
    said = "it matches neither by word nor by meaning" if rank is None else f"rank {rank} of {of} pieces that match"
    return Step("match", rank is not None, "no_match", said)


def document_limit(added: bool, rank: int | None, most: int) -> Step:
    """Say whether it is one of those that were added."""
    return Step("limit", added, "limit", f"rank {rank}; a recall adds {most} of those that are relevant enough")
