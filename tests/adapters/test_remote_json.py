"""The contract of every adapter that sends JSON to a server."""

import socket
from collections.abc import Callable

import pytest

from satchel.adapters.embedders.openai_compatible import OpenAiCompatible
from satchel.adapters.rerankers.remote import RemoteReranker
from satchel.errors import EmbeddingFailed, InvalidRequest, RerankFailed, Unavailable
from tests.adapters.servers import Bare, Serve, answering, bare, friendly

KEY = "sk-very-secret"
TEXT = "a private sentence"
# A whole number for a score, a list for a vector: one item that either reader takes.
ITEM = {"index": 0, "embedding": [1.0], "relevance_score": 1}

Ask = Callable[[str, str, float], object]
"""Asks the server at an address, with a key, within so many seconds."""


def embed(url: str, key: str, timeout: float) -> object:
    return OpenAiCompatible(url, "m", key, timeout_seconds=timeout).embed([TEXT])


def rerank(url: str, key: str, timeout: float) -> object:
    return RemoteReranker(url, "m", key, timeout_seconds=timeout, mask=str).rerank("which one?", [TEXT])


FAILURES: dict[Ask, type[Unavailable]] = {embed: EmbeddingFailed, rerank: RerankFailed}


@pytest.fixture(params=FAILURES, ids=lambda ask: ask.__name__)
def ask(request: pytest.FixtureRequest) -> Ask:
    return request.param  # type: ignore[no-any-return]


def failure(ask: Ask, url: str, timeout: float = 5.0) -> Unavailable:
    """Send a request, expect an error, and check that it leaks neither text nor key."""
    with pytest.raises(FAILURES[ask]) as caught:
        ask(url, KEY, timeout)
    told = caught.value.message + caught.value.hint
    assert KEY not in told
    assert TEXT not in told
    return caught.value


def served(ask: Ask, serve: Serve, timeout: float = 5.0) -> Unavailable:
    with bare(serve) as server:
        return failure(ask, server.url, timeout)


def test_the_key_goes_out_as_a_bearer_token_and_a_query_in_the_address_is_kept(ask: Ask) -> None:
    with friendly(lambda _: {"data": [ITEM], "results": [ITEM]}) as server:
        ask(server.url + "/?api-version=2", KEY, 5.0)
        ask(server.url, "", 5.0)
    assert [headers.get("Authorization") for headers in server.headers] == [f"Bearer {KEY}", None]
    assert {headers["Content-Type"] for headers in server.headers} == {"application/json"}
    assert [path.partition("?")[2] for path in server.paths] == ["api-version=2", ""]
    assert {path.partition("?")[0] for path in server.paths} <= {"/v1/embeddings", "/v1/rerank"}


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://host/v1",
        "host:80",
        "",
        "http://",
        "http://host:99999/",
        "http://[::1/",
        "http://ho st/",
        "http://host/\r\nX: y",
        "http://user:password@host/v1",
    ],
)
def test_an_invalid_address_is_refused(ask: Ask, url: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ask(url, KEY, 5.0)
    assert "password@" not in caught.value.message


def test_an_invalid_key_is_refused_without_quoting_it(ask: Ask) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ask("http://host", KEY + "\r\nX: y", 5.0)
    assert KEY not in caught.value.message


def test_a_closed_port_is_unreachable(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    assert failure(ask, f"http://127.0.0.1:{port}").code == "unreachable"


@pytest.mark.parametrize("status", ["500 Oops", "429 Slow down", "401 No", "404 Where", "400 Bad", "201 Odd"])
def test_another_status_is_an_http_error_that_names_it(ask: Ask, status: str) -> None:
    error = served(ask, answering(status, f"your key {KEY}, your text {TEXT}".encode()))
    assert error.code == "http_error"
    assert f"HTTP {status[:3]}" in error.message


@pytest.mark.parametrize("status", ["400 Bad", "413 Large"])
@pytest.mark.parametrize("body", [b"maximum context length is 512", b"too many TOKENS", b'{"error":"input length"}'])
def test_a_text_that_is_too_long_for_the_server_has_its_own_code(ask: Ask, status: str, body: bytes) -> None:
    assert served(ask, answering(status, body)).code == "input_too_long"


def test_a_redirect_is_not_followed(ask: Ask) -> None:
    with bare(answering("200 OK", b"{}")) as second:
        for status in ("301 Moved", "302 Found", "307 Temporary", "308 Permanent"):
            error = served(ask, answering(status, b"", f"Location: {second.url}/elsewhere"))
            assert error.code == "http_error"
    assert second.connections == 0


def hang(_: socket.socket, server: Bare) -> None:
    server.closing.wait(5)


def drip_head(connection: socket.socket, server: Bare) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    drip(connection, server)


def drip_body(connection: socket.socket, server: Bare) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    drip(connection, server)


def drip(connection: socket.socket, server: Bare) -> None:
    while not server.closing.wait(0.02):
        connection.sendall(b" ")


@pytest.mark.parametrize("serve", [hang, drip_head, drip_body])
def test_the_deadline_holds_for_the_whole_request(ask: Ask, serve: Serve) -> None:
    assert served(ask, serve, timeout=0.2).code == "timeout"


def hang_up(connection: socket.socket, _: Bare) -> None:
    connection.sendall(b"")


def break_off(connection: socket.socket, _: Bare) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")


def babble(connection: socket.socket, _: Bare) -> None:
    connection.sendall(b"220 smtp ready\r\n\r\n")


def test_a_connection_without_an_answer_is_unreachable(ask: Ask) -> None:
    assert served(ask, hang_up).code == "unreachable"


@pytest.mark.parametrize("serve", [break_off, babble])
def test_an_incomplete_http_answer_is_bad(ask: Ask, serve: Serve) -> None:
    assert served(ask, serve).code == "bad_answer"


def pour(connection: socket.socket, server: Bare) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not server.closing.is_set():
        connection.sendall(b" " * 65536)


def test_an_endless_body_is_cut_off(ask: Ask) -> None:
    assert served(ask, pour).code == "bad_answer"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"null", b"1", b'"text"', b"[" * 60_000, b"[NaN]", b"9" * 5000]
)
def test_an_answer_that_is_not_the_expected_json_is_bad(ask: Ask, body: bytes) -> None:
    assert served(ask, answering("200 OK", body)).code == "bad_answer"


def test_the_failure_names_the_server(ask: Ask) -> None:
    told = served(ask, answering("200 OK", b"{}")).message
    assert told.startswith(f"unusable answer of the {'embedding' if ask is embed else 'rerank'} server: ")
