"""Routing: send a question to the backend that suits it best, and to the next one if the answer is not good enough."""

from collections.abc import Callable
from typing import Annotated

from msgspec.structs import replace

from satchel.core.contents import holds_anything
from satchel.core.operations import Param, Scope, operation
from satchel.core.service import page_size, receipt_mark
from satchel.domain.arguments import check_range, one_of
from satchel.domain.canonical import digest
from satchel.domain.envelope import Ok
from satchel.domain.periods import Period
from satchel.domain.receipt_sections import RouteAsked, RouteAttemptEntry, RouteConsidered, RouteDecided
from satchel.domain.record import MemoryId
from satchel.domain.routing import (
    BackendQuery,
    BackendReply,
    BackendRoster,
    ChainStep,
    MatchedRule,
    PlannedStep,
    QueryRoute,
    RouteErrorCode,
    RouterEnvelope,
    RouteStatus,
    RouteStrategy,
    RouteTrace,
)
from satchel.domain.scope import EVERYWHERE
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View
from satchel.errors import BackendFailed, InvalidRequest, SatchelError
from satchel.ports.backend import Backend, BackendErrored, BackendOutcome
from satchel.routing.available import RosterService, markdown_beside, serving
from satchel.routing.classify import classify
from satchel.routing.contract import check_reply
from satchel.routing.dispatch import NOTHING_ASKED, Dispatched, Mishap, dispatch
from satchel.routing.events import MAX_STATEMENTS
from satchel.routing.lanes import LaneHit
from satchel.routing.native import JoinedBackend, MaskedQuestions
from satchel.routing.overrides import Rulebook, parse_rulebook
from satchel.routing.prepare import has_content
from satchel.routing.reporting import fallback_line, past_route, route_stats
from satchel.routing.roster import NATIVE, RoutePlan, plan_steps
from satchel.routing.times import AskedTime, asked_time, of_period, of_unknown_time
from satchel.routing.values import PastRoutes, RouteStats

MAX_QUERY_CHARS = 100_000
# Also how many results a backend is asked for: a smaller limit cuts the same list, so that it changes neither the order nor the
# status.
MAX_LIMIT = 50
FIRST_STEPS = (
    "the store is empty; add something first: 'satchel docs ingest FOLDER' for documents and code, 'satchel store TEXT' for "
    "memories, 'satchel conversation add TEXT' for what was said, 'satchel graph extract FOLDER' for relations in code"
)
WITHOUT_CONTENT = (
    "the query has no content words: name what you are looking for, such as a topic, a person, a function or a file, or ask "
    "'what is new'"
)


