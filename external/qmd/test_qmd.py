"""Satchel against QMD itself, by words: its program, its server, and the router in front of both."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.backends.external import ConfiguredBackends
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, BackendState, RouteStatus
from satchel.errors import BackendFailed
from satchel.routing.contract import check_reply

from .conftest import Qmd

SECONDS = 30.0


def program(qmd: Qmd, **more: Any) -> BackendEntry:
    options = {"command": qmd.command, "collection": "notes", "env": qmd.variables, "folder": str(qmd.folder), **more}
    return BackendEntry("qmd", BackendState.READY, "qmd-cli", options)


@pytest.fixture(scope="module")
def server(qmd: Qmd) -> Iterator[BackendEntry]:
    """QMD's own server on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = subprocess.Popen(
        [*qmd.command, "mcp", "--http", "--port", str(port)],
        env={**os.environ, **qmd.variables, "QMD_HOST": "127.0.0.1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        options = {"url": f"http://127.0.0.1:{port}", "collection": "notes", "folder": str(qmd.folder)}
        yield BackendEntry("qmd", BackendState.READY, "qmd-http", options)
    finally:
        running.kill()
        running.wait()


def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("QMD's server did not start")


def ask(entry: BackendEntry, query: str, mode: str = "search") -> BackendReply:
    asked = BackendQuery(query, mode, 5, time.monotonic() + SECONDS)
    return check_reply(ConfiguredBackends().backend(entry).ask(asked), "qmd", asked)


@pytest.fixture(params=["program", "server"])
def either(request: pytest.FixtureRequest, qmd: Qmd) -> BackendEntry:
    """QMD by its program or by its server."""
    return program(qmd) if request.param == "program" else request.getfixturevalue("server")


def test_a_symbol_is_found_whatever_is_said_around_it(either: BackendEntry) -> None:
    answer = ask(either, "find the function parseAuthToken")

    assert answer.status is RouteStatus.SUCCESS
    assert (answer.results[0].path, answer.results[0].relevance) == ("src/auth.md", 0.95)
    assert answer.results[0].content.startswith(("# Auth", "parseAuthToken"))
    assert answer.results[0].timestamp > "2026"


def test_some_of_the_words_are_enough(either: BackendEntry) -> None:
    answer = ask(either, "how often does the payment service retry when the bank is down", "query")

    assert answer.results[0].path == "payments.md"
    assert answer.note == "by words only: the option models is off"


def test_nonsense_finds_nothing(either: BackendEntry) -> None:
    assert ask(either, "zebra quokka").status is RouteStatus.EMPTY


@pytest.mark.parametrize("query", ['"', "--json", "-c other", "a'b", "lex: x", "NEAR(a", "*", "退款 队列"])
def test_any_text_can_be_asked(query: str, either: BackendEntry) -> None:
    ask(either, query)


def test_a_search_by_meaning_is_unavailable_without_models(either: BackendEntry) -> None:
    with pytest.raises(BackendFailed) as caught:
        ask(either, "payment", "vsearch")

    assert caught.value.code == "BACKEND_UNAVAILABLE"


def test_a_collection_that_is_not_there_is_a_failure(qmd: Qmd) -> None:
    with pytest.raises(BackendFailed):
        ask(program(qmd, collection="nonsense"), "payment")


def test_the_router_installs_it_asks_it_and_falls_back_from_it(qmd: Qmd, tmp_path: Path) -> None:
    settings = load(
        home=str(tmp_path / "home"),
        embedding={"provider": "hashing"},
        routing={"state": str(tmp_path / "state")},
    )
    with Satchel.open(settings=settings) as memory:
        memory.store("The release train leaves every second Tuesday")
        memory.backends.install()
        listed = memory.backends.install("qmd", adapter="qmd-cli", options=program(qmd).options).result
        reports = {one.name: one for one in listed.backends}
        found = memory.routing.route("find the function parseAuthToken").result
        fallen = memory.routing.route("release train", trace=True).result

    assert (reports["qmd"].status, reports["qmd"].modes) == ("ready", {"vsearch": "installed"})
    assert (found.status, found.routed_to, found.results[0].path) == (RouteStatus.SUCCESS, "qmd", "src/auth.md")
    assert (fallen.routed_to, fallen.fallbacks_used) == ("totalrecall", 1)


def test_without_a_folder_results_have_the_dates_of_the_index(qmd: Qmd) -> None:
    options: dict[str, Any] = {"command": qmd.command, "collection": "notes", "env": qmd.variables}
    without_folder = BackendEntry("qmd", BackendState.READY, "qmd-cli", options)

    assert ask(without_folder, "find the function parseAuthToken").results[0].timestamp > "2026"
