"""Input that is far too long, or exactly at a limit: a clear error or an answer, never anything else."""

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import Settings
from satchel.errors import InvalidRequest, SatchelError
from satchel.interfaces.http.server import open_session
from satchel.interfaces.operations import OPERATIONS, Operation, Parameter, Session
from tests.faults.extent import extent
from tests.interfaces.http.running import Server
from tests.interfaces.mcp.test_stdio import Server as McpServer
from tests.tables import each_case

MILLION = 1_000_000
HUGE = {
    "10 MB of words": "harbour crane " * 750_000,
    "a million characters without a space": "x" * MILLION,
    "ten thousand ORs": " OR ".join(f"w{number}" for number in range(10_000)),
    "a hundred thousand emoji": "\U0001f9ad" * 100_000,
    "a hundred thousand quotes": "\"'" * 50_000,
    "brackets": "([{" * 100_000,
    "combining marks": "a" + "\u0301" * 100_000,
    "dots and slashes": "../" * 100_000,
    "digits": "9" * MILLION,
    "newlines": "\n" * MILLION,
    "no spaces in Chinese": "会议" * 200_000,
    "empty pieces": ", " * 200_000,
}
EXTRA_MB = 200
# They reach for the network, the machine or a terminal, or are about other things than a store.
LEFT_OUT = frozenset({"model install", "eval", "demo", "install", "uninstall", "config set", "config unset"})


def text_parameters(operation: Operation) -> list[Parameter]:
    """Return the parameters that take text."""
    return [one for one in operation.parameters if one.type is str]


def anything(parameter: Parameter, text: str = "walrus") -> Any:
    """Return a value of the type of a parameter."""
    value: Any = {str: text, int: 1, float: 0.5, bool: False, dict: {}, list: []}[parameter.type]
    return [value] if parameter.repeated else value


def required(operation: Operation) -> dict[str, Any]:
    """Return something for every parameter that has no default."""
    return {one.name: anything(one) for one in operation.parameters if one.required}


