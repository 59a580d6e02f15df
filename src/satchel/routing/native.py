"""The native backends over the lanes of a store: qmd, totalrecall, cognee, lossless."""

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.moment import iso
from satchel.domain.routing import BackendQuery, BackendReply, RouteItem
from satchel.domain.safety.redact import mask
from satchel.domain.text import normalize_text
from satchel.errors import BackendFailed
from satchel.ports.backend import Backend
from satchel.routing.contract import item, reply
from satchel.routing.lanes import LaneHit, LaneRelations, Lanes, LaneSearch
from satchel.routing.prepare import PreparedQuery, lexical, prepare_query
from satchel.routing.text_relevance import decay, exactly, max_relevance

QMD, TOTALRECALL, COGNEE, LOSSLESS = "qmd", "totalrecall", "cognee", "lossless"


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
        QMD: partial(_qmd, lanes=lanes),
        TOTALRECALL: lambda asked: _totalrecall(asked, lanes, now()),
    }
    if lanes.graph is not None:
        answers[COGNEE] = partial(_cognee, graph=lanes.graph)
    if lanes.conversations is not None:
        answers[LOSSLESS] = partial(_lossless, conversations=lanes.conversations)
    return {name: NativeBackend(name, answer) for name, answer in answers.items()}


def _qmd(asked: BackendQuery, lanes: Lanes) -> BackendReply:
    """Search documents and memories by words, meaning or both."""
    mode = asked.mode or "query"
    query = prepare_query(asked.query)
    text = lexical(query) if mode == "search" else query.text
    found = [
        lane(text, mode=mode, limit=asked.limit, scope=asked.scope)
        for lane in (lanes.documents, lanes.memories)
        if lane
    ]
    items = [_qmd_item(one, query) for part in found for one in part.findings]
    notes = [part.note for part in found if part.note]
    return reply(QMD, asked, items, note="; ".join(dict.fromkeys(notes)) or None)


def _qmd_item(found: LaneHit, query: PreparedQuery) -> RouteItem:
    return item(
        found.text,
        _with_names(found.relevance, query, f"{found.path or ''} {found.text}"),
        QMD,
        iso(found.recorded_at),
        id=found.id,
        path=found.path,
        line=found.line,
    )


def _with_names(relevance: float, query: PreparedQuery, text: str) -> float:
    """Return a relevance that respects the names in a query: found verbatim they count, missing they limit it."""
    return max(min(relevance, max_relevance(query, text)), exactly(query, text))


def _totalrecall(asked: BackendQuery, lanes: Lanes, now: int) -> BackendReply:
    """Search memories and sessions, decaying with age. A query without content returns the newest."""
    query = prepare_query(asked.query)
    if not query.terms and not query.exact:
        newest = lanes.recent(limit=asked.limit, scope=asked.scope)
        return reply(
            TOTALRECALL, asked, [_totalrecall_item(one, 1.0, now) for one in newest.findings], note=newest.note
        )
    searched = [
        lane(lexical(query), mode="search", limit=asked.limit, scope=asked.scope)
        for lane in (lanes.memories, lanes.sessions)
        if lane
    ]
    items = [
        _totalrecall_item(one, _with_names(one.relevance, query, one.text), now)
        for found in searched
        for one in found.findings
    ]
    return reply(TOTALRECALL, asked, items, note=searched[0].note)


def _totalrecall_item(found: LaneHit, match: float, now: int) -> RouteItem:
    happened = found.happened_at if found.happened_at is not None else found.recorded_at
    return item(
        found.text,
        match * decay(now - happened),
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
    return reply(COGNEE, asked, items, note=found.note)


def _lossless(asked: BackendQuery, conversations: LaneSearch) -> BackendReply:
    """Search conversations for decisions. The lane gets the whole query: its phrasing asks for reasons."""
    found = conversations(asked.query, mode="query", limit=asked.limit, scope=asked.scope)
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
