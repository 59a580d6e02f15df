"""The remote embedder against servers that behave, and servers that do not."""

import json
import math
import socket
from collections.abc import Callable
from typing import Any

import pytest

from satchel.adapters.embedders.hashing import Hashing
from satchel.adapters.embedders.openai_compatible import BATCH, OpenAiCompatible
from satchel.errors import EmbeddingFailed, InvalidRequest

from .servers import Bare, answering, bare, friendly

KEY = "sk-very-secret"
TEXT = "a private sentence"
Serve = Callable[[socket.socket, Bare], None]


def failure(url: str, timeout: float = 5.0, texts: list[str] | None = None, **options: Any) -> EmbeddingFailed:
    """Embed, expect to fail, and make sure that the failure gives nothing away."""
    with pytest.raises(EmbeddingFailed) as caught:
        OpenAiCompatible(url, "m", KEY, timeout_seconds=timeout, **options).embed(texts or [TEXT])
    told = caught.value.message + caught.value.hint
    assert KEY not in told
    assert TEXT not in told
    return caught.value


def served(serve: Serve, timeout: float = 5.0, texts: list[str] | None = None, **options: Any) -> EmbeddingFailed:
    with bare(serve) as server:
        return failure(server.url, timeout, texts, **options)


def answer(*embeddings: Any) -> bytes:
    return json.dumps({"data": [{"index": i, "embedding": e} for i, e in enumerate(embeddings)]}).encode()


def test_the_request_is_what_the_protocol_asks_for() -> None:
    with friendly(Hashing(16)) as server:
        OpenAiCompatible(server.url + "/", "small", KEY, 16, 5.0).embed(["one", "two"])
    assert server.requests == [{"model": "small", "input": ["one", "two"], "dimensions": 16}]
    assert server.paths == ["/v1/embeddings"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["Content-Type"] == "application/json"


def test_without_a_key_and_dimensions_neither_is_sent() -> None:
    with friendly(Hashing(16)) as server:
        OpenAiCompatible(server.url, "small").embed(["one"])
    assert "Authorization" not in server.headers[0]
    assert "dimensions" not in server.requests[0]


def test_a_query_in_the_address_is_kept() -> None:
    with friendly(Hashing(16)) as server:
        OpenAiCompatible(server.url + "?api-version=2", "small").embed(["one"])
    assert server.paths == ["/v1/embeddings?api-version=2"]


def test_many_texts_are_sent_in_batches() -> None:
    texts = [f"text {i}" for i in range(2 * BATCH + 1)]
    with friendly(Hashing(16)) as server:
        vectors = OpenAiCompatible(server.url, "small").embed(texts)
    assert [len(request["input"]) for request in server.requests] == [BATCH, BATCH, 1]
    for found, expected in zip(vectors, Hashing(16).embed(texts), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)


def test_the_name_tells_the_model_and_the_dimensions_that_were_asked_for() -> None:
    plain, short = OpenAiCompatible("http://h", "small"), OpenAiCompatible("http://h", "small", "", 256)
    assert (plain.name, plain.dimensions) == ("openai:small", None)
    assert (short.name, short.dimensions) == ("openai:small:256", 256)


def test_dimensions_are_known_after_the_first_answer() -> None:
    with friendly(Hashing(16)) as server:
        embedder = OpenAiCompatible(server.url, "small")
        embedder.embed(["one"])
    assert (embedder.dimensions, embedder.name) == (16, "openai:small")


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([3, 4], [0.6, 0.8]),
        ([0.0, -0.0], [0.0, 0.0]),
        ([1e200, 1e200], [math.sqrt(0.5)] * 2),
        ([1e-200, 0], [1.0, 0.0]),
    ],
)
def test_vectors_are_scaled_to_unit_length_and_zero_stays_zero(numbers: list[float], expected: list[float]) -> None:
    with bare(answering("200 OK", answer(numbers))) as server:
        assert OpenAiCompatible(server.url, "m").embed(["x"])[0].tolist() == pytest.approx(expected)


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
def test_an_address_that_cannot_be_meant_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        OpenAiCompatible(url, "m")
    assert "password@" not in caught.value.message


