"""No answer from one scope has anything of another, through any operation and any edge."""

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.agents import TOOLS, Bounds, tool_name
from satchel.interfaces.cli.main import main
from satchel.interfaces.operations import OPERATIONS, Operation, Session
from tests.faults.extent import extent
from tests.interfaces.http.running import Server
from tests.security.canaries import MINE, STOCK, Stocked
from tests.security.cases import BY_NAME, CASES, ON_THE_MACHINE, as_agent, as_operator, filled_in, takes_scope
from tests.security.conftest import Stock
from tests.security.edges import McpRoute, command_words, stdio_server
from tests.security.masks import lookalike, masked

Opened = Callable[[], Session]
FOREIGN_WORD = re.compile(r"zqcanary\d{3}")


def leaks(answer: str, foreign: list[Stocked]) -> set[str]:
    """Return the foreign canaries and ids in an answer."""
    ids = {id for one in foreign for kind, id in one.ids.items() if kind != "receipt"}
    return set(FOREIGN_WORD.findall(answer)) | {id for id in ids if id in answer}


def test_every_operation_has_a_case() -> None:
    assert set(CASES) | set(ON_THE_MACHINE) == {one.name for one in OPERATIONS}
    assert all(BY_NAME[name].terminal_only for name in ON_THE_MACHINE)


def test_no_operation_shows_its_caller_another_scope(stock: Stock, opened: Opened) -> None:
    session = opened()
    for name, calls in CASES.items():
        for call in calls:
            answer = as_operator(session, BY_NAME[name], filled_in(call, stock.mine.ids), MINE)
            # Receipts and repairs are about the whole store: they may name its records, and show none of them.
            found = leaks(answer, stock.foreign) if takes_scope(BY_NAME[name]) else FOREIGN_WORD.findall(answer)
            assert not found, (name, call)
            assert '"internal_error"' not in answer, (name, call)


def test_no_tool_shows_an_agent_another_scope(stock: Stock, opened: Opened, tmp_path: Path) -> None:
    session, bounds = opened(), Bounds(scope=MINE, folder=tmp_path)
    for operation in TOOLS.values():
        for call in CASES[operation.name]:
            answer = as_agent(session, operation, filled_in(call, stock.mine.ids), bounds)
            assert not leaks(answer, stock.foreign), (operation.name, call)
            assert "tenant/" not in answer, (operation.name, call)
            assert '"internal_error"' not in answer, (operation.name, call)


@pytest.fixture(scope="module")
def served(stock: Stock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over a copy of the filled store."""
    server = Server(stock.copy(tmp_path_factory.mktemp("served") / "home"))
    yield server
    assert server.stop() == 0


def placed(operation: Operation, call: Any, stock: Stock) -> dict[str, Any]:
    """Return a call with the caller's own ids and, where it takes one, the caller's scope."""
    scope = {"scope": MINE} if takes_scope(operation) else {}
    return {**filled_in(call, stock.mine.ids), **scope}


EDGE_CASES = [(BY_NAME[name], call) for name, calls in CASES.items() for call in calls]


def test_the_command_line_shows_no_other_scope(
    stock: Stock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(stock.copy(tmp_path / "home")))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    for operation, call in extent(EDGE_CASES[::9], EDGE_CASES):
        if operation.agents_only:
            continue
        for words in (
            (command := command_words(operation, placed(operation, call, stock), tmp_path)),
            [word for word in command if word != "--json"],
        ):
            main(words)
            said = capfd.readouterr()
            found = (
                leaks(said.out + said.err, stock.foreign) if takes_scope(operation) else FOREIGN_WORD.findall(said.out)
            )
            assert not found, words
            assert "internal_error" not in said.out, words
            assert "unrecognized" not in said.err, words


def test_http_shows_no_other_scope(stock: Stock, served: Server) -> None:
    for operation, call in extent(EDGE_CASES[::9], EDGE_CASES):
        reply = served.ask(f"/v1/{tool_name(operation)}", placed(operation, call, stock))
        text = reply.body.decode() + json.dumps(dict(reply.headers))
        found = leaks(text, stock.foreign) if takes_scope(operation) else FOREIGN_WORD.findall(text)
        assert not found and reply.status < 500, (operation.name, call, reply)


TOOL_CASES = [(one, call) for one in TOOLS.values() if not one.handles_files for call in CASES[one.name]]


def test_mcp_over_http_shows_no_other_scope(stock: Stock, served: Server) -> None:
    route = McpRoute(served, f"?scope={MINE}&tools=all")
    for operation, call in extent(TOOL_CASES[::9], TOOL_CASES):
        answer = route.call(operation, filled_in(call, stock.mine.ids))
        assert not leaks(answer, stock.foreign) and "tenant/" not in answer, (operation.name, call)
        assert '"structuredContent"' in answer, answer


def test_mcp_over_standard_streams_shows_no_other_scope(stock: Stock, tmp_path: Path) -> None:
    foreign_word = stock.foreign[0].canary
    with stdio_server(stock.copy(tmp_path / "home"), "--scope", MINE, "--tools", "all") as server:
        answers = [
            server.call(operation, filled_in(call, stock.mine.ids))
            for operation, call in extent(TOOL_CASES[::9], TOOL_CASES)
        ]
        answers += [server.ask(f"{what}/list", {}) for what in ("tools", "prompts", "resources", "resources/templates")]
        uris = [f"satchel://pack/{STOCK}", f"satchel://pack/{foreign_word}"]
        answers += [server.ask("resources/read", {"uri": uri.replace(" ", "%20")}) for uri in uris]
        for kind, id in (("memory", "memory"), ("memory", "observation"), ("receipt", "receipt")):
            real, absent = stock.foreign[0].ids[id], lookalike(stock.foreign[0].ids[id])
            asked = [server.ask("resources/read", {"uri": f"satchel://{kind}/{one}"}) for one in (real, absent)]
            assert masked(asked[0], real) == masked(asked[1], absent)
    for answer in answers:
        assert answer and not leaks(answer.replace(foreign_word, ""), stock.foreign) and "tenant/" not in answer, answer
