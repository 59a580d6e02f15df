"""Dispatch: fallback order, thresholds, failures, log lines."""

from collections.abc import Callable

from msgspec.structs import replace

from satchel.domain.routing import (
    Attempt,
    AttemptOutcome,
    BackendQuery,
    BackendReply,
    BackendState,
    PlannedStep,
    RouteItem,
    RouteStatus,
    RouteStrategy,
)
from satchel.ports.backend import BackendAnswered, BackendErrored, BackendOutcome, BackendTimedOut
from satchel.routing.contract import check_reply, item, reply
from satchel.routing.dispatch import Dispatched, Mishap, dispatch
from satchel.routing.native import MaskedQuestions, NativeBackend
from satchel.routing.reporting import fallback_line
from tests.canary import MASKED, TOKEN
from tests.tables import each_case

AT = "2026-03-10T14:30:00Z"


def step(backend: str, mode: str | None = None) -> PlannedStep:
    return PlannedStep(backend, mode, BackendState.READY)


def asked(query: str = "auth") -> BackendQuery:
    return BackendQuery(query, None, 20, 0.0)


def found(backend: str, *relevances: float) -> BackendAnswered:
    items = [item(f"{backend} {place}", one, backend, AT) for place, one in enumerate(relevances)]
    return BackendAnswered(reply(backend, asked(), items), 0.010)


def run(
    *results: tuple[PlannedStep, BackendOutcome],
    threshold: float = 0.4,
    strategy: RouteStrategy = RouteStrategy.SEQUENTIAL,
) -> tuple[Dispatched, list[Mishap], list[str]]:
    mishaps: list[Mishap] = []
    started: list[str] = []
    by_step = dict(results)

    def start(one: PlannedStep) -> Callable[[], BackendOutcome]:
        started.append(one.backend)
        return lambda: by_step[one]

    done = dispatch(
        [one for one, _ in results],
        start,
        lambda said, one: check_reply(said, one.backend, asked()),
        threshold,
        mishaps.append,
        strategy,
    )
    return done, mishaps, started


QMD, RECALL, COGNEE = step("qmd", "query"), step("totalrecall"), step("cognee")
BROKE = BackendErrored("BACKEND_ERROR", "Python process exited with code 1", 0.2)
LATE = BackendTimedOut(5.0)
EMPTY_QMD, EMPTY_RECALL = found("qmd"), found("totalrecall")


def outcomes(done: Dispatched) -> list[str]:
    return [one.outcome.value for one in done.attempts]


def test_a_good_first_answer_is_accepted() -> None:
    done, mishaps, started = run((QMD, found("qmd", 0.82, 0.1)), (RECALL, found("totalrecall", 0.9)))

    assert (done.status, done.fallbacks_used, started, mishaps) == (RouteStatus.SUCCESS, 0, ["qmd"], [])
    assert [one.content for one in done.items] == ["qmd 0", "qmd 1"]


@each_case(
    ("relevance", "outcome"),
    [(0.3999, "low_relevance"), (0.4, "accepted"), (0.4001, "accepted"), (0.39996, "accepted")],
)
def test_the_threshold_compares_rounded_relevance(relevance: float, outcome: str) -> None:
    done, _, _ = run((QMD, found("qmd", relevance)))

    assert outcomes(done) == [outcome]


def test_a_lower_threshold_accepts_a_partial_reply() -> None:
    done, _, _ = run((QMD, found("qmd", 0.3)), threshold=0.2)

    assert (done.status, outcomes(done)) == (RouteStatus.SUCCESS, ["accepted"])


def test_a_low_relevance_falls_back() -> None:
    done, mishaps, _ = run((QMD, found("qmd", 0.2)), (RECALL, found("totalrecall", 0.5)))

    assert (done.status, done.fallbacks_used, outcomes(done), mishaps) == (
        RouteStatus.SUCCESS,
        1,
        ["low_relevance", "accepted"],
        [],
    )


def test_the_best_low_result_is_returned_as_partial() -> None:
    done, _, _ = run((COGNEE, found("cognee", 0.1)), (QMD, found("qmd", 0.3)), (RECALL, found("totalrecall", 0.2)))

    assert done.status is RouteStatus.PARTIAL
    assert done.winner and (done.winner.backend, done.fallbacks_used) == ("qmd", 2)


def test_of_equal_results_the_earlier_is_returned() -> None:
    done, _, _ = run((QMD, found("qmd", 0.3)), (RECALL, found("totalrecall", 0.3)))

    assert done.winner and done.winner.backend == "qmd"


