"""The router over a real store and real programs."""

import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.receipt import Receipt
from satchel.domain.routing import RouterEnvelope, RouteStatus
from satchel.errors import InvalidRequest
from satchel.interfaces import agents
from satchel.interfaces.agents import complete_arguments
from satchel.interfaces.serialization import from_json, to_json
from satchel.interfaces.shapes import shape_of
from satchel.routing.service import WITHOUT_CONTENT
from satchel.wiring.router_lanes import router_lanes
from tests.routing.conftest import State
from tests.routing.queries import EXAMPLES
from tests.tables import each_case

READY = {"status": "ready"}
FIELDS = {
    "query_echo",
    "routed_to",
    "routed_mode",
    "fallback_chain",
    "fallbacks_used",
    "results",
    "result_count",
    "normalized_relevance",
    "status",
    "router_duration_ms",
    "backend_duration_ms",
}
FAILING = "import sys; sys.stderr.write('broken\\n'); sys.exit(1)"
EMPTY = "print('[]')"
HUNG = "import time; time.sleep(600)"


def route(memory: Satchel, query: str, **more: Any) -> RouterEnvelope:
    return memory.routing.route(query, trace=True, **more).result


def shaped(memory: Satchel, query: str, **more: Any) -> dict[str, Any]:
    """Return the envelope as JSON."""
    shape = shape_of("route")
    assert shape is not None
    return shape.answer(memory.routing.route(query, **more))


def outcomes(envelope: RouterEnvelope) -> list[str]:
    assert envelope.trace is not None
    return [f"{one.backend} {one.outcome.value}" for one in envelope.trace.attempts]


@each_case(("query", "rule", "starter", "pro"), EXAMPLES)
@each_case("tier", ["starter", "pro"])
def test_the_worked_examples_are_routed_on_both_tiers(
    query: str, rule: str, starter: str, pro: str, tier: str, memory: Satchel, state: State
) -> None:
    state.write(dict.fromkeys(("qmd", "totalrecall", "cognee", "lossless"), READY), tier=tier)
    trace = route(memory, query).trace
    expected = (starter if tier == "starter" else pro).split()

    assert trace is not None
    assert trace.rule.id == rule
    assert [f"{one.backend}:{one.mode}" if one.mode else one.backend for one in trace.planned] == expected


def test_a_success_has_exactly_the_fields_of_the_specification(filled: Satchel) -> None:
    envelope = shaped(filled, "find the function parseAuthToken")

    assert set(envelope) == FIELDS
    assert (envelope["status"], envelope["routed_to"], envelope["routed_mode"]) == ("success", "qmd", "search")
    assert (envelope["fallback_chain"], envelope["fallbacks_used"]) == (["qmd", "totalrecall"], 0)
    assert envelope["query_echo"] == "find the function parseAuthToken"
    assert envelope["result_count"] == len(envelope["results"])
    assert {"content", "relevance", "source", "timestamp"} <= set(envelope["results"][0])
    assert envelope["results"][0]["relevance"] == envelope["normalized_relevance"] >= 0.8
    assert all(value is not None for value in envelope["results"][0].values())


def test_an_empty_store_says_what_to_do_first(memory: Satchel) -> None:
    envelope = route(memory, "zebra crossing")

    assert envelope.status is RouteStatus.EMPTY
    assert envelope.trace
    assert all(
        f"'satchel {command}" in envelope.trace.advice[0]
        for command in ("docs ingest", "store", "conversation add", "graph extract")
    )


def test_a_store_of_turns_is_not_called_empty(memory: Satchel) -> None:
    memory.episodes.add(text="The mixer arrived damaged", session="s")

    assert memory.routing.route("zebra crossing").result.trace is None


def test_a_store_of_observations_is_not_called_empty(memory: Satchel) -> None:
    memory.observations.capture('{"text": "The mixer arrived damaged"}')
    memory.observations.ingest()

    assert memory.routing.route("zebra crossing").result.trace is None


