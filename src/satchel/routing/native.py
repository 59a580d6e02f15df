"""The native backends over the lanes of a store: qmd, totalrecall, cognee, lossless."""

import re
from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.moment import iso
from satchel.domain.routing import BackendQuery, BackendReply, RouteErrorCode, RouteItem, RouteStatus
from satchel.domain.safety.redact import mask
from satchel.domain.text import normalize_text
from satchel.domain.words import STOP_WORDS, text_terms
from satchel.errors import BackendFailed
from satchel.ports.backend import Backend
from satchel.recall.relevance import COMPLETE, PLAUSIBLE
from satchel.routing.contract import GOOD_ENOUGH, item, reply
from satchel.routing.lanes import LaneHit, LaneRelations, Lanes, LaneSearch
from satchel.routing.prepare import PreparedQuery, lexical, proper_names
from satchel.routing.qmd import QMD, answer_qmd, asks_for_decision_in, if_related, prepared, with_names
from satchel.routing.settled import MAX_UNSETTLED, may_state
from satchel.routing.text_relevance import MAX_UNNAMED, decay
from satchel.routing.times import happened_at, without_period

TOTALRECALL, COGNEE, LOSSLESS = "totalrecall", "cognee", "lossless"
RECENT = "recent"
# What a good match for what is new is worth, before its age.
SURE = 0.9
# What counts less in a list of what is new: what was said, unless the query asks for that.
SECONDARY = 0.8
# What is of the time that was asked about, without any of the content.
OF_THAT_TIME = 0.3
_SAID = re.compile(
    r"\b(?:discuss|talk|sa(?:id|y)|spoke|speak|told|mention|conversation|chat|meeting)|[说說讲講谈談聊]|讨论|討論|会议|會議",
    re.IGNORECASE,
)
_SAYING = "say|said|tell|told|mention(?:ed)?|suggest(?:ed)?|propose[d]?|write|wrote|ask(?:ed)?|answer(?:ed)?|report(?:ed)?|think|thought"
_WHO_SAID = re.compile(
    rf"\b(?:did|has|had|does) (?P<asked>[^\W\d_][\w-]*) (?:\w+ )?(?:{_SAYING})\b|\b(?P<told>[A-Z][\w-]*) (?:\w+ )?(?:{_SAYING})\b"
    r"|(?P<han>[A-Za-z][\w-]*|[\u4e00-\u9fff]{2,4}?)(?:刚才|剛才|刚刚|剛剛|最近|今天|昨天)?(?:说|說|讲|講|提|问|問|写|寫|建议|建議)",
    re.ASCII,
)
_NOBODY = (
    frozenset(["大家", "我們", "我们", "你們", "你们", "他們", "他们", "她們", "她们", "有人", "谁說", "誰說"])
    | STOP_WORDS
)
# Relations of this relevance are a part of what was asked: of two entities only one is known.
INCOMPLETE = 0.5
VAGUE = 0.4


class NativeBackend(Struct, frozen=True):
    """A backend of Satchel itself. Implements ports.backend.Backend."""

    name: str
    answer: Callable[[BackendQuery], BackendReply]

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Answer a query."""
        return self.answer(asked)


class JoinedBackend(Struct, frozen=True):
    """A native backend combined with files outside the store. Implements ports.backend.Backend.

    If the second backend fails, the first answers alone with a note.
    """

    first: Backend
    second: Backend

    @property
    def name(self) -> str:
        """The common name."""
        return self.first.name

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Ask both and return the results by relevance; of equal contents the more relevant."""
        own = self.first.ask(asked)
        try:
            other = self.second.ask(asked)
        except BackendFailed as error:
            return reply(self.name, asked, own.results, note=error.message)
        best: dict[str, RouteItem] = {}
        for one in sorted((*own.results, *other.results), key=lambda one: -one.relevance):
            best.setdefault(normalize_text(one.content), one)
        return reply(self.name, asked, list(best.values()), note=own.note)