def test_all_empty_is_empty() -> None:
    done, mishaps, _ = run((QMD, EMPTY_QMD), (RECALL, EMPTY_RECALL))

    assert (done.status, done.winner, mishaps, outcomes(done)) == (RouteStatus.EMPTY, None, [], ["empty", "empty"])


@each_case("failure", [BROKE, LATE])
def test_one_empty_reply_among_failures_is_empty(failure: BackendOutcome) -> None:
    for results in (((QMD, EMPTY_QMD), (RECALL, failure)), ((QMD, failure), (RECALL, EMPTY_RECALL))):
        done, mishaps, _ = run(*results)
        assert (done.status, len(mishaps), len(done.attempts)) == (RouteStatus.EMPTY, 1, 2)


def test_a_low_answer_among_failures_is_partial() -> None:
    done, _, _ = run((QMD, BROKE), (RECALL, found("totalrecall", 0.1)))

    assert (done.status, done.fallbacks_used) == (RouteStatus.PARTIAL, 1)


def test_all_failing_is_an_error_with_one_fallback_for_a_chain_of_two() -> None:
    done, mishaps, _ = run((QMD, BROKE), (RECALL, LATE))

    assert (done.status, done.fallbacks_used, done.winner) == (RouteStatus.ERROR, 1, None)
    assert [(one.attempt.outcome, one.following) for one in mishaps] == [
        (AttemptOutcome.ERROR, "totalrecall"),
        (AttemptOutcome.TIMEOUT, None),
    ]
    assert done.attempts[1].error_code == "QUERY_TIMEOUT"


def test_an_empty_plan_is_an_error_without_fallbacks() -> None:
    done, _, _ = run()

    assert (done.status, done.fallbacks_used, done.attempts) == (RouteStatus.ERROR, 0, ())


def test_an_incomplete_reply_is_never_accepted_but_may_be_best() -> None:
    known = found("qmd", 0.9).reply
    assert isinstance(known, BackendReply)
    incomplete = BackendAnswered(replace(known, status=RouteStatus.PARTIAL, error_code="PARTIAL_RESULT"), 0.01)
    done, _, _ = run((QMD, incomplete), (RECALL, found("totalrecall", 0.2)))

    assert (done.status, outcomes(done)) == (RouteStatus.PARTIAL, ["low_relevance", "low_relevance"])
    assert done.winner and done.winner.backend == "qmd"


GOOD = reply("qmd", asked(), [item("first", 0.9, "qmd", AT), item("second", 0.5, "qmd", AT)])
ITEM = GOOD.results[0]


def with_item(**changes: object) -> BackendReply:
    return replace(GOOD, results=(replace(ITEM, **changes),), result_count=1)


@each_case(
    "junk",
    [
        None,
        "junk" * 1_000,
        {"results": []},
        b"\xff" * 100,
        replace(GOOD, backend="cognee"),
        replace(GOOD, query_echo="another"),
        replace(GOOD, result_count=1),
        replace(GOOD, normalized_relevance=0.5),
        replace(GOOD, normalized_relevance=float("nan")),
        replace(GOOD, status="fine"),
        replace(GOOD, status=RouteStatus.EMPTY),
        replace(GOOD, results=(), result_count=0),
        replace(GOOD, results=tuple(reversed(GOOD.results))),
        replace(GOOD, results=[*GOOD.results]),
        with_item(relevance=1.1),
        with_item(relevance=True),
        with_item(content=None),
        with_item(timestamp="yesterday"),
        with_item(source="elsewhere"),
        replace(GOOD, results=({},), result_count=1),
    ],
)
def test_an_invalid_reply_is_a_failure_and_falls_back(junk: object) -> None:
    done, mishaps, _ = run((QMD, BackendAnswered(junk, 0.01)), (RECALL, found("totalrecall", 0.8)))

    assert (done.status, outcomes(done)) == (RouteStatus.SUCCESS, ["error", "accepted"])
    assert mishaps[0].attempt.error_code == "BACKEND_ERROR"


def test_long_content_is_cut() -> None:
    huge = tuple(replace(ITEM, content="x" * 10_000_000) for _ in range(3)) * 1_000
    done, _, _ = run((QMD, BackendAnswered(replace(GOOD, results=huge, result_count=len(huge)), 0.01)))

    assert done.status is RouteStatus.SUCCESS
    assert len(done.items) == 20
    assert all(len(one.content) <= 500 for one in done.items)


