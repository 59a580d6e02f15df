"""MCP at /mcp of a running server, with the official client and with raw requests."""

import json
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from satchel.app import Satchel
from satchel.interfaces.http.body import MAX_BYTES
from tests.interfaces.http.running import PATIENCE, SHORT, Reply, Server, heard, parsed, request
from tests.tables import each_case

T = TypeVar("T")
Start = Callable[..., Server]
PROC = Path("/proc")
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def _talk(
    server: Server,
    conversation: Callable[[Client], Awaitable[T]],
    options: str = "",
    *,
    tcp: bool = True,
    mode: Any = "auto",
    headers: Mapping[str, str] | None = None,
) -> T:
    """Hold a conversation through the official client."""

    async def held() -> T:
        host = f"127.0.0.1:{server.status['port']}" if tcp else "localhost"
        way = httpx2.AsyncHTTPTransport(uds=None if tcp else server.status["socket"])
        sent = {"Authorization": f"Bearer {server.token}", **(headers or {})}
        async with httpx2.AsyncClient(headers=sent, transport=way, timeout=PATIENCE) as http:
            connection = streamable_http_client(f"http://{host}/mcp{options}", http_client=http)
            me = types.Implementation(name="tester", version="1.0")
            async with Client(connection, mode=mode, client_info=me) as client:
                return await conversation(client)

    return anyio.run(held)


def _call(server: Server, tool: str, arguments: dict[str, Any], options: str = "", **more: Any) -> Any:
    answer = _talk(server, lambda client: client.call_tool(tool, arguments), options, **more)
    return answer.structured_content


