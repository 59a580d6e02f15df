"""The guard: Host, Origin, token and fingerprint, on every route."""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.hosts import on_loopback
from tests.interfaces.http.running import Server, parsed, request
from tests.tables import each_case

ROUTES = [
    *(f"/v1/{name}" for name in OFFERED),
    "/v1/stop",
    "/v1/status",
    "/metrics",
    "/v1/openapi.json",
    "/v1/nothing",
    "/v1/open",
    "/nothing",
    "//",
    "/v1",
    "/v2/recall",
]

GOOD_HOSTS = ["127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT", "LocalHost.:PORT", "127.0.0.1.:PORT", "[::1]:PORT"]
BAD_HOSTS = [
    "", "localhost", "127.0.0.1", "[::1]", "localhost:", "localhost:1", "127.0.0.1:80", "127.0.0.1:PORT1", "evil.example",
    "evil.example:PORT", "localhost.evil.example:PORT", "127.0.0.1.evil.example:PORT", "evil.example#localhost:PORT",
    "localhost@evil.example:PORT", "127.0.0.2:PORT", "0.0.0.0:PORT", "[::]:PORT", "[::ffff:127.0.0.1]:PORT", "2130706433:PORT",
    "127.1:PORT", "0x7f.0.0.1:PORT", "localhost..:PORT", "localhost:PORT:PORT", "localhost,evil.example:PORT", "[::1:PORT", "::1:PORT",
]  # fmt: skip
OWN_ORIGINS = ["http://127.0.0.1:PORT", "http://localhost:PORT", "http://[::1]:PORT"]
BAD_ORIGINS = [
    "null", "", "*", "http://evil.example", "https://localhost:PORT", "http://localhost", "http://localhost:PORT1",
    "http://localhost:PORT.evil.example", "http://localhost.evil.example:PORT", "http://LOCALHOST:PORT", "file://",
    "http://127.0.0.1:PORT/", "http://user@127.0.0.1:PORT", "chrome-extension://abc", "http://localhost:PORT http://evil.example",
]  # fmt: skip


def _at(server: Server, text: str) -> str:
    return text.replace("PORT", str(server.status["port"]))


@each_case("host", BAD_HOSTS)
def test_a_foreign_host_is_refused_on_every_route(server: Server, host: str) -> None:
    for route in ROUTES:
        assert server.ask(route, headers={"Host": _at(server, host)}, tcp=True).status == 421, route


@pytest.mark.parametrize("origin", BAD_ORIGINS)
def test_a_web_page_is_refused_on_every_route(server: Server, origin: str) -> None:
    for route in ROUTES:
        refused = server.ask(route, headers={"Origin": _at(server, origin)}, tcp=True)
        assert (refused.status, refused.error) == (403, "bad_origin"), route
        assert not [name for name in refused.headers if name.startswith("access-control")]


@each_case("host", GOOD_HOSTS)
@each_case("origin", [None, *OWN_ORIGINS])
def test_all_local_host_names_are_accepted(server: Server, host: str, origin: str | None) -> None:
    headers = {"Host": _at(server, host), "Origin": None if origin is None else _at(server, origin)}

    assert server.ask("/v1/stats", headers=headers, tcp=True).status == 200


def test_the_socket_accepts_only_localhost_and_no_origin(server: Server) -> None:
    port = str(server.status["port"])
    for host in ("localhost", "LOCALHOST", "localhost."):
        assert server.ask("/v1/stats", headers={"Host": host}).status == 200
    for host in ("", f"localhost:{port}", "127.0.0.1", "evil.example", "localhost:", "localhost.evil.example"):
        assert server.ask("/v1/stats", headers={"Host": host}).status == 421, host
    for origin in ("null", "http://localhost", f"http://localhost:{port}", "http://evil.example"):
        assert server.ask("/v1/stats", headers={"Origin": origin}).status == 403, origin


def test_two_hosts_or_none_are_refused(server: Server) -> None:
    token = {"Authorization": f"Bearer {server.token}"}
    doubled = request("GET", "/v1/status", {"Host": "localhost", "host": "localhost", **token})
    older = request("GET", "/v1/status", token).replace(b"HTTP/1.1", b"HTTP/1.0")

    assert parsed(server.send(doubled)).status in (400, 421)
    assert parsed(server.send(request("GET", "/v1/status", token))).status == 400
    assert parsed(server.send(older)).status == 421
    assert server.is_well()


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "OPTIONS", "TRACE", "FROB"])
def test_every_route_needs_the_token(server: Server, method: str) -> None:
    for route in ROUTES:
        refused = server.ask(route, method=method, headers={"Authorization": None}, tcp=True)
        assert (refused.status, refused.error, refused.headers["www-authenticate"]) == (401, "bad_token", "Bearer")
        if method == "POST":
            hint = refused.json["error"]["hint"]
            assert hint == "send 'Authorization: Bearer TOKEN'; yours is in serve.token", route


def test_only_this_servers_token_is_accepted(server: Server, own_server: Callable[..., Server], tmp_path: Path) -> None:
    other = own_server(tmp_path / "other")
    first = other.token
    good = server.token
    wrong = [
        f"Bearer {first}", f"Bearer {good[:-1]}", f"Bearer {good}x", f"Bearer  {good}", f"Basic {good}", good, "Bearer", "Bearer ",
        f"Bearer {good.swapcase()}", "Bearer ключ", "Bearer \x80",
    ]  # fmt: skip
    for credentials in wrong:
        assert server.ask("/v1/stats", headers={"Authorization": credentials}).status == 401, credentials
    assert server.ask(f"/v1/stats?token={good}", headers={"Authorization": None}).status == 401
    assert server.ask("/v1/stats", headers={"Authorization": f"bearer {good}"}).status == 200

    other.stop()
    assert own_server(other.home).token != first


def test_two_tokens_are_refused(server: Server) -> None:
    both = {"Host": "localhost", "Authorization": f"Bearer {server.token}", "authorization": f"Bearer {server.token}"}

    assert parsed(server.send(request("GET", "/v1/status", both))).status == 401


def test_another_fingerprint_is_refused_and_nothing_is_done(server: Server) -> None:
    refused = server.ask("/v1/store", {"text": "with other settings"}, headers={"Satchel-Fingerprint": "0" * 64})
    same = server.ask("/v1/stats", headers={"Satchel-Fingerprint": server.status["fingerprint"]})

    assert (refused.status, refused.error) == (412, "other_settings")
    assert "satchel-exit-code" not in refused.headers
    assert same.status == 200
    assert same.json["result"]["tally"]["memories"] == 0


def test_the_log_has_one_line_per_request_without_content(server: Server) -> None:
    server.ask("/v1/recall", {"query": "planted-question-37"}, headers={"Satchel-Client": "planted-client-37"})
    server.ask("/v1/planted-path-37?planted-query-37", {})
    server.ask("/v1/stats", {}, method="PLANTED37")
    said = server.log.read_text(encoding="utf-8")

    assert "POST /v1/recall 200" in said
    assert "POST - 404" in said
    assert "- /v1/stats 405" in said
    assert "planted" not in said.lower()
    assert server.token not in said


def test_a_host_name_must_match_exactly() -> None:
    hosts = on_loopback(7).hosts

    assert "[::1]:7" in hosts
    for other in ("[::1]7", "localhost\n:7", "localhost:٧"):
        assert other not in hosts