class MaskedQuestions(Struct, frozen=True):
    """A backend outside the store, which does not get to see the secrets in a question. Implements ports.backend.Backend."""

    backend: Backend

    @property
    def name(self) -> str:
        """The backend's name."""
        return self.backend.name

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Ask without secrets. The reply echoes the question as it was asked."""
        question = mask(asked.query)
        reply = self.backend.ask(replace(asked, query=question))
        answers_it = isinstance(reply, BackendReply) and reply.query_echo == question
        return replace(reply, query_echo=asked.query) if answers_it else reply


NativeBackends = Mapping[str, NativeBackend]


def native_backends(lanes: Lanes, now: Callable[[], int]) -> NativeBackends:
    """Return the native backends whose lanes exist, by name."""
    answers: dict[str, Callable[[BackendQuery], BackendReply]] = {
        QMD: partial(answer_qmd, lanes=lanes),
        TOTALRECALL: lambda asked: _totalrecall(asked, lanes, now()),
    }
    if lanes.conversations is not None:
        decided = partial(_lossless, conversations=lanes.conversations)
        answers[LOSSLESS] = lambda asked: _of_asked_time(asked, decided)
    backends = {name: NativeBackend(name, partial(_if_known, answer, lanes)) for name, answer in answers.items()}
    if lanes.graph is not None:
        backends[COGNEE] = NativeBackend(COGNEE, partial(_cognee, graph=lanes.graph))
    return backends


def _if_known(answer: Callable[[BackendQuery], BackendReply], lanes: Lanes, asked: BackendQuery) -> BackendReply:
    """Limit an answer to a query whose names no record has: whatever is near, it is about something else."""
    found = answer(asked)
    names = proper_names(asked.query) if found.status is RouteStatus.SUCCESS else ()
    if not names or lanes.unknown is None or len(lanes.unknown(names)) < len(names):
        return found
    items = [replace(one, relevance=min(one.relevance, MAX_UNNAMED)) for one in found.results]
    return reply(found.backend, asked, items, note=found.note)


def _of_asked_time(asked: BackendQuery, ask: Callable[[BackendQuery], BackendReply]) -> BackendReply:
    """Return what is of the time that a query asks about; if nothing there matches, what matches at other times.

    The router says that the latter is of another time.
    """
    found = ask(asked)
    if asked.period is None or found.normalized_relevance >= PLAUSIBLE:
        return found
    timeless = ask(replace(asked, period=None, query=without_period(asked.query, asked.period)))
    others = [one for one in timeless.results if not asked.period.holds(happened_at(one))]
    elsewhere = reply(found.backend, asked, others, note=timeless.note)
    enough = GOOD_ENOUGH if found.results else PLAUSIBLE
    return elsewhere if elsewhere.normalized_relevance >= enough else found


def _totalrecall(asked: BackendQuery, lanes: Lanes, now: int) -> BackendReply:
    """Search memories and sessions, decaying with age. A query without content returns the newest.

    If nothing matches, of the time that a query asks about or of any, what is of that time is returned.
    """
    # A time that was asked for says how much age matters.
    age = now if asked.period is None else None
    found = _of_asked_time(asked, lambda one: _recalled(one, lanes, age))
    return found if asked.period is None or found.results else _of_that_time(asked, lanes)


def _of_that_time(asked: BackendQuery, lanes: Lanes) -> BackendReply:
    newest = lanes.recent(limit=asked.limit, scope=asked.scope, period=asked.period)
    items = [_totalrecall_item(one, OF_THAT_TIME * _share_of_kind(one, asked), None) for one in newest.findings]
    return reply(TOTALRECALL, asked, items, note=newest.note)


def _recalled(asked: BackendQuery, lanes: Lanes, now: int | None) -> BackendReply:
    """Search memories and sessions. They lose relevance with age, unless `now` is None."""
    query = prepared(asked)
    if not query.terms and not query.exact:
        newest = lanes.recent(limit=asked.limit, scope=asked.scope, period=asked.period)
        # What was decided has been listed before: none of the newest was.
        most = MAX_UNSETTLED if asks_for_decision_in(asked) else 1.0
        items = [_totalrecall_item(one, most * _share_of_kind(one, asked), now) for one in newest.findings]
        return reply(TOTALRECALL, asked, items, note=newest.note)
    # As a fallback it has to answer even if the embedding model does not.
    is_recent = asked.rule == RECENT
    mode = "query" if is_recent else "search"
    # What is new is mostly noted by agents, so their untrusted notes count as in a list of the newest.
    memories = partial(lanes.memories, untrusted=is_recent)
    searched = [
        lane(lexical(query), mode=mode, limit=asked.limit, scope=asked.scope, period=asked.period)
        for lane in (memories, lanes.sessions)
        if lane
    ]
    items = [
        _totalrecall_item(one, _recent_match(one, _match(one, asked, query), asked), now)
        for found in searched
        for one in found.findings
    ]
    items.sort(key=lambda one: one.event_time or one.timestamp, reverse=True)  # of equal ones, the newest first
    return reply(TOTALRECALL, asked, items, note=searched[0].note)


def _match(found: LaneHit, asked: BackendQuery, query: PreparedQuery) -> float:
    return if_related(with_names(found.relevance, query, found.text), asked, found.text)


def _recent_match(found: LaneHit, match: float, asked: BackendQuery) -> float:
    """Return how well a record matches. In a query for what is new, good matches count alike, so that the newest comes first.

    What was said about a decision has been read before: none of it settled the matter.
    """
    if asks_for_decision_in(asked) and (found.was_said or not may_state(prepared(asked).terms, found.text)):
        return min(match, MAX_UNSETTLED)
    if asked.rule != RECENT:
        return match
    return (SURE if match >= COMPLETE else match) * _share_of_kind(found, asked)


def _share_of_kind(found: LaneHit, asked: BackendQuery) -> float:
    """Return what a kind of record counts: what a person said counts more than what others said about that person."""
    wants_said = _SAID.search(asked.query) is not None
    by = _speaker(asked.query) if found.was_said and found.speaker else None
    is_other = by is not None and by in text_terms(found.text) and by not in (found.speaker or "").casefold()
    return (1.0 if found.was_said is wants_said else SECONDARY) * (SECONDARY if is_other else 1.0)


def _speaker(query: str) -> str | None:
    """Return the person whose words a query asks for."""
    found = _WHO_SAID.search(query)
    name = next(filter(None, found.groups())).casefold() if found else None
    return None if name in _NOBODY else name


def _totalrecall_item(found: LaneHit, match: float, now: int | None) -> RouteItem:
    happened = found.happened_at if found.happened_at is not None else found.recorded_at
    return item(
        found.text,
        match if now is None else match * decay(now - happened),
        TOTALRECALL,
        iso(found.recorded_at),
        id=found.id,
        event_time=_event_time(found),
        record_time=iso(found.recorded_at),
    )


def _cognee(asked: BackendQuery, graph: LaneRelations) -> BackendReply:
    """Follow relations. The graph gets the whole query: its wording gives the direction."""
    found = graph(asked.query, limit=asked.limit, scope=asked.scope)
    items = [
        item(one.text, one.relevance, COGNEE, iso(one.recorded_at), id=one.id, traversal=one.traversal)
        for one in found.findings
    ]
    answer = reply(COGNEE, asked, items, note=found.note)
    if not VAGUE < answer.normalized_relevance <= INCOMPLETE:
        return answer
    return replace(answer, status=RouteStatus.PARTIAL, error_code=RouteErrorCode.PARTIAL)


def _lossless(asked: BackendQuery, conversations: LaneSearch) -> BackendReply:
    """Search conversations for decisions. The lane gets the whole query: its phrasing asks for reasons."""
    found = conversations(asked.query, mode="query", limit=asked.limit, scope=asked.scope, period=asked.period)
    items = [
        item(
            one.text,
            one.relevance,
            LOSSLESS,
            iso(one.recorded_at),
            id=one.id,
            event_time=_event_time(one),
            expanded_from=one.expanded_from,
        )
        for one in found.findings
    ]
    return reply(LOSSLESS, asked, items, note=found.note)


def _event_time(found: LaneHit) -> str | None:
    return None if found.happened_at is None else iso(found.happened_at)
