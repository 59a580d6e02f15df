"""The command line, Python, HTTP and MCP give the same result and the same receipt for every operation they share.

Each edge makes the same calls in the same order on its own copy of one filled store, once as the operator and once as an
agent. What a call returns in Python is what every other edge must show, in its own shape.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.domain.envelope import Failed, Ok
from satchel.interfaces.agents import Bounds, perform, tool_name
from satchel.interfaces.cli.main import main
from satchel.interfaces.failures import failure_of
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.operations import Operation
from satchel.interfaces.serialization import envelope
from satchel.interfaces.shapes import shape_of
from satchel.interfaces.tokens import issue_token
from satchel.interfaces.toolbox import agent_failure, structured_content, text_of
from tests.interfaces.http.filled import calls_of, fill_store
from tests.interfaces.http.running import Server
from tests.security.conftest import open_session
from tests.security.edges import McpRoute, command_words

Call = tuple[Operation, dict[str, Any]]
Answers = Sequence[Any]
# Clock readings, sizes of files, and who asked: they differ by nature.
_OWN = {
    "at", "duration_ms", "latencyMs", "latency_ms", "created_at", "updated_at", "actor", "source_ref", "folder", "server", "bytes",
    "since", "db_path", "dbPath", "mean_created_at", "newest", "oldest", "createdAt", "updatedAt", "recency_ts", "timing", "mean_ms",
    "router_duration_ms", "backend_duration_ms", "state_file", "as_of", "asserted_by", "assertion_ref", "ageDays",
    "lastUsedAt", "last_used_at", "last_run_at",
}  # fmt: skip
# Ids and digests of what a write has made.
_NEW = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,27}|sha256:[0-9a-f]{4,64}|\b[a-z]{2,4}[_:-][0-9a-f]{12,}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*Z?|\d+(?:\.\d+)? ms|\b1[67]\d{11}\b")
_ACTOR = re.compile(r"(?<= of TIME by )[\w:/-]+")
# Their receipts hold the moment that was asked about, or scores that fall as time passes; `answers` lists such receipts.
_BY_THE_CLOCK = {
    "attention route",
    "attention packets",
    "answers",
    "fact current",
    "receipts list",
    "why",
    "doctor",
    "check",
}
# The order of their lists is that of new ids; what a check finds depends on the process.
_ANY_ORDER = {"grade", "doctor", "check"}


class Parity:
    """Makes the calls on copies of one filled store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        ids = fill_store(folder / "filled")
        self.calls: list[Call] = [(one, call) for _, one, call in calls_of(ids) if not one.handles_files]
        self.known = frozenset(ids.values())

    def home(self, name: str) -> Path:
        """Return a fresh copy of the store."""
        return Path(shutil.copytree(self._folder / "filled", self._folder / name / "home"))

    def in_python(
        self, name: str, calls: Sequence[Call], bounds_of: Callable[[Operation], Bounds]
    ) -> list[Ok[Any] | Failed]:
        """Make the calls in this process; return the answers."""
        session = open_session(self.home(name))
        try:
            made = []
            for operation, call in calls:
                outcome = perform(session, operation, bounds_of(operation), call, "tester")
                described = failure_of if bounds_of(operation).operator else agent_failure
                made.append(outcome if isinstance(outcome, Ok) else described(operation.name, outcome))
            return made
        finally:
            session.close()


@pytest.fixture(scope="module")
def parity(tmp_path_factory: pytest.TempPathFactory) -> Parity:
    """The calls, and a store to make them on."""
    return Parity(tmp_path_factory.mktemp("parity"))


def as_operator(operation: Operation) -> Bounds:
    """Return the bounds within which the operator's call runs: a tool of agents is an agent's for everybody."""
    return Bounds(operator=not operation.agents_only)


def as_agent(operation: Operation) -> Bounds:
    """Return the bounds of an agent."""
    return Bounds()


def steady(value: Any, known: frozenset[str], *, written: bool) -> Any:
    """Return JSON without what differs by nature; of a write also without new ids, and the digests over them."""
    if isinstance(value, Mapping):
        return {name: steady(one, known, written=written) for name, one in value.items() if name not in _OWN}
    if isinstance(value, (list, tuple)):
        return [steady(one, known, written=written) for one in value]
    if isinstance(value, str):
        value = _ACTOR.sub("ACTOR", _TIME.sub("TIME", value))
        return _NEW.sub(lambda found: found[0] if found[0] in known else "NEW", value) if written else value
    return value


