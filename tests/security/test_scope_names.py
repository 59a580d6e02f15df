"""Names that look like another scope, calls that try to leave theirs, and many callers at once."""

import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from satchel.app import Satchel
from satchel.errors import InvalidRequest
from satchel.interfaces.agents import TOOLS, Bounds
from satchel.interfaces.operations import Session
from tests.faults.extent import extent
from tests.interfaces.http.running import Server
from tests.security.canaries import MINE, STOCK
from tests.security.cases import BY_NAME, CASES, as_agent, as_operator, takes_scope
from tests.security.conftest import Stock, open_session
from tests.security.edges import McpRoute
from tests.security.test_scopes import leaks, served
from tests.tables import each_case

__all__ = ["served"]

Opened = Callable[[], Session]
LOOK_ALIKES = [
    "tenant/T001", "TENANT/T001", "Tenant/t001", " tenant/t001", "tenant/t001 ", "tenant/t001\n", "tenant/t001\0", "tenant/t00\u0661",
    "tenant\u2044t001", "tenant\uff0ft001", "ｔｅｎａｎｔ/t001", "tena\u200bnt/t001", "te\u0301nant/t001", "tenant/ṫ001", "tenant/т001",
    "tenant//t001", "tenant/./t001", "tenant/../tenant/t001", "/tenant/t001", "tenant/t001/", "tenant\\t001", "tenant/t00?", "tenant/t%",
    "tenant/t001%", "%", "_", "*", "tenant/*", "", " ", "\0", "null", "None", "undefined", "' OR 1=1 --", 'tenant/t001" OR "1"="1',
    "tenant/t001' --", "project/home tenant/t001", "project/home,tenant/t001", "project/home\ttenant/t001", "\u202etenant/t001",
    "tenant/t001\ufeff", "\U000e0074enant/t001", "\ud800", "x" * 65, "tenant/" + "t" * 100_000,
]  # fmt: skip
READS = (
    "recall",
    "list",
    "search",
    "episodes search",
    "docs search",
    "graph list",
    "fact current",
    "conversation list",
)


def test_look_alikes_differ_from_every_name() -> None:
    assert len(LOOK_ALIKES) == len(set(LOOK_ALIKES))
    assert any(unicodedata.normalize("NFKC", name) == "tenant/t001" != name for name in LOOK_ALIKES)


@each_case("name", extent(LOOK_ALIKES[::4], LOOK_ALIKES))
def test_a_look_alike_never_reaches_another_scope(stock: Stock, name: str) -> None:
    session = open_session(stock.home)
    try:
        for read in READS:
            answer = as_operator(session, BY_NAME[read], CASES[read][0], name)
            assert "zqcanary" not in answer.replace(name, ""), read
            assert "zqmine" not in answer, read
    finally:
        session.close()


@each_case("wrong", [["tenant/t001"], {"scope": "tenant/t001"}, 1, 0, True, 1.5, ["*"], [None]])
def test_a_scope_that_is_no_text_is_an_error(stock: Stock, wrong: Any) -> None:
    session = open_session(stock.home)
    try:
        for name in CASES:
            if takes_scope(BY_NAME[name]) and not BY_NAME[name].takes_host_input:
                answer = as_operator(session, BY_NAME[name], CASES[name][0], wrong)
                assert '"ok": false' in answer and "internal_error" not in answer, (name, answer[:400])
    finally:
        session.close()


@each_case("scope", ["tenant/t001", None, "", "*", "global", "auto", ["tenant/t001"]])
def test_no_argument_leaves_a_fixed_scope(stock: Stock, opened: Opened, scope: Any) -> None:
    session, bounds = opened(), Bounds(scope=MINE)
    for operation in extent(list(TOOLS.values())[::5], list(TOOLS.values())):
        for name in ("scope", "scopes", "all_scopes", "elsewhere", "fallback", "Scope", "scope ", "quarantined"):
            answer = as_agent(session, operation, {**CASES[operation.name][0], name: scope}, bounds)
            assert "unknown_param" in answer or "no_folder" in answer, (operation.name, name)


def test_a_server_with_a_fixed_scope_takes_no_other(stock: Stock, served: Server) -> None:
    route = McpRoute(served, f"?scope={MINE}&tools=all")
    for scope in ("tenant/t001", "*", None, ""):
        answer = route.call(TOOLS["memory_list"], {"scope": scope})
        assert "unknown_param" in answer and not leaks(answer, stock.foreign)
    for options in ("?scope=", "?scope=*", "?scope=Tenant/T001", f"?scope={MINE}%20tenant/t001", f"?scope={MINE}%00"):
        assert served.ask(f"/mcp{options}", {}).status == 400, options
    twice = served.ask(f"/mcp?scope={MINE}&scope=tenant/t001", {})
    assert (twice.status, twice.error) == (400, "repeated_param")


def test_an_agent_is_told_of_no_other_scope_by_a_suggestion(stock: Stock, opened: Opened) -> None:
    session = opened()
    for name in ("tenant/t01", "Tenant/T001", "t001", "tenant", "tennant/t001"):
        for operation in TOOLS.values():
            if takes_scope(operation):
                answer = as_agent(session, operation, {**CASES[operation.name][0], "scope": name}, Bounds())
                assert "tenant/t001" not in answer.replace(name, ""), operation.name


def test_what_a_caller_passes_is_not_changed(stock: Stock, opened: Opened) -> None:
    session = opened()
    for name, calls in CASES.items():
        for call in calls:
            copy = repr(call)
            as_operator(session, BY_NAME[name], call, MINE)
            assert repr(call) == copy, name


def test_many_callers_at_once_each_see_their_own(stock: Stock, tmp_path: Path) -> None:
    times = extent((6,), (300,))[0]
    with Satchel.open(settings=open_session(stock.copy(tmp_path / "home")).settings) as memory:

        def watch(number: int) -> int:
            own, seen = stock.foreign[number], 0
            for _ in range(times):
                texts = [one.memory.text for one in memory.recall(STOCK, scope=own.scope, fallback=False).result.hits]
                texts += [one.text for one in memory.memories.list(scope=own.scope).result.memories]
                assert texts and all(own.canary in text for text in texts)
                seen += len(texts)
            return seen

        with ThreadPoolExecutor(10) as threads:
            assert sum(threads.map(watch, range(10))) >= 10 * times


def test_a_scope_of_a_store_call_must_be_valid(stock: Stock, tmp_path: Path) -> None:
    with Satchel.open(settings=open_session(stock.copy(tmp_path / "home")).settings) as memory:
        before = memory.maintenance.stats(all_scopes=True).result.tally
        for name in ("Tenant/T001", " ", "../x", "tenant/t001\n"):
            try:
                memory.recall(STOCK, scope=name)
            except InvalidRequest as error:
                assert error.code == "invalid_scope"
        assert memory.maintenance.stats(all_scopes=True).result.tally == before