class Routing(RosterService):
    """The dispatch router over the native and external backends."""

    @operation(
        "route",
        served=True,
        answers_without_store=True,
        examples=(
            'satchel route "find the function parseAuthToken"',
            'satchel route "why did we choose SQLite" --trace',
        ),
    )
    def route(
        self,
        query: Annotated[str, Param("the question", positional=True, stdin=True)],
        *,
        hint: Annotated[
            str | None, Param("rule to follow, or backend to ask first, whatever the wording suggests")
        ] = None,
        trace: Annotated[bool, Param("show the signals of the decision, and what was tried")] = False,
        limit: Annotated[
            int | None, Param("maximum number of results, 1 to 50; 20 unless the rules say otherwise")
        ] = None,
        strategy: Annotated[
            str | None,
            Param(
                "how to ask: one backend after another, the first two at once (race), or all, merging their results",
                choices=RouteStrategy,
            ),
        ] = None,
        scope: Scope = None,
    ) -> Ok[RouterEnvelope]:
        """Answer a question from the backend that suits it best.

        The wording decides: an exact name goes to a search by words, a relation to the graph, a decision to the
        conversations, a concept to a search by meaning. If the answer is not good enough, the next backend of the chain
        is asked.
        """
        with self._run("route") as run:
            book = self._book(strategy, limit)
            reach = self._reach(scope)
            route = classify(_question(query), book.table, hint)
            asked = asked_time(route, query, self._clock.now(), lambda words: self._records(words, reach.name))
            roster = serving(self._roster(), reach.name)
            cooling_down = self._around.cooldowns.cooling_down(self._clock.ticks())
            plan = plan_steps(route.chain, roster, book.tiers, cooling_down)
            done = NOTHING_ASKED
            if has_content(query):
                done = dispatch(
                    plan.steps,
                    lambda step: self._start(
                        step, roster, self._asked(query, step, book, reach.name, asked.period, route.rule), book
                    ),
                    lambda answer, step: _checked(answer, step, query, asked),
                    book.threshold,
                    lambda mishap: self._log_fallback(mishap, query),
                    book.strategy,
                )
            self._update_cooldowns(done)
            envelope = self._envelope(query, plan, done, book.limit, run.elapsed_ms())
            advice = self._advice(done, asked)
            if trace or advice or book.strategy is not RouteStrategy.SEQUENTIAL:
                envelope = replace(envelope, trace=_trace(route, plan, done, book.strategy, roster, advice))
            question = replace_undecodable(query)
            run.asked = RouteAsked(
                query_digest=digest(question),
                query_chars=len(question),
                hint=hint,
                scope=reach.name,
                strategy=book.strategy.value,
            )
            run.considered = _considered(plan, done)
            run.decided = _decided(route, envelope, done)
            return run.keep_if_enabled(envelope, self._used(envelope, roster))

    @operation("route list", operator_only=True, examples=("satchel route list --limit 50",))
    def recent(
        self,
        *,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 20,
        scope: Annotated[str | None, Param("only questions in this scope")] = None,
        before: Annotated[int | None, Param("continue after the previous page: its 'next'")] = None,
    ) -> Ok[PastRoutes]:
        """List routed questions, newest first: rule, attempts, result and duration.

        Read from the receipts, which do not contain the questions.
        """
        with self._run("route list") as run:
            name = None if scope is None else replace_undecodable(scope)
            found = self._ledger.receipts.recent(page_size(limit), "route", name, before=receipt_mark(before))
            following = found[-1].seq if len(found) == limit else None
            run.asked = {"limit": limit, "scope": name, "before": before}
            routes = tuple(filter(None, map(past_route, found)))
            return run.done(PastRoutes(routes, following), returned=len(routes))

    @operation("route stats", operator_only=True, examples=("satchel route stats --limit 200",))
    def stats(
        self,
        *,
        limit: Annotated[int, Param("how many of the newest questions to count")] = 1000,
    ) -> Ok[RouteStats]:
        """Show how the rules and backends of the router have performed.

        Counted from the receipts.
        """
        with self._run("route stats", {"limit": limit}) as run:
            found = self._ledger.receipts.recent(page_size(limit), "route")
            return run.done(route_stats((one.body, one.duration_ms) for one in found), receipts=len(found))

    def _book(self, strategy: str | None, limit: int | None) -> Rulebook:
        own = Rulebook(strategy=RouteStrategy(self._policies.routing.strategy))
        configured = self._around.rules.read()
        book = own if configured is None else parse_rulebook(configured, own)
        if strategy is not None:
            book = replace(book, strategy=one_of(RouteStrategy, strategy, "strategy"))
        if limit is not None:
            book = replace(book, limit=check_range(limit, "limit", 1, MAX_LIMIT))
        return book

    def _asked(
        self, query: str, step: PlannedStep, book: Rulebook, scope: str, period: Period | None, rule: str
    ) -> BackendQuery:
        deadline = self._clock.ticks() + book.timeout_ms / 1000
        return BackendQuery(query, step.mode, MAX_LIMIT, deadline, scope, period, rule)

    def _start(
        self, step: PlannedStep, roster: BackendRoster, asked: BackendQuery, book: Rulebook
    ) -> Callable[[], BackendOutcome]:
        try:
            backend = self._backend(step.backend, roster)
        except SatchelError as error:
            failure = BackendErrored(RouteErrorCode.UNAVAILABLE, error.message, 0.0)
            return lambda: failure
        return self._around.caller.start(backend, asked, book.timeout_ms / 1000)

    def _backend(self, name: str, roster: BackendRoster) -> Backend:
        entry = roster.entry(name)
        if entry is not None and entry.adapter != NATIVE:
            return MaskedQuestions(self._around.external.backend(entry))
        if name not in self._natives:
            raise BackendFailed(f"Satchel has no backend {name} of its own yet", code=RouteErrorCode.UNAVAILABLE)
        native: Backend = self._natives[name]
        markdown = markdown_beside(entry)
        return (
            native
            if markdown is None
            else JoinedBackend(native, MaskedQuestions(self._around.external.backend(markdown)))
        )

    def _log_fallback(self, mishap: Mishap, query: str) -> None:
        self._around.log.append(fallback_line(mishap, query, self._clock.now()))

    def _update_cooldowns(self, done: Dispatched) -> None:
        for one in done.attempts:
            step = str(ChainStep(one.backend, one.mode))
            if one.status is RouteStatus.ERROR:
                self._around.cooldowns.failed(step, self._clock.ticks())
            else:
                self._around.cooldowns.succeeded(step)

    def _envelope(self, query: str, plan: RoutePlan, done: Dispatched, limit: int, elapsed_ms: float) -> RouterEnvelope:
        winner, results = done.winner, done.items[:limit]
        failed = done.status is RouteStatus.ERROR
        return RouterEnvelope(
            query_echo=query,
            routed_to=winner.backend if winner else None,
            routed_mode=winner.mode if winner else None,
            fallback_chain=tuple(one.backend for one in plan.steps),
            fallbacks_used=done.fallbacks_used,
            results=results,
            result_count=len(results),
            normalized_relevance=winner.normalized_relevance if winner else 0.0,
            status=done.status,
            router_duration_ms=round(elapsed_ms),
            backend_duration_ms=winner.duration_ms if winner else 0,
            error_code=RouteErrorCode.ALL_FAILED.value if failed else None,
            error_message=self._failure(plan) if failed else None,
        )

    def _records(self, words: str, scope: str) -> list[LaneHit]:
        """Return the records that contain some words: memories, observations, turns and messages."""
        lanes = (self._lanes.memories, self._lanes.sessions)
        found = [lane(words, mode="search", limit=MAX_STATEMENTS, scope=scope) for lane in lanes if lane]
        return [one for part in found for one in part.findings]

    def _advice(self, done: Dispatched, asked: AskedTime) -> tuple[str, ...]:
        """Return what a person has to know beside the results: of which time they are, or why there are none."""
        if done is NOTHING_ASKED:
            return (WITHOUT_CONTENT,)
        if done.status is RouteStatus.EMPTY and not holds_anything(self._ledger, View(EVERYWHERE, self._clock.now())):
            return (FIRST_STEPS,)
        of_another_time = done.winner is not None and done.winner.error_code == RouteErrorCode.PARTIAL
        note = done.winner.note if of_another_time and done.winner else None
        return tuple(dict.fromkeys(one for one in (asked.notice, note) if one))

    def _failure(self, plan: RoutePlan) -> str:
        if not plan.steps:
            return "No backend is available for this query. 'satchel backends list' shows how they stand."
        return f"All backends in the fallback chain failed. Check {self._around.log.path} for details."

    def _used(self, envelope: RouterEnvelope, roster: BackendRoster) -> list[MemoryId]:
        """Return the memories of this store among the results."""
        natives = {one.name for one in roster.entries if one.adapter == NATIVE}
        ids = list(dict.fromkeys(MemoryId(one.id) for one in envelope.results if one.id and one.source in natives))
        known = self._ledger.memories.known(ids, []).ids if ids else ()
        return [id for id in ids if id in known]


