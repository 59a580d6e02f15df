"""The native backend qmd: documents, code and memories by words, by meaning, or both."""

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from satchel.domain.moment import iso
from satchel.domain.routing import BackendQuery, BackendReply, RouteItem
from satchel.domain.words import question_terms
from satchel.recall.relevance import COMPLETE, PLAUSIBLE
from satchel.routing.classify import asks_for_decision
from satchel.routing.contract import GOOD_ENOUGH, LEAST, item, reply
from satchel.routing.excerpt import excerpt
from satchel.routing.lanes import LaneHit, LaneResult, Lanes
from satchel.routing.prepare import PreparedQuery, lexical, named_things, prepare_query
from satchel.routing.settled import MAX_UNSETTLED, may_state
from satchel.routing.text_relevance import MAX_UNNAMED, exactly, holds_all, max_relevance, relates_names
from satchel.routing.times import without_period

QMD = "qmd"
RELATIONSHIP, DECISION = "relationship", "decision_recall"
BY_WORDS, BY_MEANING = "search", "vsearch"
# Share of the best relevance of others from which findings count as answering too.
EXPLAINING_SHARE = 0.5
_HOW_TO = re.compile(
    r"\bhow (?:to|(?:do|can|could|should|would|must) (?:i|we|you|one|people))\b|怎[么麼](?!样|樣)|如何", re.IGNORECASE
)
# "how deep" asks for a fact.
_MEASURE = (
    "(?:many|much|long|old|often|far|big|large|small|deep|high|low|tall|wide|thick|heavy|fast|slow|quick(?:ly)?|soon|late|early"
    "|good|bad|accurate|strong|loud|bright|hot|cold|warm|full|busy|near|close|likely|expensive|cheap)"
)
_EXPLAIN = re.compile(
    rf"\b(?:how(?! {_MEASURE}\b)|why|explain\w*|describe|what (?:is|are|happens?|does))\b|如何|怎[么麼样樣]|为什么|為什麼|解释|解釋|什么是|什麼是|原理",
    re.IGNORECASE,
)


def prepared(asked: BackendQuery) -> PreparedQuery:
    """Return what a query asks about, without the time it asks about."""
    return prepare_query(without_period(asked.query, asked.period))


def answer_qmd(asked: BackendQuery, lanes: Lanes) -> BackendReply:
    """Search documents and memories by words, meaning or both. Of a query about a time, only what is of that time."""
    mode = asked.mode or "query"
    query = prepared(asked)
    text = lexical(query) if mode == BY_WORDS else query.text
    found = _search(text, mode, asked, lanes)
    hits = _hits(found)
    if mode == BY_MEANING or (mode != BY_WORDS and _best(hits) < PLAUSIBLE):
        hits = _with_words(hits, _hits(_search(text, BY_WORDS, asked, lanes)))
    hits = [replace(one, relevance=_rated(one, asked, query)) for one in hits]
    if mode != BY_WORDS:
        hits = words_first(_explaining(hits, asked.query), text)
    items = [_item(one, query) for one in hits]
    notes = [part.note for part in found if part.note]
    return reply(QMD, asked, items, note="; ".join(dict.fromkeys(notes)) or None)


def words_first(hits: Sequence[LaneHit], query: str) -> list[LaneHit]:
    """Return hits, those first that hold every telling word of a query, and of these the ones with the query as their title.

    Words alone would put them first. Meaning orders within the groups, but never puts one of the others before them, so that no
    query gets a worse answer because a model is installed.
    """
    terms = question_terms(query)
    complete = [one for one in hits if one.relevance >= COMPLETE and holds_all(terms, f"{one.path or ''} {one.text}")]
    titled = [one for one in complete if _is_titled(one, terms, query)]
    return _in_groups(titled, complete, hits)


def _is_titled(one: LaneHit, terms: Sequence[str], query: str) -> bool:
    return holds_all(terms, one.title) and holds_all(question_terms(one.title), query)


def _in_groups(*groups: Sequence[LaneHit]) -> list[LaneHit]:
    """Return each hit once, in the first group that has it, worth at most as much as the best of the groups before."""
    ordered, most = dict[str, LaneHit](), 1.0
    for group in groups:
        own = {one.id: replace(one, relevance=min(one.relevance, most)) for one in group if one.id not in ordered}
        ordered |= own
        most = max((one.relevance for one in own.values()), default=most)
    return list(ordered.values())