def test_racing_starts_two_steps_and_prefers_the_first() -> None:
    results = ((QMD, found("qmd", 0.5)), (RECALL, found("totalrecall", 0.9)), (COGNEE, found("cognee", 0.9)))
    done, _, started = run(*results, strategy=RouteStrategy.RACE)

    assert started == ["qmd", "totalrecall"]
    assert done.winner and done.winner.backend == "qmd"
    assert len(done.attempts) == 1


def test_merging_asks_all_backends_and_drops_duplicates() -> None:
    same = BackendAnswered(
        reply("totalrecall", asked(), [item("QMD  0", 0.45, "totalrecall", AT), item("own", 0.3, "totalrecall", AT)]),
        0.01,
    )
    done, _, started = run((QMD, found("qmd", 0.9, 0.2)), (RECALL, same), (COGNEE, BROKE), strategy=RouteStrategy.MERGE)

    assert started == ["qmd", "totalrecall", "cognee"]
    assert done.status is RouteStatus.SUCCESS
    assert [(one.content, one.source, one.relevance) for one in done.items] == [
        ("qmd 0", "qmd", 0.9),
        ("qmd 1", "qmd", 0.2),
        ("own", "totalrecall", 0.3),
    ]


def test_merging_nothing_is_empty_or_an_error() -> None:
    assert run((QMD, EMPTY_QMD), (RECALL, BROKE), strategy=RouteStrategy.MERGE)[0].status is RouteStatus.EMPTY
    assert run((QMD, LATE), (RECALL, BROKE), strategy=RouteStrategy.MERGE)[0].status is RouteStatus.ERROR


def test_log_lines_follow_the_specification() -> None:
    _, mishaps, _ = run((COGNEE, BROKE), (QMD, BackendTimedOut(5.23)), (RECALL, found("totalrecall", 0.8)))

    assert [fallback_line(one, "auth middleware", 1_773_757_800_000) for one in mishaps] == [
        '[2026-03-17T14:30:00Z] FALLBACK query="auth middleware" backend=cognee error_code=BACKEND_ERROR '
        'error_message="Python process exited with code 1" next=qmd',
        '[2026-03-17T14:30:00Z] TIMEOUT query="auth middleware" backend=qmd duration_ms=5230 next=totalrecall',
    ]


@each_case(
    "query",
    ['a" backend=x', "a\nb", "a\r[2026] TIMEOUT", "a\\", "\u2028", "\x1b[31m", "\ud800", "{}", "x" * 10_000, "\x85"],
)
def test_no_query_can_forge_a_log_line(query: str) -> None:
    attempt = Attempt("qmd", None, RouteStatus.ERROR, 0, 0.0, 1, "BAD\nCODE", query, AttemptOutcome.ERROR)
    written = fallback_line(Mishap(attempt, None), query, 0)

    assert len(written.splitlines()) == 1
    assert written.isprintable()
    assert written.endswith("next=none") and len(written) < 12_000
    unescaped = written.replace("\\\\", "").replace('\\"', "")
    assert unescaped.count('"') == 4
    written.encode("utf-8")


def test_an_item_keeps_the_fields_of_its_backend() -> None:
    one = RouteItem("text", 0.5, "qmd", AT, path="src/a.py", line=3)
    done, _, _ = run((QMD, BackendAnswered(reply("qmd", asked(), [one]), 0.01)))

    assert done.items == (one,)


def test_a_log_line_has_no_secret_whole_or_cut() -> None:
    query = f"{'x' * 170} {TOKEN}"
    attempt = Attempt("qmd", None, RouteStatus.ERROR, 0, 0.0, 1, "FAILED", f"no {TOKEN}", AttemptOutcome.ERROR)
    assert TOKEN[4:12] not in fallback_line(Mishap(attempt, None), query, 0)


def test_a_backend_outside_does_not_see_secrets_and_its_reply_is_valid() -> None:
    seen = list[str]()

    def answer(question: BackendQuery) -> BackendReply:
        seen.append(question.query)
        found = item(f"the key is {TOKEN}", 0.9, "qmd", AT)
        return reply("qmd", question, [found])

    question = replace(asked(), query=f"who uses {TOKEN}?")
    told = check_reply(MaskedQuestions(NativeBackend("qmd", answer)).ask(question), "qmd", question)
    assert seen == [f"who uses {MASKED}?"]
    assert [one.content for one in told.results] == [f"the key is {MASKED}"]