def _question(query: str) -> str:
    if not isinstance(query, str) or not query.strip():
        raise InvalidRequest("the query is empty", code="empty_query", hint="say what you are looking for")
    if len(query) > MAX_QUERY_CHARS:
        raise InvalidRequest(
            f"the query has {len(query):,} characters, {MAX_QUERY_CHARS:,} are allowed", code="text_too_long"
        )
    return query


def _checked(answer: object, step: PlannedStep, query: str, asked: AskedTime) -> BackendReply:
    reply = check_reply(answer, step.backend, BackendQuery(query, step.mode, MAX_LIMIT, 0.0))
    if asked.period is not None:
        reply = of_period(reply, asked.period)
    return of_unknown_time(reply, asked.notice) if asked.is_unknown else reply


def _trace(
    route: QueryRoute,
    plan: RoutePlan,
    done: Dispatched,
    strategy: RouteStrategy,
    roster: BackendRoster,
    advice: tuple[str, ...],
) -> RouteTrace:
    notes = () if roster.found else ("there is no backends.json: the native backends are used",)
    if strategy is not RouteStrategy.SEQUENTIAL:
        notes = (*notes, f"strategy {strategy.value}: beyond the specification")
    return RouteTrace(
        MatchedRule(route.number, route.rule),
        route.stage,
        route.signals,
        strategy,
        plan.steps,
        done.attempts,
        plan.skipped,
        notes,
        advice,
    )


def _considered(plan: RoutePlan, done: Dispatched) -> RouteConsidered:
    return RouteConsidered(
        planned=[f"{ChainStep(one.backend, one.mode)} {one.state.value}" for one in plan.steps],
        skipped=[f"{ChainStep(one.backend, one.mode)} {one.reason}" for one in plan.skipped],
        attempts=[
            RouteAttemptEntry(
                backend=one.backend,
                mode=one.mode,
                outcome=one.outcome.value,
                result_count=one.result_count,
                relevance=one.normalized_relevance,
                error_code=one.error_code,
            )
            for one in done.attempts
        ],
    )


def _decided(route: QueryRoute, envelope: RouterEnvelope, done: Dispatched) -> RouteDecided:
    return RouteDecided(
        rule=route.rule,
        stage=route.stage.value,
        # Words of the question follow the colon; a receipt must not repeat them.
        signals=list(dict.fromkeys(one.partition(":")[0] for one in route.signals)),
        status=envelope.status.value,
        routed_to=envelope.routed_to,
        routed_mode=envelope.routed_mode,
        relevance=envelope.normalized_relevance,
        fallbacks_used=done.fallbacks_used,
        ids=[one.id or one.source for one in envelope.results],
    )