def differences(parity: Parity, calls: Sequence[Call], expected: Answers, answers: Answers) -> list[str]:
    """Return the calls whose answers differ, with both of them."""
    found: list[str] = []
    written = False
    for (operation, call), wanted, got in zip(calls, expected, answers, strict=True):
        # From the first write on, the copies hold records with ids of their own.
        written = written or operation.writes
        no_digests = written or operation.name in _BY_THE_CLOCK
        was, now = (steady(json.loads(json.dumps(one)), parity.known, written=no_digests) for one in (wanted, got))
        if operation.name in _ANY_ORDER:
            was, now = was.keys(), now.keys()
        found += [f"{operation.name} {call}: {one}" for one in unequal(was, now)]
    return found


def unequal(was: Any, now: Any, path: str = "") -> list[str]:
    """Return the places where two JSON values differ."""
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        return [place for name in was for place in unequal(was[name], now[name], f"{path}.{name}")]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [place for number, one in enumerate(was) for place in unequal(one, now[number], f"{path}[{number}]")]
    if isinstance(was, float) and isinstance(now, (int, float)):
        # Freshness falls between two calls.
        return [] if abs(was - now) < 1e-3 else [f"{path}: {was} / {now}"]
    return [] if was == now else [f"{path}: {str(was)[:200]} / {str(now)[:200]}"]


def http_shape(operation: Operation, answer: Ok[Any] | Failed) -> Any:
    """Return what HTTP answers."""
    if not operation.agents_only:
        return envelope(answer)
    shown = {"content": [{"type": "text", "text": text_of(answer)}], "details": structured_content(operation, answer)}
    return shown | ({"isError": True} if isinstance(answer, Failed) else {})


def cli_shape(operation: Operation, answer: Ok[Any] | Failed) -> Any:
    """Return what the command line prints with --json."""
    shape = shape_of(f"tool {operation.name}" if operation.agents_only else operation.name)
    if shape is None:
        return envelope(answer)
    return shape.answer(answer) if isinstance(answer, Ok) else shape.failure(answer)


def test_http_answers_the_operator_as_python_does(parity: Parity) -> None:
    expected = [
        http_shape(operation, answer)
        for (operation, _), answer in zip(
            parity.calls, parity.in_python("python", parity.calls, as_operator), strict=True
        )
    ]
    server = Server(parity.home("http"))
    try:
        answers = [server.ask(f"/v1/{tool_name(one)}", call).json for one, call in parity.calls]
    finally:
        server.stop()

    assert {tool_name(one) for one, _ in parity.calls} >= {
        name for name, one in OFFERED.items() if not one.handles_files
    }
    found = differences(parity, parity.calls, expected, answers)
    assert found == [], "\n".join(found)


def test_the_command_line_prints_what_python_returns(
    parity: Parity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = [(one, call) for one, call in parity.calls if _is_command(one, call)]
    made = parity.in_python("python-cli", calls, as_operator)
    expected = [cli_shape(operation, answer) for (operation, _), answer in zip(calls, made, strict=True)]
    monkeypatch.setenv("SATCHEL_HOME", str(parity.home("cli")))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    monkeypatch.setenv("SATCHEL_RECALL_CATCH_UP_MS", "10000")
    answers = []
    for operation, call in calls:
        main(command_words(operation, call, tmp_path))
        answers.append(json.loads(capsys.readouterr().out))

    found = differences(parity, calls, expected, answers)
    assert found == [], "\n".join(found)


def _is_command(operation: Operation, call: Mapping[str, Any]) -> bool:
    """Leave out what a command does otherwise on purpose: the person who runs a tool of agents writes as the operator.

    What has a command of its own reads standard input, an option cannot say no to what is decided by default, and the
    parser refuses an unknown choice before the operation does.
    """
    chosen = all(call.get(one.name, "") in ("", *one.choices) for one in operation.parameters if one.choices)
    persons = operation.agents_only and operation.writes
    return chosen and not (persons or operation.own_command or False in call.values())


@pytest.mark.parametrize("edge", ["mcp", "http"])
def test_an_agent_gets_the_same_over_mcp_and_with_a_token_over_http(parity: Parity, edge: str) -> None:
    calls = [(one, call) for one, call in parity.calls if not one.operator_only]
    made = parity.in_python(f"python-{edge}", calls, as_agent)
    server = Server(parity.home(edge + "-agent"))
    try:
        if edge == "mcp":
            route = McpRoute(server, "?tools=all")
            expected = [
                structured_content(operation, answer) for (operation, _), answer in zip(calls, made, strict=True)
            ]
            answers = [json.loads(route.call(one, call))["result"]["structuredContent"] for one, call in calls]
        else:
            secret = issue_token(AccessFile(server.home), "agent", 0)[1]
            headers = {"Authorization": f"Bearer {secret}"}
            expected = [http_shape(operation, answer) for (operation, _), answer in zip(calls, made, strict=True)]
            answers = [server.ask(f"/v1/{tool_name(one)}", call, headers=headers).json for one, call in calls]
    finally:
        server.stop()

    found = differences(parity, calls, expected, answers)
    assert found == [], "\n".join(found)
