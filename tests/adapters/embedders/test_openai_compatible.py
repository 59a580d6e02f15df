"""The remote embedder with correct and broken servers."""

import json
import math
from typing import Any

import pytest

from satchel.adapters.embedders.hashing import Hashing
from satchel.adapters.embedders.openai_compatible import TEXTS_PER_REQUEST, OpenAiCompatible
from satchel.errors import EmbeddingFailed
from tests.adapters.embedders.servers import friendly
from tests.adapters.servers import Serve, answering, bare
from tests.canary import MASKED, TOKEN
from tests.tables import each_case

KEY = "sk-very-secret"
TEXT = "a private sentence"


def served(serve: Serve, texts: list[str] | None = None, **options: Any) -> EmbeddingFailed:
    """Embed, expect an error, and check that it leaks neither text nor key."""
    with bare(serve) as server, pytest.raises(EmbeddingFailed) as caught:
        OpenAiCompatible(server.url, "m", KEY, timeout_seconds=5.0, **options).embed(texts or [TEXT])
    told = caught.value.message + caught.value.hint
    assert KEY not in told
    assert TEXT not in told
    return caught.value


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


def test_many_texts_are_sent_in_batches() -> None:
    texts = [f"text {i}" for i in range(2 * TEXTS_PER_REQUEST + 1)]
    with friendly(Hashing(16)) as server:
        vectors = OpenAiCompatible(server.url, "small").embed(texts)
    assert [len(request["input"]) for request in server.requests] == [TEXTS_PER_REQUEST, TEXTS_PER_REQUEST, 1]
    for found, expected in zip(vectors, Hashing(16).embed(texts), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)


def test_the_name_contains_the_model_and_the_requested_dimensions() -> None:
    plain, short = OpenAiCompatible("http://h", "small"), OpenAiCompatible("http://h", "small", "", 256)
    assert (plain.name, plain.dimensions) == ("openai:small", None)
    assert (short.name, short.dimensions) == ("openai:small:256", 256)


def test_dimensions_are_known_after_the_first_answer() -> None:
    with friendly(Hashing(16)) as server:
        embedder = OpenAiCompatible(server.url, "small")
        embedder.embed(["one"])
    assert (embedder.dimensions, embedder.name) == (16, "openai:small")


@each_case(
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


def item(index: Any, embedding: Any) -> bytes:
    return json.dumps({"data": [{"index": index, "embedding": embedding}]}).encode()


@each_case(
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
def test_an_answer_without_embeddings_is_bad(body: bytes) -> None:
    assert served(answering("200 OK", body)).code == "bad_answer"


def test_a_duplicate_index_is_bad() -> None:
    body = json.dumps({"data": [{"index": 0, "embedding": [1.0]}] * 2}).encode()
    assert served(answering("200 OK", body), texts=["a", "b"]).code == "bad_answer"


def test_vectors_of_different_lengths_are_bad() -> None:
    assert served(answering("200 OK", answer([1.0], [1.0, 2.0])), texts=["a", "b"]).code == "bad_answer"


def test_other_dimensions_than_requested_are_bad() -> None:
    assert served(answering("200 OK", answer([1.0, 2.0])), dimensions=3).code == "bad_answer"


def test_secrets_are_masked_before_a_text_is_sent() -> None:
    with friendly(Hashing(16)) as server:
        OpenAiCompatible(server.url, "small").embed(["one", f"the key is {TOKEN}"])
    assert server.requests[0]["input"] == ["one", f"the key is {MASKED}"]
