"""HTTP against a web page, a stranger on this machine, and a client that never ends: every route, and the server stays up."""

import json
import random
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.body import MAX_BYTES
from tests.faults.extent import extent
from tests.interfaces.http.running import SHORT, Server, heard, parsed, request
from tests.interfaces.http.test_guard import BAD_HOSTS, BAD_ORIGINS
from tests.tables import each_case

ROUTES = [
    *(f"/v1/{name}" for name in OFFERED),
    "/v1/stop",
    "/v1/status",
    "/metrics",
    "/v1/openapi.json",
    "/mcp",
    "/mcp?scope=global&tools=all",
]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FROB")
CANARY = "zqcanary000"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on its socket and on TCP, less patient than a real one, with something to steal."""
    running = Server(tmp_path_factory.mktemp("served") / "home", "--port", "0", script=SHORT)
    assert running.ask("/v1/store", {"text": f"the canary is {CANARY}"}).status == 200
    yield running
    assert running.is_well()
    assert running.stop() == 0
    said = running.log.read_text(encoding="utf-8")
    assert "Traceback" not in said, said[said.index("Traceback") - 300 :][:3_000]


def pairs() -> list[tuple[str | None, str | None]]:
    """Return pairs of Host and Origin of which at least one is wrong."""
    good = "127.0.0.1:PORT"
    wrong_hosts = [(host, None) for host in BAD_HOSTS] + [(host, f"http://{host}") for host in BAD_HOSTS[:3]]
    return [*wrong_hosts, *((good, origin) for origin in BAD_ORIGINS), ("evil.example", "http://127.0.0.1:PORT")]


def _at(server: Server, text: str | None) -> str | None:
    return None if text is None else text.replace("PORT", str(server.status["port"]))


def test_there_are_pairs_enough() -> None:
    assert len(pairs()) >= 40


@each_case("host, origin", extent(pairs()[::9], pairs()))
def test_no_pair_reaches_a_route(server: Server, host: str, origin: str | None) -> None:
    headers = {"Host": _at(server, host), "Origin": _at(server, origin)}
    for route in extent(ROUTES[::12], ROUTES):
        refused = server.ask(route, {"query": CANARY, "text": "x"}, headers=headers, tcp=True)
        assert refused.status in (400, 403, 421), (route, refused)
        assert CANARY.encode() not in refused.body
        assert not [name for name in refused.headers if name.startswith("access-control")]


@each_case(
    "token", [None, "", "Bearer", "Bearer x", "Basic eDp4", "Bearer null", "Bearer \u00e9", "Bearer " + "a" * 4_000]
)
def test_no_route_opens_without_the_token(server: Server, token: str | None) -> None:
    for method in METHODS:
        for route in extent(ROUTES[::15], ROUTES[::2]):
            refused = server.ask(route, method=method, headers={"Authorization": token}, tcp=True)
            assert refused.status in (400, 401), (method, route, refused)
            assert CANARY.encode() not in refused.body


FORMS = [
    ("application/x-www-form-urlencoded", b"text=forged&scope=global"),
    ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nforged\r\n--x--'),
    ("text/plain", b'{"text": "forged"}'),
    ("text/plain; application/json", b'{"text": "forged"}'),
    ("application/json, text/plain", b'{"text": "forged"}'),
    ("application/jsonp", b'f({"text": "forged"})'),
    ("application/csp-report", b'{"text": "forged"}'),
    ("", b'{"text": "forged"}'),
]


@each_case("kind, body", FORMS)
def test_no_form_of_a_web_page_writes(server: Server, kind: str, body: bytes) -> None:
    """Even with the token, which a page does not have: what a form can send is not what a route reads."""
    for route in ("/v1/store", "/v1/forget", "/v1/stop", "/mcp"):
        assert server.ask(route, body, headers={"Content-Type": kind}, tcp=True).status == 415, route
    got = server.ask("/v1/store?text=forged", b"", method="GET", tcp=True)
    assert got.status == 405
    assert server.ask("/v1/list").json["result"]["memories"][0]["text"].endswith(CANARY)


def bodies() -> Iterator[tuple[bytes, set[int]]]:
    """Yield bodies that are no parameters, with the status each may get."""
    yield b"", {400}
    yield b"null", {400}
    yield b'{"text": "x"', {400}
    yield b'{"text": "a", "text": "b"}', {400}
    yield b'{"text": NaN}', {400}
    yield b'{"text": 1e999}', {400}
    yield b'{"text": "\xff\xfe"}', {400}
    yield b'{"text": "\\ud800"}', {200, 400}
    yield b"[" * 1_000_000, {400}
    yield b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000, {400}
    yield b"{" + b",".join(b'"k%d": 1' % n for n in range(100_000)) + b"}", {400}
    yield b'{"limit": ' + b"9" * 100_000 + b"}", {400}
    yield b" " * (MAX_BYTES + 1), {413}


@each_case("body, statuses", list(bodies()), ids=lambda value: value if isinstance(value, set) else value[:30])
def test_no_body_is_a_server_error(server: Server, body: bytes, statuses: set[int]) -> None:
    for route in extent(("/v1/store", "/v1/recall"), ("/v1/store", "/v1/recall", "/v1/memory_store", "/v1/turn_after", "/v1/docs_add", "/mcp")):  # fmt: skip
        answer = server.ask(route, body)
        assert answer.status in statuses | ({406} if route == "/mcp" else set()), (
            route,
            answer.status,
            answer.body[:200],
        )
        assert b"Traceback" not in answer.body and str(server.home).encode() not in answer.body
    assert server.is_well()


def test_every_route_takes_arbitrary_json_without_a_server_error(server: Server) -> None:
    pick = random.Random(20_261_116)
    values: tuple[Any, ...] = (
        None,
        True,
        -1,
        2**63,
        1.5,
        "",
        "\0",
        "x" * 5_000,
        [],
        [[]],
        {},
        {"a": {}},
        ["a", 1, None],
        "../../etc/passwd",
        "\u202e",
    )
    for name, operation in OFFERED.items():
        for _ in range(extent((1,), (12,))[0]):
            given = {one.name: pick.choice(values) for one in operation.parameters if pick.random() < 0.6}
            answer = server.ask(
                f"/v1/{name}",
                {key: value for key, value in given.items() if key not in ("seconds", "svg", "file")},
            )
            assert answer.status < 500 or answer.status == 503, (name, given, answer)
            assert b"Traceback" not in answer.body and b"internal_error" not in answer.body, (name, given, answer)
    assert server.is_well()


def raw(server: Server, head: str, body: bytes = b"") -> bytes:
    """Send a head with the token in place, and return what comes back."""
    return server.send(head.replace("TOKEN", f"Authorization: Bearer {server.token}").encode("latin-1") + body)


HEADS = [
    # Two lengths, a length and chunks, a chunked body with a wrong size: what smuggling is made of.
    "POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\nContent-Length: 2\r\nContent-Length: 20\r\n\r\n{}",
    "POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    "POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\nContent-Length: -1\r\n\r\n",
    "POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST http://evil.example/v1/stats HTTP/1.1\r\nHost: evil.example\r\nTOKEN\r\n\r\n",
    "GET /v1/status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nTOKEN\r\n\r\n",
    "GET /v1/../v1/status HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\n\r\n",
    "GET //v1/status HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\n\r\n",
    "GET /v1/status\x00 HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\n\r\n",
    "GET /v1/%73tatus%0d%0aX:1 HTTP/1.1\r\nHost: localhost\r\nTOKEN\r\n\r\n",
    "\r\n\r\n\r\n", "\0" * 100, "GET", "\x16\x03\x01\x02\x00\x01", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]  # fmt: skip


@each_case("head", HEADS)
def test_a_malformed_request_is_refused_once(server: Server, head: str) -> None:
    answer = raw(server, head)

    assert len(re.findall(rb"^HTTP/1\.1 ", answer, re.MULTILINE)) <= 1
    assert not re.match(rb"HTTP/1\.1 (?:2|5)", answer), answer[:300]
    assert server.is_well()


def test_of_pipelined_requests_only_the_first_is_answered(server: Server) -> None:
    headers = {"Host": "localhost", "Authorization": f"Bearer {server.token}"}
    answer = server.send(request("GET", "/v1/status", headers) * 50)

    assert answer.count(b"HTTP/1.1 ") == 1 and parsed(answer).status == 200


def test_hundreds_of_silent_and_slow_clients_leave_room_for_others(server: Server) -> None:
    count = extent((30,), (220,))[0]
    head = request("POST", "/v1/store", {"Host": "localhost", "Authorization": f"Bearer {server.token}", "Content-Type": "application/json", "Content-Length": "1000"})  # fmt: skip
    with ExitStack() as open_ones:
        for number in range(count):
            connection = open_ones.enter_context(server.connect())
            connection.sendall((b"", head[: number % len(head)], head + b'{"text": "')[number % 3])
        assert server.is_well()
    assert server.is_well()


def test_a_slow_body_and_an_endless_one_are_ended(server: Server) -> None:
    usual = {"Host": "localhost", "Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    with server.connect() as connection:
        connection.sendall(request("POST", "/v1/store", {**usual, "Content-Length": "100"}, b'{"text'))
        assert parsed(heard(connection)).status == 408
    with server.connect() as connection:
        connection.sendall(request("POST", "/v1/store", {**usual, "Transfer-Encoding": "chunked"}))
        assert _endless(connection).startswith(b"HTTP/1.1 413")
    assert server.is_well()


def _endless(connection: socket.socket) -> bytes:
    """Send chunks until the server has had enough."""
    chunk = b"%x\r\n%s\r\n" % (1 << 20, b" " * (1 << 20))
    try:
        for _ in range(64):
            connection.sendall(chunk)
    except OSError:
        pass
    else:
        raise AssertionError("the server took 64 MiB")
    return heard(connection)


def test_errors_show_nothing_of_the_store(server: Server) -> None:
    wrong = {"query": "x", "id": CANARY, "scope": "Not A Scope", "limit": -1, "text": "\0", "mode": "x", "kinds": ["x"]}
    for name, operation in OFFERED.items():
        given = {one.name: wrong[one.name] for one in operation.parameters if one.name in wrong}
        answer = server.ask(f"/v1/{name}", given)
        if answer.status != 200:
            told = json.dumps(answer.json, ensure_ascii=False)
            assert str(server.home) not in told and "SELECT " not in told and "sqlite" not in told.lower(), told
            assert f"the canary is {CANARY}" not in told