def test_a_key_that_would_break_the_request_is_refused_unquoted() -> None:
    with pytest.raises(InvalidRequest) as caught:
        OpenAiCompatible("http://host", "m", KEY + "\r\nX: y")
    assert KEY not in caught.value.message


def test_nobody_listening_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    assert failure(f"http://127.0.0.1:{port}").code == "unreachable"


@pytest.mark.parametrize("status", ["500 Oops", "429 Slow down", "401 No", "404 Where", "400 Bad", "201 Odd"])
def test_another_status_is_an_http_error_that_names_it(status: str) -> None:
    error = served(answering(status, f"your key {KEY}, your text {TEXT}".encode()))
    assert error.code == "http_error"
    assert f"HTTP {status[:3]}" in error.message


@pytest.mark.parametrize("status", ["400 Bad", "413 Large"])
@pytest.mark.parametrize("body", [b"maximum context length is 512", b"too many TOKENS", b'{"error":"input length"}'])
def test_a_text_that_is_too_long_for_the_server_has_its_own_code(status: str, body: bytes) -> None:
    assert served(answering(status, body)).code == "input_too_long"


def test_a_redirect_is_not_followed() -> None:
    with bare(answering("200 OK", answer([1.0]))) as second:
        for status in ("301 Moved", "302 Found", "307 Temporary", "308 Permanent"):
            error = served(answering(status, b"", f"Location: {second.url}/embeddings"))
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
def test_the_deadline_holds_for_the_whole_request(serve: Serve) -> None:
    assert served(serve, timeout=0.2).code == "timeout"


def hang_up(connection: socket.socket, _: Bare) -> None:
    connection.sendall(b"")


def break_off(connection: socket.socket, _: Bare) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")


def babble(connection: socket.socket, _: Bare) -> None:
    connection.sendall(b"220 smtp ready\r\n\r\n")


def test_a_connection_without_an_answer_is_unreachable() -> None:
    assert served(hang_up).code == "unreachable"


@pytest.mark.parametrize("serve", [break_off, babble])
def test_what_is_not_a_whole_http_answer_is_bad(serve: Serve) -> None:
    assert served(serve).code == "bad_answer"


def pour(connection: socket.socket, server: Bare) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not server.closing.is_set():
        connection.sendall(b" " * 65536)


def test_an_endless_body_is_cut_off() -> None:
    assert served(pour).code == "bad_answer"


def item(index: Any, embedding: Any) -> bytes:
    return json.dumps({"data": [{"index": index, "embedding": embedding}]}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b'{"data": {}}',
        b'{"data": []}',
        b'{"data": [1]}',
        b'{"data": [{"embedding": [1.0]}]}',
        b"[" * 200_000,
        b'{"data": [{"index": 0, "embedding": [' + b"9" * 5000 + b"]}]}",
        b'{"data": [{"index": 0, "embedding": [1e999]}]}',
        answer([1.0], [1.0]),
        item(1, [1.0]),
        item(-1, [1.0]),
        item(True, [1.0]),
        item("0", [1.0]),
        item(0, []),
        item(0, "AACAPw=="),
        item(0, None),
        item(0, {"0": 1.0}),
        item(0, ["1.0"]),
        item(0, [True]),
        item(0, [None]),
        item(0, [[1.0]]),
        item(0, [math.nan]),
        item(0, [math.inf, 1.0]),
        item(0, [-math.inf]),
        item(0, [10**400]),
        item(0, [1.7e308, 1.7e308]),
    ],
)
def test_an_answer_that_is_no_embedding_is_bad(body: bytes) -> None:
    assert served(answering("200 OK", body)).code == "bad_answer"


def test_an_index_that_comes_twice_is_bad() -> None:
    body = json.dumps({"data": [{"index": 0, "embedding": [1.0]}] * 2}).encode()
    assert served(answering("200 OK", body), texts=["a", "b"]).code == "bad_answer"


def test_vectors_of_two_lengths_are_bad() -> None:
    assert served(answering("200 OK", answer([1.0], [1.0, 2.0])), texts=["a", "b"]).code == "bad_answer"


def test_dimensions_that_were_asked_for_and_not_given_are_bad() -> None:
    assert served(answering("200 OK", answer([1.0, 2.0])), dimensions=3).code == "bad_answer"
