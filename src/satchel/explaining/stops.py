"""Find the rule that kept a record out of an answer, and describe each stage, from the trace of a recall."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from satchel.domain.moment import iso
from satchel.domain.record import Memory, State
from satchel.explaining.values import StageResult
from satchel.recall.values import LaneFinding, RecordTrace

LEXICAL = "lexical"
RETURNED = "returned"


class RecallOptions(Struct, frozen=True):
    """The options of a recall that decide."""

    scope: str
    mode: str
    limit: int
    min_relevance: float
    kinds: tuple[str, ...] = ()
    media: str | None = None


def stopping_rule(memory: Memory, at: RecordTrace) -> str:
    """Return the first rule that stopped a record; "returned" if none did."""
    if at.returned is not None:
        return RETURNED
    if not at.within:
        return "fallback" if at.fallback else "scope"
    if at.held_out_by is not None:
        return _standing_rule(memory, at.held_out_by)
    if at.gate or at.mismatch:
        return at.gate or "index_mismatch"
    if at.rank is None:
        return _lane_rule(at)
    if at.place is None:
        return "min_relevance"
    return "fallback_relevance" if at.in_fallback and not at.plausible else "limit"


def _standing_rule(memory: Memory, held_out_by: str) -> str:
    if held_out_by == "trust":
        return str(memory.trust)
    if held_out_by == "state":
        return "superseded" if memory.state is State.RETIRED and memory.replaced_by else str(memory.state)
    return held_out_by


def _lane_rule(at: RecordTrace) -> str:
    """Return why no lane found a record: missing data first, then a low rank."""
    lacking = {lane.lane: lane.problem for lane in at.lanes if lane.problem}
    for problem in ("not_embedded", "index_behind", "index_unusable"):
        if problem in lacking.values():
            return problem
    by_vector = next((lane for lane in at.lanes if lane.lane != LEXICAL), None)
    if by_vector is None or by_vector.problem:
        return lacking.get(LEXICAL) or "lexical_pool"
    return "vector_pool"


def steps(memory: Memory, at: RecordTrace, asked: RecallOptions) -> tuple[StageResult, ...]:
    """Return the stages of a record in order. A stage that was not reached has no verdict."""
    return (_scope(memory, at, asked), _standing(memory, at), _tier(memory, at), *_lanes(at), *_ranking(at, asked))


def _scope(memory: Memory, at: RecordTrace, asked: RecallOptions) -> StageResult:
    if at.within:
        through = ", a fallback scope" if at.in_fallback else ""
        return StageResult("scope", True, "scope", f"it is in scope '{memory.scope}'{through}")
    if at.fallback:
        why = _FALLBACK.get(at.fallback, at.fallback)
        return StageResult(
            "scope", False, "fallback", f"it is in the fallback scope '{memory.scope}', which was not searched: {why}"
        )
    return StageResult("scope", False, "scope", f"it is in scope '{memory.scope}', the query asked for '{asked.scope}'")


_FALLBACK = {
    "enough": "the requested scope had enough results",
    "disabled": "fallback scopes are off for this query",
    "invalid_scope": "the requested scope is not valid",
}


def _standing(memory: Memory, at: RecordTrace) -> StageResult:
    if at.held_out_by is None:
        said = f"{memory.trust}, {memory.state}; nothing excludes it"
        return StageResult("standing", True if at.within else None, "standing", said)
    rule = _standing_rule(memory, at.held_out_by)
    return StageResult(
        "standing", False, rule, _STANDING[rule](memory) if rule in _STANDING else f"it is {memory.state}"
    )


_STANDING: Mapping[str, Callable[[Memory], str]] = {
    "quarantined": lambda one: "it is quarantined: it never reaches an answer",
    "superseded": lambda one: f"it was replaced by {one.replaced_by}",
    "retired": lambda one: "it was retired" + (f": {one.reason}" if one.reason else ""),
    "archived": lambda one: "it is archived, because it was not used for a long time",
    "expired": lambda one: f"it was valid until {iso(one.valid_to or 0)}",
    "not_yet_valid": lambda one: f"it is valid from {iso(one.valid_from or 0)}",
    "kind": lambda one: f"it is of kind {one.kind}, which was not requested",
    "media": lambda one: "it has no media of the kind that was requested",
    "label": lambda one: f"its importance is {one.label}, which was not requested",
}


def _tier(memory: Memory, at: RecordTrace) -> StageResult:
    tier = f"{memory.trust}, {memory.label}"
    if at.gate == "trust_gate":
        return StageResult("tier", False, at.gate, f"it is {memory.trust}, and trusted memories answer")
    if at.gate:
        return StageResult("tier", False, at.gate, f"its tier ({tier}) was not needed: better tiers had enough")
    come = bool(at.within) and at.held_out_by is None
    return StageResult(
        "tier", True if come else None, "tier", f"its tier is {tier}" + ("; it was searched" if come else "")
    )


def _lanes(at: RecordTrace) -> Iterator[StageResult]:
    for lane in at.lanes:
        name = "words" if lane.lane == LEXICAL else "meaning"
        would = lane.brought or (lane.rank is not None and lane.rank <= lane.pool)
        said = _by_word(lane, at) if lane.lane == LEXICAL else _by_meaning(lane)
        rule = lane.problem or f"{lane.lane}_pool"
        yield StageResult(name, would, lane.lane if would else rule, said)


def _by_word(lane: LaneFinding, at: RecordTrace) -> str:
    missing = [term for term in at.terms if term not in at.held]
    if not at.held:
        return f"it contains no word of the query: {_named(missing)}"
    lacks = f", not {_named(missing)}" if missing else ""
    return f"it contains {_named(at.held)}{lacks}; {_where(lane)}"


def _by_meaning(lane: LaneFinding) -> str:
    if lane.problem in _UNSEEN:
        return _UNSEEN[lane.problem]
    return f"its cosine is {lane.score or 0.0:.3f}; {_where(lane)}"


_UNSEEN = {
    "no_vector_search": "there was no search by meaning: no model, no vectors or no index yet",
    "not_embedded": "it has no vector yet, so meaning cannot find it",
    "index_behind": "it has a vector, but is not in the index yet",
    "index_unusable": "the index cannot be searched",
}


def _where(lane: LaneFinding) -> str:
    if lane.rank is None:
        return f"it is not among the first {lane.of} of the lane, which returns {lane.pool}"
    return f"rank {lane.rank} of {lane.of}, the lane returns {lane.pool}"


def _named(terms: "tuple[str, ...] | list[str]", most: int = 12) -> str:
    more = f" and {len(terms) - most} more" if len(terms) > most else ""
    return (", ".join(terms[:most]) or "nothing") + more


def _ranking(at: RecordTrace, asked: RecallOptions) -> Iterator[StageResult]:
    if at.mismatch:
        yield StageResult("ledger", False, "index_mismatch", "the index differs from the ledger, so it was left out")
    if at.rank is None or at.relevance is None:
        yield StageResult("rank", None, "rank", "it was not ranked")
        return
    parts = ", ".join(f"{name} {value:+.3f}" for name, value in at.parts.items())
    yield StageResult("rank", True, "rank", f"rank {at.rank} of {at.ranked} ({parts})")
    enough = at.place is not None
    least = f"the minimum is {asked.min_relevance:g}"
    yield StageResult("relevance", enough, "min_relevance", f"its relevance is {at.relevance:.4f}; {least}")
    if at.in_fallback and not at.plausible:
        yield StageResult("fallback", False, "fallback_relevance", "results from a fallback scope must be plausible")
        return
    if at.place is not None:
        yield StageResult("limit", at.returned is not None, "limit", _limit(at, asked))


def _limit(at: RecordTrace, asked: RecallOptions) -> str:
    if at.returned is not None:
        return f"it is number {at.returned} of at most {asked.limit}"
    others = "; results of a fallback scope came before it" if at.place is not None and at.place <= asked.limit else ""
    return f"it is number {at.place} of the relevant results, and the limit is {asked.limit}{others}"


# The stages of a document passage


def document(scope: str, ref: str) -> StageResult:
    """Describe the record."""
    return StageResult("record", True, "record", f"a document passage of scope '{scope}': {ref}")


def document_scope(seen: bool, scope: str, asked: str) -> StageResult:
    """Return whether the request may search its collection."""
    return StageResult("scope", seen, "scope", f"it is in scope '{scope}', the query asked for '{asked}'")


def documents_wanted(enabled: bool) -> StageResult:
    """Return whether recall searches documents at all."""
    return StageResult("documents", enabled, "documents_off", "recall searches documents only if that is enabled")


def documents_asked(consulted: bool, memories: int, least: int) -> StageResult:
    """Return whether this recall did."""
    said = f"{memories} memories answer; documents are searched below {least}"
    return StageResult("memories", consulted, "enough_memories", said)


def document_match(rank: int | None, of: int) -> StageResult:
    """Return whether it matches."""
    said = "it matches neither by words nor by meaning" if rank is None else f"rank {rank} of {of} matching passages"
    return StageResult("match", rank is not None, "no_match", said)


def document_relevance(relevance: float, least: float) -> StageResult:
    """Return whether it is relevant enough."""
    said = f"its relevance is {relevance:.4f}; a recall adds passages from {least:g}"
    return StageResult("relevance", relevance >= least, "min_relevance", said)


def document_limit(added: bool, rank: int | None, most: int) -> StageResult:
    """Return whether it was added."""
    return StageResult("limit", added, "limit", f"rank {rank}; a recall adds at most {most} relevant passages")