def _rpc(method: str, params: Any, id: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def _open_session(server: Server) -> dict[str, str | None]:
    """Shake hands; return the headers of the session's requests."""
    answer = server.ask("/mcp", _rpc("initialize", HELLO), headers=ACCEPT)
    assert answer.status == 200, answer.body
    return {**ACCEPT, "Mcp-Session-Id": answer.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-11-25"}


def _open_stream(server: Server, session: Mapping[str, str | None]) -> Any:
    """Return a connection on which the events of a session arrive, once the server has begun to answer."""
    connection = server.connect()
    usual = {"Host": "localhost", "Authorization": f"Bearer {server.token}"}
    connection.sendall(request("GET", "/mcp", usual | dict(session)))
    assert connection.recv(15).startswith(b"HTTP/1.1 200")
    return connection


class TestConversation:
    @pytest.mark.parametrize("tcp", [False, True])
    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_the_official_client_lists_stores_and_recalls(self, server: Server, tcp: bool, mode: str) -> None:
        fact = f"We ship on Thursdays, {tcp}, {mode}"

        async def conversation(client: Client) -> tuple[set[str], str, list[str]]:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            stored = await client.call_tool("memory_store", {"text": fact, "scope": f"project/{mode}-{tcp}".lower()})
            found = await client.call_tool("memory_recall", {"query": "ship", "scope": f"project/{mode}-{tcp}".lower()})
            memories = [one["text"] for one in found.structured_content["memories"]]
            return tools, stored.structured_content["id"], memories

        tools, id, found = _talk(server, conversation, tcp=tcp, mode=mode)

        assert {"memory_store", "memory_recall"} <= tools
        assert found == [fact]
        known = server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]
        assert known["memory"]["source_ref"] == "mcp tester 1.0"
        assert (known["memory"]["trust"], known["history"][0]["actor"]) == ("untrusted", "mcp")

    def test_two_clients_at_once_are_kept_apart(self, server: Server) -> None:
        def talk(name: str) -> None:
            async def conversation(client: Client) -> None:
                for number in range(10):
                    await client.call_tool("memory_store", {"text": f"fact {number} of {name}"})

            _talk(server, conversation, f"?scope=project/{name}")

        threads = [threading.Thread(target=talk, args=(name,)) for name in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        for name in ("one", "two"):
            listed = server.ask("/v1/list", {"scope": f"project/{name}"}).json["result"]["memories"]
            assert {one["text"] for one in listed} == {f"fact {number} of {name}" for number in range(10)}

    def test_a_session_ends_when_it_is_deleted(self, server: Server) -> None:
        session = _open_session(server)
        listing = _rpc("tools/list", {})
        assert server.ask("/mcp", listing, headers=session).json["result"]["tools"]

        assert server.ask("/mcp", b"", method="DELETE", headers=session).status == 200
        assert server.ask("/mcp", listing, headers=session).status == 404
        assert server.ask("/mcp", b"", method="DELETE", headers=session).status == 404


class TestAddress:
    def test_the_configuration_in_the_documentation_works(self, server: Server) -> None:
        page = (Path(__file__).parents[3] / "docs" / "serve.md").read_text(encoding="utf-8")
        (block,) = (one for one in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if "mcpServers" in one)
        shown = json.loads(block)["mcpServers"]["satchel"]
        address = re.fullmatch(r"http://127\.0\.0\.1:7711/mcp(\?.*)", shown["url"])
        assert address is not None
        headers = {name: value.replace("${SATCHEL_TOKEN}", server.token) for name, value in shown["headers"].items()}

        stored = _call(server, "memory_store", {"text": "as documented"}, address[1], headers=headers)
        assert stored["scope"] == "project/shop"

    def test_a_scope_in_the_address_is_the_only_one(self, server: Server) -> None:
        options = "?scope=project/fixed"
        assert _call(server, "memory_store", {"text": "inside"}, options)["scope"] == "project/fixed"
        tagged = _call(server, "memory_store", {"text": "[SCOPE: project/other] inside too"}, options)
        assert tagged["scope"] == "project/fixed"
        refused = _call(server, "memory_store", {"text": "x", "scope": "project/other"}, options)
        assert refused["error"] == "unknown_param"

        async def parameters(client: Client) -> set[str]:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            return set(tools["memory_store"].input_schema["properties"])

        assert "scope" not in _talk(server, parameters, options)
        assert "scope" in _talk(server, parameters)

    def test_the_scope_auto_is_the_project_of_the_callers_folder(self, server: Server, tmp_path: Path) -> None:
        folder = tmp_path / "shop"
        (folder / ".git").mkdir(parents=True)
        stored = _call(server, "memory_store", {"text": "x"}, "?scope=auto", headers={"Satchel-Folder": str(folder)})

        same = server.ask("/v1/store", {"text": "y", "scope": "auto"}, headers={"Satchel-Folder": str(folder)})
        assert stored["scope"] == same.json["result"]["scope"] != "global"

    def test_the_scope_auto_without_a_folder_is_what_other_requests_get(self, server: Server) -> None:
        stored = _call(server, "memory_store", {"text": "x"}, "?scope=auto")

        assert stored["scope"] == server.ask("/v1/store", {"text": "y", "scope": "auto"}).json["result"]["scope"]

    def test_tools_in_the_address_are_the_only_ones(self, server: Server) -> None:
        async def names(client: Client) -> list[str]:
            return [tool.name for tool in (await client.list_tools()).tools]

        assert _talk(server, names, "?tools=memory_recall,memory_list") == ["memory_recall", "memory_list"]

    @each_case(
        "options, code",
        [
            ("?scope=Not%20A%20Scope", "invalid_scope"),
            ("?tools=nonsense", "unknown_word"),
            ("?colour=red", "unknown_param"),
            ("?scope=project/a&scope=project/b", "repeated_param"),
        ],
    )
    def test_a_wrong_address_is_an_error(self, server: Server, options: str, code: str) -> None:
        answer = server.ask(f"/mcp{options}", _rpc("initialize", HELLO), headers=ACCEPT)

        assert (answer.status, answer.error) == (400, code)


@each_case("method", ["POST", "GET", "DELETE"])
@each_case(
    "headers, status, code",
    [
        ({"Authorization": None}, 401, "bad_token"),
        ({"Authorization": "Bearer wrong"}, 401, "bad_token"),
        ({"Origin": "https://example.org"}, 403, "bad_origin"),
        ({"Host": "example.org"}, 421, "bad_host"),
    ],
)
def test_the_guard_stands_before_it(
    server: Server, method: str, headers: dict[str, str | None], status: int, code: str
) -> None:
    answer = server.ask("/mcp", _rpc("initialize", HELLO), method=method, headers={**ACCEPT, **headers})

    assert (answer.status, answer.error) == (status, code)


class TestBadRequests:
    @each_case(
        "body, headers, status",
        [
            (b"x" * (MAX_BYTES + 1), {}, 413),
            (b"nonsense", {}, 400),
            (b"\xff\xfe", {}, 400),
            (b"[" * 100_000, {}, 400),
            (b"[]", {}, 400),
            (b"{}", {"Content-Type": "text/plain"}, 415),
            (b"{}", {"Accept": "text/html"}, 406),
            (json.dumps(_rpc("tools/list", {})).encode(), {}, 400),
            (json.dumps(_rpc("tools/list", {})).encode(), {"Mcp-Session-Id": "nobody"}, 404),
        ],
    )
    def test_each_has_its_status_and_the_server_goes_on(
        self, server: Server, body: bytes, headers: dict[str, str | None], status: int
    ) -> None:
        answer = server.ask("/mcp", body, headers={**ACCEPT, **headers})

        assert answer.status == status, answer.body
        assert answer.headers["connection"] == "close"
        assert server.is_well()

    def test_other_methods_are_refused(self, server: Server) -> None:
        assert server.ask("/mcp", b"", method="PUT").status == 405

    def test_a_body_that_does_not_come_is_given_up(self, own_server: Start) -> None:
        server = own_server(script=SHORT)
        usual = {"Host": "localhost", "Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
        answer = parsed(server.send(request("POST", "/mcp", {**usual, **ACCEPT, "Content-Length": "10"}, b"{")))

        assert (answer.status, answer.error) == (408, "too_slow")

    def test_a_large_message_within_the_limit_is_answered(self, server: Server) -> None:
        assert _call(server, "memory_store", {"text": "x" * 5_000_000})["error"] == "text_too_long"


class TestLife:
    @pytest.mark.skipif(not PROC.exists(), reason="only Linux tells what a process has loaded")
    def test_the_sdk_is_loaded_at_the_first_request_and_all_that_come_meanwhile_wait(self, own_server: Start) -> None:
        server = own_server()

        def loaded() -> bool:
            return "pydantic_core" in (PROC / str(server.process.pid) / "maps").read_text(encoding="utf-8")

        assert server.ask("/v1/stats").status == 200
        assert not loaded()
        answers: list[Reply] = []
        hello = _rpc("initialize", HELLO)
        threads = [
            threading.Thread(target=lambda: answers.append(server.ask("/mcp", hello, headers=ACCEPT))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert loaded()
        assert [answer.status for answer in answers] == [200] * 8
        assert len({answer.headers["mcp-session-id"] for answer in answers}) == 8

    def test_stop_ends_open_sessions_and_their_streams(self, own_server: Start) -> None:
        server = own_server()
        streams = [_open_stream(server, _open_session(server)) for _ in range(3)]
        _open_session(server)

        assert server.stop() == 0
        for stream in streams:
            with stream:
                heard(stream)
        assert "Traceback" not in server.log.read_text(encoding="utf-8")

    def test_stop_waits_for_running_calls(self, own_server: Start, tmp_path: Path) -> None:
        server = own_server(None, "--files", str(tmp_path))
        records = "".join(json.dumps({"text": f"memory number {number}"}) + "\n" for number in range(3_000))
        (tmp_path / "in.jsonl").write_text(records, encoding="utf-8")
        session = _open_session(server)
        answers: list[Reply] = []
        call = _rpc("tools/call", {"name": "memory_import", "arguments": {"inPath": "in.jsonl"}})
        calling = threading.Thread(target=lambda: answers.append(server.ask("/mcp?tools=all", call, headers=session)))
        calling.start()
        while calling.is_alive() and not server.ask("/v1/stats", {}).json["result"]["tally"]["memories"]:
            pass
        assert server.stop() == 0
        calling.join(PATIENCE)

        assert answers[0].json["result"]["structuredContent"]["imported"] == 3_000

    def test_an_open_stream_does_not_keep_a_server_on_demand_alive(self, own_server: Start, home: Path) -> None:
        Satchel.open(home).close()
        server = own_server(home, "--on-demand", SATCHEL_SERVE_IDLE_MINUTES="0.02")
        with _open_stream(server, _open_session(server)) as stream:
            heard(stream)

        assert server.process.wait(PATIENCE) == 0

    def test_a_killed_client_is_forgotten(self, own_server: Start) -> None:
        server = own_server()
        session = _open_session(server)
        _open_stream(server, session).close()
        call = _rpc("tools/call", {"name": "memory_store", "arguments": {"text": "kept"}})
        body = json.dumps(call).encode()
        usual = {"Host": "localhost", "Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
        with server.connect() as connection:
            sent = {**usual, **session, "Content-Length": str(len(body))}
            connection.sendall(request("POST", "/mcp", sent, body))

        assert server.ask("/mcp", _rpc("tools/list", {}, 2), headers=session).status == 200
        assert server.stop() == 0

    def test_a_read_only_server_offers_no_writes(self, own_server: Start, home: Path) -> None:
        with Satchel.open(home) as memory:
            memory.store("as it is")
        server = own_server(home, SATCHEL_READ_ONLY="true")

        async def names(client: Client) -> set[str]:
            return {tool.name for tool in (await client.list_tools()).tools}

        assert not {"memory_store", "memory_forget"} & _talk(server, names, tcp=False)
        assert _call(server, "memory_store", {"text": "no"}, tcp=False)["error"] == "readonly_mode"