def test_a_scope_with_a_conversation_is_not_called_unused(memory: Satchel) -> None:
    memory.conversations.add("The mixer arrived damaged")
    trace = route(memory, "zebra crossing").trace

    assert trace and [one.note for one in trace.attempts] == [None] * len(trace.attempts)


def test_no_result_is_empty(filled: Satchel) -> None:
    envelope = shaped(filled, "zebra crossing")

    assert set(envelope) == FIELDS
    assert (envelope["status"], envelope["routed_to"], envelope["results"]) == ("empty", None, [])
    assert (envelope["normalized_relevance"], envelope["backend_duration_ms"]) == (0.0, 0)


def test_low_relevance_is_partial(filled: Satchel, state: State) -> None:
    state.rules(threshold=0.999)
    envelope = shaped(filled, "release train")

    assert set(envelope) == FIELDS
    assert envelope["status"] == "partial"
    assert envelope["fallbacks_used"] == 1


def test_all_failing_is_an_error_that_names_the_log(filled: Satchel, state: State) -> None:
    state.write({"qmd": state.program(FAILING), "totalrecall": {"status": "ready", "adapter": "totalrecall-md"}})
    envelope = shaped(filled, "release train")

    assert set(envelope) == FIELDS | {"error_code", "error_message"}
    assert (envelope["status"], envelope["error_code"]) == ("error", "ALL_BACKENDS_FAILED")
    assert (envelope["routed_to"], envelope["routed_mode"], envelope["normalized_relevance"]) == (None, None, 0.0)
    assert (envelope["fallback_chain"], envelope["fallbacks_used"]) == (["qmd", "totalrecall"], 1)
    assert envelope["error_message"] == (
        "All backends in the fallback chain failed. Check ~/.openclaw/state/router.log for details."
    )
    assert [line.split(" ", 1)[1] for line in state.log] == [
        'FALLBACK query="release train" backend=qmd error_code=BACKEND_ERROR error_message="broken" next=totalrecall',
        'FALLBACK query="release train" backend=totalrecall error_code=BACKEND_UNAVAILABLE error_message="totalrecall: '
        "the option 'folder' must be a string\" next=none",
    ]


def test_having_no_backend_is_a_separate_error(filled: Satchel, state: State) -> None:
    state.write({})
    envelope = shaped(filled, "release train")

    assert (envelope["error_code"], envelope["fallback_chain"], envelope["fallbacks_used"]) == (
        "ALL_BACKENDS_FAILED",
        [],
        0,
    )
    assert "No backend is available" in envelope["error_message"]
    assert state.log == []


def test_a_failure_falls_back_and_is_logged(filled: Satchel, state: State) -> None:
    state.write({"qmd": state.program(FAILING), "totalrecall": READY})
    envelope = route(filled, "release train")

    assert (envelope.status, envelope.routed_to, envelope.fallbacks_used) == (RouteStatus.SUCCESS, "totalrecall", 1)
    assert outcomes(envelope) == ["qmd error", "totalrecall accepted"]
    assert len(state.log) == 1


def test_an_empty_answer_falls_back_and_is_not_logged(filled: Satchel, state: State) -> None:
    state.write({"qmd": state.program(EMPTY), "totalrecall": READY})
    envelope = route(filled, "release train")

    assert outcomes(envelope) == ["qmd empty", "totalrecall accepted"]
    assert state.log == []


def test_empty_and_failing_is_empty(memory: Satchel, state: State) -> None:
    state.write({"qmd": state.program(FAILING), "totalrecall": READY})

    assert route(memory, "zebra").status is RouteStatus.EMPTY