def with_names(relevance: float, query: PreparedQuery, text: str) -> float:
    """Return a relevance that respects the names in a query: found verbatim they count, missing they limit it."""
    return max(min(relevance, max_relevance(query, text)), exactly(query, text))


def if_related(relevance: float, asked: BackendQuery, text: str) -> float:
    """Limit the relevance of a text that cannot say how two things relate, because it does not name both of them."""
    names = named_things(asked.query) if asked.rule == RELATIONSHIP else ()
    return relevance if len(names) < 2 or relates_names(names, text) else min(relevance, MAX_UNNAMED)


def asks_for_decision_in(asked: BackendQuery) -> bool:
    """Return whether a backend is asked for a decision."""
    return asked.rule == DECISION and asks_for_decision(asked.query)


def _search(text: str, mode: str, asked: BackendQuery, lanes: Lanes) -> list[LaneResult]:
    return [
        lane(text, mode=mode, limit=asked.limit, scope=asked.scope, period=asked.period)
        for lane in (lanes.documents, lanes.memories)
        if lane
    ]


def _hits(found: Sequence[LaneResult]) -> list[LaneHit]:
    return [one for part in found for one in part.findings]


def _best(hits: Sequence[LaneHit]) -> float:
    return max((one.relevance for one in hits), default=0.0)


def _with_words(hits: Sequence[LaneHit], by_words: Sequence[LaneHit]) -> list[LaneHit]:
    """Return hits with those that words alone find, each as relevant as the more relevant of two.

    The closest in meaning need not include what holds every word. If nothing is plausible, what is only faintly near in meaning
    is noise.
    """
    known = {one.id for one in by_words if one.relevance >= LEAST}
    found = {one.id: one for one in hits if one.id in known or _best(hits) >= PLAUSIBLE}
    for one in by_words:
        same = found.setdefault(one.id, one)
        found[one.id] = replace(same, relevance=max(same.relevance, one.relevance))
    return list(found.values())


def _rated(one: LaneHit, asked: BackendQuery, query: PreparedQuery) -> float:
    text = f"{one.path or ''} {one.text}"
    value = with_names(one.relevance, query, text)
    if asks_for_decision_in(asked) and (one.is_code or not may_state(query.terms, text)):
        value = min(value, MAX_UNSETTLED)
    return if_related(value, asked, one.text)


def _explaining(hits: Sequence[LaneHit], query: str) -> list[LaneHit]:
    """Order hits for a question that wants an explanation: documents that answer it, then memories, then code.

    A procedure is as often noted in a memory as in a document.
    """
    if not _EXPLAIN.search(query):
        return list(hits)
    return _by_kind(hits, (_is_text, _is_code) if _HOW_TO.search(query) else (_is_prose, _is_memory, _is_code))


def _by_kind(hits: Sequence[LaneHit], kinds: Sequence[Callable[[LaneHit], bool]]) -> list[LaneHit]:
    """Order hits by kind. Those of the later kinds are worth at most as much as the first of those that answer."""
    ordered, most = list[LaneHit](), 1.0
    for kind in kinds:
        own = [replace(one, relevance=min(one.relevance, most)) for one in hits if kind(one)]
        ordered += own
        best = max((one.relevance for one in own), default=0.0)
        rest = max((one.relevance for one in hits if not kind(one)), default=0.0)
        if best >= max(GOOD_ENOUGH, EXPLAINING_SHARE * rest):
            most = min(most, best)
    return ordered


def _is_text(one: LaneHit) -> bool:
    return not one.is_code


def _is_prose(one: LaneHit) -> bool:
    return one.path is not None and not one.is_code


def _is_memory(one: LaneHit) -> bool:
    return one.path is None


def _is_code(one: LaneHit) -> bool:
    return one.is_code


def _item(found: LaneHit, query: PreparedQuery) -> RouteItem:
    return item(
        excerpt(found.text, query.text),
        found.relevance,
        QMD,
        iso(found.recorded_at),
        id=found.id,
        path=found.path,
        line=found.line,
    )
