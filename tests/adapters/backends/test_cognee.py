"""A Cognee server by recorded answers: POST /api/v1/search, objects or plain values, no scores."""

import json
from typing import Any

from satchel.domain.routing import RouteStatus
from tests.adapters.backends.asking import ask, entry, refusal
from tests.adapters.servers import answering, bare, friendly
from tests.tables import each_case

QUERY = "what's the relationship between OrderController and PaymentService"
EDGE = "OrderController --[calls]--> PaymentService"
# The forms in which 1.6 answers: context as lines, a list of them, chunks with a text, plain values.
FORMS: list[Any] = [
    [{"search_result": f"Nodes:\n{EDGE}", "dataset_id": "d1", "dataset_name": "main"}],
    [{"search_result": [EDGE], "dataset_id": "d1", "dataset_name": "main"}],
    [{"search_result": {"text": EDGE, "chunk_index": 0}, "dataset_id": "d1", "dataset_name": "main"}],
    [EDGE],
    [[{"text": EDGE}]],
]


@each_case("form", FORMS)
def test_a_line_with_both_entities_is_fully_relevant(form: Any) -> None:
    with friendly(lambda _: form) as server:
        answer = ask(entry("cognee", "cognee-http", url=server.url, datasets=["main"]), QUERY, limit=7)

    assert (answer.results[0].content, answer.results[0].relevance) == (EDGE, 1.0)
    assert server.paths == ["/v1/api/v1/search"]
    assert server.requests == [
        {"search_type": "GRAPH_COMPLETION", "query": QUERY, "top_k": 7, "only_context": True, "datasets": ["main"]}
    ]


def test_a_line_with_one_entity_is_half_relevant_and_with_none_is_dropped() -> None:
    with friendly(lambda _: ["OrderController --[owns]--> Order", "Weather --[is]--> fine"]) as server:
        answer = ask(entry("cognee", "cognee-http", url=server.url), QUERY)

    assert [(one.content, one.relevance) for one in answer.results] == [("OrderController --[owns]--> Order", 0.5)]


def test_the_key_goes_out_in_its_own_header() -> None:
    with friendly(lambda _: []) as server:
        answer = ask(entry("cognee", "cognee-http", url=server.url, api_key="secret"), QUERY)

    assert answer.status is RouteStatus.EMPTY
    assert server.headers[0]["X-Api-Key"] == "secret"
    assert "Authorization" not in server.headers[0]


@each_case(
    ("status", "code"),
    [
        ("401 Unauthorized", "BACKEND_UNAVAILABLE"),
        ("402 Payment Required", "BACKEND_UNAVAILABLE"),
        ("403 Forbidden", "BACKEND_UNAVAILABLE"),
        ("404 Not Found", "BACKEND_UNAVAILABLE"),
        ("409 Conflict", "BACKEND_ERROR"),
        ("422 Unprocessable", "BACKEND_ERROR"),
        ("500 Oops", "BACKEND_ERROR"),
        ("503 Unavailable", "BACKEND_UNAVAILABLE"),
    ],
)
def test_http_errors_map_to_the_codes_of_the_contract(status: str, code: str) -> None:
    body = json.dumps({"error": "secret text", "detail": "x"}).encode()
    with bare(answering(status, body)) as server:
        error = refusal(entry("cognee", "cognee-http", url=server.url))

    assert error.code == code
    assert f"HTTP {status[:3]}" in error.message
    assert "secret text" not in error.message


@each_case("body", [b"{}", b"1", b"junk", b"\xff", b"[" * 100_000, b'"' + b"x" * (9 << 20) + b'"'])
def test_an_answer_that_is_not_a_list_is_an_error(body: bytes) -> None:
    with bare(answering("200 OK", body)) as server:
        assert refusal(entry("cognee", "cognee-http", url=server.url), seconds=30).code == "BACKEND_ERROR"


def test_a_server_that_never_answers_times_out() -> None:
    def silence(connection: Any, state: Any) -> None:
        state.closing.wait(30)

    with bare(silence) as server:
        assert refusal(entry("cognee", "cognee-http", url=server.url), seconds=0.2).code == "QUERY_TIMEOUT"


def test_a_server_that_answers_byte_by_byte_times_out() -> None:
    def drip(connection: Any, state: Any) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not state.closing.wait(0.02):
            connection.sendall(b" ")

    with bare(drip) as server:
        assert refusal(entry("cognee", "cognee-http", url=server.url), seconds=0.3).code == "QUERY_TIMEOUT"