def test_a_hung_backend_times_out_is_killed_and_falls_back(filled: Satchel, state: State, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    state.rules(timeout_ms=700)
    hung = f"import os; open({str(mark)!r}, 'w').write(str(os.getpid())); " + HUNG
    state.write({"qmd": state.program(hung), "totalrecall": READY})
    envelope = route(filled, "release train")

    assert outcomes(envelope) == ["qmd timeout", "totalrecall accepted"]
    assert envelope.trace is not None
    assert envelope.trace.attempts[0].error_code == "QUERY_TIMEOUT"
    assert state.log[0].split(" ")[1] == "TIMEOUT"
    assert state.log[0].endswith("next=totalrecall")
    assert _is_gone(int(mark.read_text(encoding="ascii")))


def _is_gone(pid: int) -> bool:
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_a_failed_backend_is_tried_last_for_a_while(filled: Satchel, state: State) -> None:
    state.write({"qmd": state.program(FAILING), "totalrecall": READY})
    route(filled, "release train")
    second = route(filled, "release train")

    assert outcomes(second) == ["totalrecall accepted"]
    assert second.fallback_chain == ("totalrecall", "qmd")


@pytest.mark.parametrize("said", ["print('junk')", "print('[' + '1,' * 5_000_000 + '1]')", "print('x' * 10_000_000)"])
def test_invalid_and_oversized_replies_are_failures(said: str, filled: Satchel, state: State) -> None:
    state.write({"qmd": state.program(said), "totalrecall": READY})

    assert outcomes(route(filled, "release train")) == ["qmd error", "totalrecall accepted"]


def test_a_missing_backend_is_skipped_silently(filled: Satchel, state: State) -> None:
    state.write({"totalrecall": READY})
    envelope = route(filled, "what depends on the release train")

    assert (envelope.fallback_chain, envelope.fallbacks_used, state.log) == (("totalrecall",), 0, [])
    assert envelope.trace is not None
    assert [(one.backend, one.reason) for one in envelope.trace.skipped] == [
        ("cognee", "not listed"),
        ("qmd", "not listed"),
    ]


def test_a_malformed_state_file_is_rejected(filled: Satchel, state: State) -> None:
    state.folder.mkdir(parents=True)
    (state.folder / "backends.json").write_text("{", encoding="ascii")
    with pytest.raises(InvalidRequest):
        route(filled, "release train")


def test_the_router_never_writes_the_state_file(filled: Satchel, state: State) -> None:
    route(filled, "release train")
    assert not state.folder.exists()
    state.write({"qmd": state.program(FAILING), "totalrecall": READY})
    before = (state.folder / "backends.json").read_bytes()
    route(filled, "release train")

    assert (state.folder / "backends.json").read_bytes() == before


@each_case(
    "query", ["what was the last thing we changed", "what is new", "what's new", "what's new today", "recent changes"]
)
def test_a_query_without_content_returns_the_newest(filled: Satchel, query: str) -> None:
    envelope = route(filled, query)

    assert (envelope.routed_to, envelope.normalized_relevance) == ("totalrecall", 1.0)
    assert envelope.results[0].content == "The release train leaves every second Tuesday"


@pytest.mark.parametrize("strategy", ["sequential", "merge"])
def test_a_limit_cuts_the_list_and_changes_nothing_else(memory: Satchel, tmp_path: Path, strategy: str) -> None:
    code = tmp_path / "auth.py"
    parts = ['"""Reading and checking tokens: where we validate tokens."""']
    parts += [f"def validate_token_{name}(token):\n    return token == {name!r}" for name in ("a", "b", "c", "d")]
    code.write_text("\n\n\n".join(parts), encoding="utf-8")
    memory.documents.ingest(str(code))
    for place in ("harbour", "office", "workshop"):
        memory.store(f"We validate tokens in the {place}, and renew the tokens there.")
    whole = route(memory, "where do we validate tokens", strategy=strategy)

    for limit in (1, 2, 3):
        cut = route(memory, "where do we validate tokens", strategy=strategy, limit=limit)
        assert [one.id for one in cut.results] == [one.id for one in whole.results[:limit]]
        assert (cut.status, cut.normalized_relevance) == (whole.status, whole.normalized_relevance)


def test_the_newest_is_what_was_said_last_even_if_older_messages_were_added_after_it(memory: Satchel) -> None:
    memory.conversations.add("Let us notify everybody on the waiting list.", conversation="new")
    for day in range(1, 6):
        memory.conversations.add(f"The invoice of berth {day} is paid.", conversation="old", at=f"2026-01-0{day}")
    envelope = memory.routing.route("what did we just talk about", limit=2).result

    assert [one.content for one in envelope.results] == [
        "Let us notify everybody on the waiting list.",
        "The invoice of berth 5 is paid.",
    ]


def test_the_scope_is_applied(filled: Satchel) -> None:
    filled.store("parseAuthToken is a secret of the other project", scope="other")
    for query in ("parseAuthToken", "what was the last thing we changed", "how does parseAuthToken work"):
        here = route(filled, query)
        assert all("other project" not in one.content for one in here.results)
    assert [one.content for one in route(filled, "parseAuthToken", scope="other").results] == [
        "parseAuthToken is a secret of the other project"
    ]


def test_quarantined_and_forgotten_records_are_never_returned(filled: Satchel) -> None:
    filled.store("parseAuthToken is quarantined", trust="quarantined")
    gone = filled.store("parseAuthToken is soon forgotten").result.id
    filled.forget(gone)
    for query in ("parseAuthToken", "what was the last thing we changed"):
        assert not any(
            "quarantined" in one.content or "forgotten" in one.content for one in route(filled, query).results
        )


def test_an_external_backend_can_be_limited_to_scopes(filled: Satchel, state: State) -> None:
    outside = state.program(EMPTY)
    outside["options"]["scopes"] = ["other"]
    state.write({"qmd": outside, "totalrecall": READY})

    assert route(filled, "release train").fallback_chain == ("totalrecall",)
    assert route(filled, "release train", scope="other").fallback_chain == ("qmd", "totalrecall")


def test_other_strategies_are_reported_in_a_trace(filled: Satchel) -> None:
    for strategy in ("race", "merge"):
        envelope = filled.routing.route("release train", strategy=strategy).result
        assert envelope.trace is not None
        assert envelope.trace.strategy == strategy
        assert envelope.trace.notes[-1] == f"strategy {strategy}: beyond the specification"
    assert filled.routing.route("release train").result.trace is None


def test_merging_drops_duplicates(filled: Satchel) -> None:
    envelope = filled.routing.route("release train", strategy="merge").result

    assert [one.content for one in envelope.results].count("The release train leaves every second Tuesday") == 1


def test_the_receipt_lists_attempts_without_the_query(filled: Satchel) -> None:
    answer = filled.routing.route("find the function parseAuthToken")
    body = str(answer.receipt.body)

    assert answer.receipt.kept
    assert answer.receipt.decided["rule"] == "exact_symbol"
    assert answer.receipt.decided["signals"] == ["find…function/class/method", "identifier"]
    assert "parseAuthToken" not in body
    assert filled.maintenance.receipts_list(operation="recall").result == (), "the lanes leave no receipts of their own"


def test_equal_queries_give_equal_receipts(filled: Satchel) -> None:
    first, second = (filled.routing.route("release train").receipt.digest for _ in range(2))

    assert first == second


def test_the_statistics_are_counted_from_receipts(filled: Satchel, state: State) -> None:
    for query in ("parseAuthToken", "release train", "zebra"):
        route(filled, query)
    stats = filled.routing.stats().result
    rules = {one.rule: one for one in stats.rules}

    assert stats.receipts == 3
    assert (rules["exact_symbol"].routed, rules["exact_symbol"].accepted_first) == (1, 1)
    assert (rules["default"].routed, rules["default"].statuses) == (2, {"empty": 1, "success": 1})
    assert {one.backend: one.asked for one in stats.backends} == {"qmd": 3, "totalrecall": 1}


def test_routes_are_listed_from_receipts_newest_first(filled: Satchel, state: State) -> None:
    for query in ("parseAuthToken", "zebra", "release train"):
        route(filled, query)
    past = filled.routing.recent().result

    assert [(one.rule, one.status, one.query_chars) for one in past.routes] == [
        ("default", "success", 13),
        ("default", "empty", 5),
        ("exact_symbol", "success", 14),
    ]
    assert [(one.backend, one.outcome) for one in past.routes[-1].attempts] == [("qmd", "accepted")]
    assert past.next is None
    first = filled.routing.recent(limit=2).result
    rest = filled.routing.recent(limit=2, before=first.next).result
    assert first.routes + rest.routes == past.routes
    assert filled.routing.recent(scope="elsewhere").result.routes == ()


def test_a_receipt_without_the_sections_of_a_route_is_left_out(memory: Satchel) -> None:
    memory.parts.ledger.receipts.keep(Receipt("route", {"scope": "global"}, decided={"ids": 7}), [])
    route(memory, "release train")

    assert len(memory.routing.recent().result.routes) == 1


@pytest.mark.parametrize("query", ["", "  ", "x" * 200_000])
def test_an_empty_query_is_rejected(query: str, memory: Satchel) -> None:
    with pytest.raises(InvalidRequest):
        memory.routing.route(query)


@each_case("query", ["?", "'", "🐟", "the", "what is it", "谁"])
def test_a_query_without_content_is_empty_and_says_what_it_needs(filled: Satchel, query: str) -> None:
    envelope = filled.routing.route(query).result

    assert (envelope.status, envelope.results, envelope.fallback_chain) == (
        RouteStatus.EMPTY,
        (),
        ("qmd", "totalrecall"),
    )
    assert envelope.trace and envelope.trace.advice == (WITHOUT_CONTENT,)


@pytest.mark.parametrize("query", ["\x00", "\ud800", "🙂", "'; --", '"', "{}", "%s", "\n\n*", "a" * 50_000])
def test_any_query_is_answered(query: str, filled: Satchel) -> None:
    assert filled.routing.route(query, trace=True).result.query_echo == query


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": 51}, {"strategy": "x"}, {"hint": "x"}, {"scope": "!"}])
def test_invalid_arguments_are_rejected(given: dict[str, Any], memory: Satchel) -> None:
    with pytest.raises(InvalidRequest):
        memory.routing.route("a question", **given)


def test_relevance_is_absolute(filled: Satchel) -> None:
    """Removing the best hit does not raise the second, and unrelated records barely change a value."""
    query = "release train tuesday"
    second = filled.store("A train leaves").result.id

    def value(id: str) -> float:
        return next((one.relevance for one in route(filled, query).results if one.id == id), 0.0)

    before = value(second)
    best = next(one.id for one in route(filled, query).results if one.id != second)
    for number in range(20):
        filled.store(f"Unrelated note number {number} on gardening and soil")
    crowded = value(second)
    assert best is not None
    filled.forget(best)

    assert value(second) <= crowded + 0.05
    assert abs(crowded - before) < 0.1


def test_all_four_native_backends_answer_their_queries(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "auth.md").write_text("# Auth\n\nparseAuthToken reads the bearer token.\n", encoding="utf-8")
    memory.documents.ingest(str(tmp_path / "notes"))
    memory.conversations.add("We decided to keep orders in SQLite because the piers lose their network.")
    memory.graph.add("AuthMiddleware", "DEPENDS_ON", "SessionStore")
    memory.store("The release train leaves every second Tuesday")
    asked = {
        "find the function parseAuthToken": ("qmd", "parseAuthToken"),
        "why did we keep orders in SQLite": ("lossless", "lose their network"),
        "what depends on SessionStore": ("cognee", "AuthMiddleware"),
        "what was the last thing we changed": ("totalrecall", "release train"),
    }
    for query, (backend, held) in asked.items():
        envelope = route(memory, query)
        assert (envelope.status, envelope.routed_to) == (RouteStatus.SUCCESS, backend), query
        assert held in envelope.results[0].content
        assert envelope.results[0].timestamp > "2026"
    assert route(memory, "find the function parseAuthToken").results[0].path == "auth.md"
    traversal = route(memory, "what depends on SessionStore").results[0].traversal
    assert traversal is not None
    assert (traversal.depth, traversal.edges) == (1, ("DEPENDS_ON",))


def test_a_decision_is_returned_once(memory: Satchel) -> None:
    memory.conversations.add("We decided to keep orders in SQLite because the piers lose their network.")

    assert len(route(memory, "why did we keep orders in SQLite").results) == 1


def test_a_hung_native_backend_times_out(home: Path, state: State) -> None:
    """The embedding server never answers; backends without vectors do."""
    state.rules(timeout_ms=400)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        embedding = {"provider": "openai", "url": url, "timeout_ms": 20_000}
        with Satchel.open(settings=load(home=str(home), embedding=embedding)) as memory:
            memory.store("The release train leaves every second Tuesday")
            envelope = route(memory, "how does the release train work")

    assert outcomes(envelope) == ["qmd timeout", "qmd timeout", "totalrecall accepted"]
    assert len(state.log) == 2


def test_an_envelope_round_trips_through_a_server(filled: Satchel) -> None:
    for query in ("parseAuthToken", "zebra"):
        envelope = route(filled, query)
        assert from_json(RouterEnvelope, to_json(envelope)) == envelope


def test_agents_get_the_router_but_not_its_backends_as_a_tool(filled: Satchel) -> None:
    tools = agents.offered_tools(agents.Bounds(scope="global", read_only=True))

    assert "route" in tools
    assert not any(name.startswith("backends") or name in ("route_stats", "route_list") for name in tools)
    given = complete_arguments(tools["route"], agents.Bounds(scope="global"), {"query": "parseAuthToken"}, "test")
    assert given["scope"] == "global"
    assert filled.routing.route(**given).result.status is RouteStatus.SUCCESS


@each_case("query", ["find the function parseAuthHeader", "find all usages of TokenReader", "parseAuthHeader"])
def test_a_name_that_does_not_exist_is_not_found(filled: Satchel, query: str) -> None:
    envelope = route(filled, query)

    assert envelope.status is not RouteStatus.SUCCESS
    assert envelope.normalized_relevance < 0.4


@each_case("query", ["find the function parse_auth_token", "ParseAuthToken", "find all usages of parseAuthToken"])
def test_a_name_is_found_in_any_notation(filled: Satchel, query: str) -> None:
    assert route(filled, query).status is RouteStatus.SUCCESS


def test_an_answer_has_no_tail_of_irrelevant_results(memory: Satchel) -> None:
    memory.store("The walrus cache holds forty entries")
    for number in range(30):
        memory.store(f"The cache of lane {number} was cleaned by the night shift")
    found = route(memory, "how many entries does the walrus cache hold").results

    assert found[0].content == "The walrus cache holds forty entries"
    assert all(one.relevance >= 0.1 for one in found[3:])
    assert all(one.relevance >= 0.02 for one in found)


@each_case(
    "query, is_answered",
    [
        ("when does the release train leave", True),
        ("when does the release train leave for Utrecht", False),
        ("when does the PostgreSQL release train leave", True),
        ("why did we decide to keep orders in Oracle", False),
    ],
    ids=str,
)
def test_a_question_about_a_name_that_no_record_has_is_not_answered(
    filled: Satchel, query: str, is_answered: bool
) -> None:
    assert (route(filled, query).status is RouteStatus.SUCCESS) is is_answered


def test_a_name_is_known_wherever_it_was_recorded(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Team\n\nIlse leads.\n", encoding="utf-8")
    memory.documents.ingest(str(tmp_path))
    memory.store("Wout repairs gauges")
    memory.conversations.add("Noor is ill today", conversation="team")
    unknown = router_lanes(memory).unknown

    assert unknown is not None
    assert unknown(("Ilse", "Wout", "Noor", "Lin", "Gauge")) == ("Lin",)


@each_case(
    "query, is_answered",
    [
        ("did we decide that the walrus cache holds forty entries", True),
        ("did we decide that the walrus cache loses forty entries", False),
        ("why did we choose walrus", False),
    ],
    ids=str,
)
def test_what_was_not_noted_as_a_decision_answers_only_with_every_word(
    memory: Satchel, query: str, is_answered: bool
) -> None:
    memory.store("The walrus cache holds forty entries")

    assert (route(memory, query).status is RouteStatus.SUCCESS) is is_answered
