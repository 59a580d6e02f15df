"""The routes about the server: health for anybody, metrics with a token that sees every scope."""

import re
from collections.abc import Callable

from satchel import __version__
from satchel.adapters.access_file import AccessFile
from satchel.interfaces.tokens import issue_token
from tests.interfaces.http.running import Server
from tests.interfaces.http.test_metrics import LINE
from tests.tables import each_case


def _metric(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (.+)$", text, re.MULTILINE)
    assert found, f"{name} is not in:\n{text}"
    return float(found[1])


@each_case("token", [None, "Bearer nonsense", "Bearer satchel_x"])
@each_case("tcp", [False, True])
def test_health_needs_no_token_and_tells_nothing_private(server: Server, token: str | None, tcp: bool) -> None:
    answer = server.ask("/health", b"", method="GET", headers={"Authorization": token}, tcp=tcp)

    assert answer.status == 200
    assert set(answer.json) == {"ok", "version", "uptime_s"}
    assert (answer.json["ok"], answer.json["version"]) == (True, __version__)
    assert isinstance(answer.json["uptime_s"], int)


def test_health_is_refused_to_web_pages_and_other_hosts(server: Server) -> None:
    page = server.ask("/health", b"", method="GET", headers={"Origin": "http://evil.example"}, tcp=True)
    rebound = server.ask("/health", b"", method="GET", headers={"Host": "evil.example"}, tcp=True)

    assert (page.status, rebound.status) == (403, 421)
    assert server.ask("/health", {}, headers={"Authorization": None}).status == 405
    for path in ("/health/", "/health/../v1/status", "/healthz", "/HEALTH", "//health"):
        assert server.ask(path, b"", method="GET", headers={"Authorization": None}).status == 401, path


def test_metrics_count_requests_records_and_queues(own_server: Callable[..., Server]) -> None:
    server = own_server()
    for text, kind in (("We ship on Thursdays", "decision"), ("Tea at four", "fact"), ("Cake at five", "fact")):
        server.ask("/v1/store", {"text": text, "kind": kind})
    server.ask("/v1/get", {"id": "nobody"})
    server.ask("/v1/recall", {"query": "tea"}, headers={"Authorization": "Bearer wrong"})
    server.ask("/v1/planted-path", {})
    answer = server.ask("/metrics", b"", method="GET")
    text = answer.body.decode()

    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert [line for line in text.splitlines() if not LINE.fullmatch(line)] == []
    assert _metric(text, 'satchel_requests_total{route="/v1/store",status="200"}') == 3
    assert _metric(text, 'satchel_requests_total{route="/v1/get",status="404"}') == 1
    assert _metric(text, 'satchel_requests_total{route="-",status="404"}') == 1
    assert _metric(text, 'satchel_refused_requests_total{reason="bad_token"}') == 1
    assert _metric(text, 'satchel_request_duration_seconds_count{route="/v1/store"}') == 3
    assert _metric(text, 'satchel_memories{kind="fact"}') == 2
    assert _metric(text, 'satchel_memories{kind="decision"}') == 1
    assert 0 <= _metric(text, "satchel_embeddings_waiting") <= 3
    assert _metric(text, "satchel_store_open") == 1
    assert [_metric(text, f'satchel_worker_requests{{worker="{one}"}}') for one in ("write", "long")] == [0, 0]
    assert _metric(text, "process_resident_memory_bytes") > 1_000_000
    assert _metric(text, "satchel_uptime_seconds") > 0
    assert "planted" not in text and "Tea" not in text and str(server.home) not in text


def test_metrics_need_a_token_that_sees_every_scope(server: Server) -> None:
    file = AccessFile(server.home)
    free = issue_token(file, "grafana", 0, read_only=True)[1]
    bound = issue_token(file, "bound", 0, scopes=("project/shop",), read_only=True)[1]
    statuses = [
        server.ask("/metrics", b"", method="GET", headers={"Authorization": value}).status
        for value in (None, f"Bearer {free}", f"Bearer {bound}")
    ]

    assert statuses == [401, 200, 403]


def test_a_wrong_method_names_the_right_ones(server: Server) -> None:
    for route, allowed in (("/v1/status", "GET, HEAD"), ("/mcp", "DELETE, GET, HEAD, POST"), ("/v1/store", "POST")):
        answer = server.ask(route, b"", method="PUT")
        assert (answer.status, answer.error, answer.headers["allow"]) == (405, "wrong_method", allowed)
        assert answer.json["error"]["hint"] == f"use {allowed}"
