"""The greeting answers as the SDK would, or not at all."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from satchel.config import load
from satchel.interfaces.agents import Bounds
from satchel.interfaces.mcp.greeting import (
    ENVELOPE_VERSIONS,
    HANDSHAKE_VERSIONS,
    MAX_BYTES,
    REPLAYED_ID,
    Greeting,
    expects_answer,
)
from satchel.interfaces.mcp.listing import lists
from satchel.interfaces.mcp.server import make_server, open_session
from satchel.interfaces.mcp.wire import error_response
from tests.tables import each_case

BOUNDS = Bounds(scope="project/a")
CLIENT = {"name": "some-host", "title": "Some Host", "version": "2.1", "websiteUrl": "https://example.org"}
CAPABILITIES = {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}, "experimental": {"x": {}}}
INITIALIZED = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'


def line(method: str, params: Any = None, id: Any = 1, **others: Any) -> bytes:
    """Return a request; without `params` if they are None."""
    given = {} if params is None else {"params": params}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, **given, **others}).encode() + b"\n"


def hello(version: Any = "2025-11-25", capabilities: Any = CAPABILITIES, client: Any = CLIENT) -> dict[str, Any]:
    """Return the parameters of a handshake."""
    return {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}


def envelope(version: Any = "2026-07-28", capabilities: Any = CAPABILITIES, client: Any = CLIENT) -> dict[str, Any]:
    """Return the parameters of a request with an envelope."""
    names = {"protocolVersion": version, "clientInfo": client, "clientCapabilities": capabilities}
    return {"_meta": {f"io.modelcontextprotocol/{name}": value for name, value in names.items()}}


class Both:
    """The SDK's server and the greeting, asked the same."""

    def __init__(self, server: Server[Any]) -> None:
        self.server = server

    def answers(self, lines: Sequence[bytes]) -> tuple[list[Any], list[Any]]:
        """Return the answers of the greeting and of the SDK, None for a line without one."""
        greeting = Greeting()
        greeting.know(lists(BOUNDS))
        greeted = [reply and json.loads(reply.line) for reply in map(greeting.reply_to, lines)]
        return greeted, anyio.run(self._answers_of_the_sdk, lines)

    async def _answers_of_the_sdk(self, lines: Sequence[bytes]) -> list[Any]:
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](100)
        answers: list[Any] = []
        async with anyio.create_task_group() as tasks, to_server, from_server:
            options = self.server.create_initialization_options()
            tasks.start_soon(self.server.run, incoming, outgoing, options)
            for one in lines:
                try:
                    message = types.jsonrpc_message_adapter.validate_json(one, by_name=False)
                except ValueError:
                    answers.append(_as_json(error_response(one)))
                    continue
                await to_server.send(SessionMessage(message))
                expected = isinstance(message, types.JSONRPCRequest)
                answers.append(_as_json((await from_server.receive()).message) if expected else None)
            tasks.cancel_scope.cancel()
        return answers


def _as_json(message: Any) -> Any:
    return message and json.loads(message.model_dump_json(by_alias=True, exclude_unset=True))


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    with ThreadPoolExecutor(1) as worker:
        yield Both(make_server(open_session(load(home="unused"), BOUNDS), BOUNDS, worker))


def test_the_versions_are_those_of_the_sdk() -> None:
    assert HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert ENVELOPE_VERSIONS == MODERN_PROTOCOL_VERSIONS


@each_case("version", [*HANDSHAKE_VERSIONS, *ENVELOPE_VERSIONS, "2099-01-01", "1.0", ""])
def test_a_handshake_is_answered_as_the_sdk_does_for_every_version(both: Both, version: str) -> None:
    lines = [
        line("initialize", hello(version), "a"),
        INITIALIZED,
        line("tools/list", {}),
        line("ping"),
        line("ping", {}),
    ]
    greeted, answered = both.answers(lines)

    assert greeted == answered
    assert [one is None for one in greeted] == [False, True, False, False, False]
    assert greeted[2]["result"]["tools"]


LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


@each_case("method", LISTS)
@each_case("params", [None, {}, {"_meta": {}}, {"_meta": {"progressToken": 7}}, {"_meta": {"progressToken": "t"}}])
def test_lists_are_answered_with_any_plain_parameters(both: Both, method: str, params: Any) -> None:
    greeted, answered = both.answers([line("initialize", hello()), line(method, params, 0)])

    assert greeted == answered
    assert greeted[1]["id"] == 0


def test_a_client_of_the_envelope_era_is_answered_as_the_sdk_does(both: Both) -> None:
    lines = [line(method, envelope(), id) for id, method in enumerate(("server/discover", *LISTS))]
    greeted, answered = both.answers(lines)

    assert greeted == answered
    assert None not in greeted


@each_case("opening", [line("initialize", hello()), line("server/discover", envelope())])
def test_the_sdk_gets_the_opening_request_under_another_id(opening: bytes) -> None:
    reply = Greeting().reply_to(opening)

    assert reply is not None and reply.replayed is not None
    assert json.loads(reply.replayed) == json.loads(opening) | {"id": REPLAYED_ID}
    assert not expects_answer(reply.replayed)