def most_memory() -> int:
    """Return the largest resident size of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1 << 20)


@pytest.mark.parametrize("name", extent(["ten thousand ORs"], [*HUGE]))
def test_huge_text_in_any_parameter_of_any_operation_is_an_answer_or_a_clear_error(
    name: str, memory: Satchel, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some parameters name a file to be written.
    monkeypatch.chdir(tmp_path)
    memory.store("The walrus waits at the harbour crane")
    memory.close()
    session, text = open_session(settings), HUGE[name]
    # Once with a word, so that everything is loaded whose size is measured before.
    assert _tried_everywhere(session, "walrus") > 150
    before = most_memory()
    _tried_everywhere(session, text)
    # Besides some copies of the text itself.
    assert most_memory() - before < EXTRA_MB + 8 * (len(text.encode()) >> 20)
    assert session.memory.memories.list(all_scopes=True, limit=5_000).result.memories
    assert session.memory.maintenance.doctor().result.healthy


def _tried_everywhere(session: Session, text: str) -> int:
    """Give a text to each parameter of each operation in turn; return how many there are."""
    tried = 0
    for operation in OPERATIONS:
        if operation.name in LEFT_OUT or operation.terminal_only:
            continue
        for parameter in text_parameters(operation):
            _is_bounded(session, operation, {**required(operation), parameter.name: anything(parameter, text)})
            tried += 1
    return tried


def _is_bounded(session: Session, operation: Operation, given: dict[str, Any]) -> None:
    try:
        operation.run(session, given)
    except SatchelError as error:
        # An error repeats a little of what was given, if anything.
        assert len(error.message) + len(error.hint) < 2_000, (operation.name, error.message[:200])
    except Exception as error:
        raise AssertionError(f"{operation.name} with {[*given]}: {error!r:.300}") from error


# At each limit of a number: the last that is allowed, and the first that is not.
Call = Callable[[Satchel, int], object]
NUMBERS: dict[str, tuple[Call, int, int]] = {
    "recall limit": (lambda memory, number: memory.recall("walrus", limit=number), 1, 50),
    "list limit": (lambda memory, number: memory.memories.list(limit=number), 1, 5_000),
    "review limit": (lambda memory, number: memory.review(limit=number), 1, 5_000),
    "search limit": (lambda memory, number: memory.observations.search("walrus", limit=number), 1, 50),
    "receipts limit": (lambda memory, number: memory.maintenance.receipts_list(limit=number), 1, 5_000),
    "episodes limit": (lambda memory, number: memory.episodes.search("walrus", limit=number), 1, 500),
    "episodes neighbours": (lambda memory, number: memory.episodes.search("walrus", neighbours=number), 0, 20),
    "docs limit": (lambda memory, number: memory.documents.search("walrus", limit=number), 1, 200),
    "docs list limit": (lambda memory, number: memory.documents.list(limit=number), 1, 5_000),
    "chunk size": (lambda memory, number: _chunked(memory, number), 200, 4_000),
    "drift days": (lambda memory, number: memory.lifecycle.drift(days=number), 1, 3_650),
    "log raw": (lambda memory, number: memory.observations.observations_show(raw=number), 0, 1_000),
    "graph limit": (lambda memory, number: memory.graph.match("walrus", limit=number), 1, 1_000),
    "route limit": (lambda memory, number: memory.routing.route("walrus", limit=number), 1, 50),
    "conversation search limit": (lambda memory, number: memory.conversations.search("walrus", limit=number), 1, 50),
}
# The same for the length of a text.
LENGTHS: dict[str, tuple[Callable[[Satchel, str], object], int]] = {
    "memory": (lambda memory, text: memory.store(text), 100_000),
    "message": (lambda memory, text: memory.conversations.add(text), 100_000),
    "graph question": (lambda memory, text: memory.graph.ask(text), 100_000),
    "route question": (lambda memory, text: memory.routing.route(text), 100_000),
    "scope": (lambda memory, text: memory.store("walrus", scope=text.replace(" ", "x").lower()), 64),
}


def _chunked(memory: Satchel, number: int) -> object:
    return memory.documents.add([{"ref": "r", "text": "walrus " * 2_000}], collection="c", max_chunk_chars=number)


@each_case("name", [*NUMBERS])
def test_a_number_is_allowed_up_to_its_limits_and_refused_beyond(name: str, memory: Satchel) -> None:
    call, least, most = NUMBERS[name]
    for number in (least, least + 1, most - 1, most):
        call(memory, number)
    for number in (least - 1, most + 1, -1, 2**31, 2**63, 2**64, 10**30):
        if not least <= number <= most:
            with pytest.raises(InvalidRequest) as refused:
                call(memory, number)
            assert refused.value.code == "out_of_range"


@each_case("name", [*LENGTHS])
def test_a_text_is_allowed_up_to_its_limit_and_refused_beyond(name: str, memory: Satchel) -> None:
    call, most = LENGTHS[name]
    words = "walrus ferry lamp " * (most // 18 + 1)
    for length in (most - 1, most):
        # It must not end in the space that a check would strip.
        call(memory, words[: length - 1] + "x")
    with pytest.raises(InvalidRequest):
        call(memory, words[:most] + "x")


@pytest.mark.parametrize("size", extent([2 << 20], [12 << 20]))
def test_a_server_refuses_what_is_too_long_and_serves_on(home: Path, size: int) -> None:
    server = Server(home)
    try:
        for text in ("x" * size, "\U0001f9ad" * 100_000):
            assert server.ask("/v1/recall", {"query": text}).status in (200, 400, 413, 422)
            assert server.ask("/v1/store", {"text": text}).status in (200, 400, 413, 422)
        assert server.ask("/v1/store", b"[" * MILLION).status == 400
        assert server.is_well()
    finally:
        assert server.stop() == 0


@pytest.mark.whole
def test_an_mcp_server_refuses_what_is_too_long_and_serves_on(home: Path) -> None:
    with (server := McpServer(home)).process:
        server.begin()
        for text in ("x" * (12 << 20), "\U0001f9ad" * 100_000):
            answer = server.ask("tools/call", {"name": "memory_store", "arguments": {"text": text}})
            assert "error" in answer or answer["result"].get("isError") or answer["result"]["structuredContent"]
        assert server.call("memory_store", text="a walrus")["id"]
        server.stdin.close()
        assert server.process.wait(60) == 0