UNUSUAL = {
    "not JSON": b"nonsense\n",
    "empty": b"\n",
    "deep": b"[" * 100_000 + b"\n",
    "a batch": b"[" + line("initialize", hello()).strip() + b"]\n",
    "not UTF-8": b"\xff\xfe" + line("initialize", hello()),
    "a byte order mark": b"\xef\xbb\xbf" + line("initialize", hello()),
    "a lone surrogate": line("initialize", hello(client={"name": "\ud800", "version": "1"})),
    "a surrogate in capitals": line("initialize", hello(client={"name": "\udc00", "version": "1"})).replace(
        b"dc", b"DC"
    ),
    "no version of JSON-RPC": line("initialize", hello()).replace(b'"jsonrpc": "2.0", ', b""),
    "another version of JSON-RPC": line("initialize", hello(), jsonrpc="1.0"),
    "a key too many": line("initialize", hello(), extra=1),
    "an id that is null": line("initialize", hello(), None),
    "an id that is true": line("initialize", hello(), True),
    "an id with a fraction": line("initialize", hello(), 1.5),
    "a method that is a number": line(7, hello()),  # type: ignore[arg-type]
    "no parameters": line("initialize"),
    "parameters that are a list": line("initialize", [1]),
    "no client": line("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}),
    "a client without a version": line("initialize", hello(client={"name": "x"})),
    "a client with a number": line("initialize", hello(client={"name": "x", "version": 1})),
    "a protocol version that is a number": line("initialize", hello(7)),
    "capabilities that are a list": line("initialize", hello(capabilities=[])),
    "roots that are true": line("initialize", hello(capabilities={"roots": True})),
    "experimental that is not nested": line("initialize", hello(capabilities={"experimental": {"x": 1}})),
    "too long": line("initialize", hello(client={"name": "x" * MAX_BYTES, "version": "1"})),
    "a list first": line("tools/list"),
    "a call first": line("tools/call", {"name": "memory_stats", "arguments": {}}),
    "a ping first": line("ping"),
    "an unknown method first": line("nonsense"),
    "an envelope of an unknown version": line("server/discover", envelope("2099-01-01")),
    "an envelope without capabilities": line(
        "server/discover", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    ),
    "no envelope": line("server/discover"),
    "a list with an envelope first": line("tools/list", envelope()),
}


@each_case("first", UNUSUAL.values(), ids=list(UNUSUAL))
def test_after_an_unusual_beginning_the_sdk_answers_everything(first: bytes) -> None:
    greeting = Greeting()
    greeting.know(lists(BOUNDS))

    assert greeting.reply_to(first) is None
    assert greeting.reply_to(line("initialize", hello())) is None
    assert greeting.reply_to(line("tools/list")) is None


def test_notifications_may_come_first(both: Both) -> None:
    greeted, answered = both.answers([INITIALIZED, line("initialize", hello()), line("tools/list")])

    assert greeted == answered
    assert [one is None for one in greeted] == [True, False, False]


@each_case(
    "later",
    [
        line("initialize", hello()),
        line("server/discover", envelope()),
        line("tools/list", envelope()),
        line("tools/list", {"cursor": 7}),
        line("tools/list", {"_meta": {"progressToken": {}}}),
        line("tools/call", {"name": "memory_stats", "arguments": {}}),
        line("prompts/get", {"name": "x"}),
        line("nonsense"),
        b"nonsense",
    ],
)
def test_anything_unusual_later_waits_for_the_sdk_and_the_rest_does_not(later: bytes) -> None:
    greeting = Greeting()
    greeting.know(lists(BOUNDS))
    assert greeting.reply_to(line("initialize", hello()))

    assert greeting.reply_to(later) is None
    assert greeting.reply_to(line("tools/list"))


def test_a_list_that_is_not_known_yet_waits() -> None:
    greeting = Greeting()
    assert greeting.reply_to(line("initialize", hello()))

    assert greeting.reply_to(line("tools/list")) is None
    greeting.know(lists(BOUNDS))
    assert greeting.reply_to(line("tools/list"))


_ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.floats(allow_nan=True), st.just([]))
_NAMES = st.sampled_from(["roots", "sampling", "elicitation", "experimental", "tasks", "extensions", "other"])
_KEYS = st.sampled_from(["listChanged", "form", "url", "context", "tools", "list", "requests", "x"])
_INNER = st.recursive(_ODD, lambda one: st.dictionaries(_KEYS, one, max_size=2), max_leaves=3)
_CAPABILITIES = st.one_of(
    _ODD, st.dictionaries(_NAMES, st.one_of(_ODD, st.dictionaries(_KEYS, _INNER, max_size=2)), max_size=2)
)
_CLIENTS = st.dictionaries(
    st.sampled_from(["name", "version", "title", "description", "websiteUrl", "icons", "other"]),
    st.one_of(st.text(max_size=5), _ODD),
    max_size=4,
)


@settings(deadline=None, max_examples=60)
@given(
    capabilities=_CAPABILITIES, client=st.one_of(st.just(CLIENT), _CLIENTS), id=_ODD, version=st.one_of(st.text(), _ODD)
)
def test_whatever_it_answers_the_sdk_answers_the_same(
    both: Both, capabilities: Any, client: Any, id: Any, version: Any
) -> None:
    for opening in (
        line("initialize", hello(version, capabilities, client), id),
        line("initialize", hello(capabilities=capabilities), 1),
        line("initialize", hello(client=client), 1),
        line("server/discover", envelope(capabilities=capabilities), id),
        line("server/discover", envelope(client=client), 1),
    ):
        (greeted,), (answered,) = both.answers([opening])
        assert greeted in (None, answered)
