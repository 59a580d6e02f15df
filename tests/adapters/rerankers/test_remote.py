"""The remote reranker: requests and answers."""

import json
import math
from typing import Any

import pytest

from satchel.adapters.rerankers.remote import RemoteReranker
from satchel.domain.policies import RerankPolicy
from satchel.errors import InvalidRequest, RerankFailed
from satchel.wiring.remote import make_reranker
from tests.adapters.rerankers.servers import shared_words
from tests.adapters.servers import answering, bare, friendly
from tests.tables import each_case

KEY = "sk-very-secret"
TEXT = "a private sentence"


def scores(body: bytes, texts: list[str], **options: Any) -> list[float]:
    with bare(answering("200 OK", body)) as server:
        return RemoteReranker(server.url, "m", KEY, timeout_seconds=5.0, mask=str, **options).rerank("q", texts)


def failure(body: bytes, texts: list[str] | None = None, **options: Any) -> RerankFailed:
    """Rerank, expect an error, and check that it leaks neither text nor key."""
    with pytest.raises(RerankFailed) as caught:
        scores(body, texts or [TEXT], **options)
    told = caught.value.message + caught.value.hint
    assert KEY not in told
    assert TEXT not in told
    return caught.value


def results(*pairs: tuple[Any, Any]) -> bytes:
    return json.dumps({"results": [{"index": i, "relevance_score": score} for i, score in pairs]}).encode()


@each_case(
    ("style", "request_"),
    [
        ("cohere", {"model": "m", "query": "q", "documents": ["one", "two"], "top_n": 2}),
        ("voyage", {"model": "m", "query": "q", "documents": ["one", "two"], "top_k": 2}),
        ("tei", {"model": "m", "query": "q", "texts": ["one", "two"], "truncate": True}),
    ],
)
def test_the_request_has_the_fields_of_the_style(style: str, request_: dict[str, Any]) -> None:
    with shared_words(style) as server:
        RemoteReranker(server.url + "/", "m", KEY, style=style, timeout_seconds=5.0, mask=str).rerank(
            "q", ["one", "two"]
        )
    assert server.requests == [request_]
    assert server.paths == ["/v1/rerank"]


def test_without_a_model_the_request_names_none() -> None:
    with shared_words("tei") as server:
        reranker = RemoteReranker(server.url, "", style="tei", timeout_seconds=5.0, mask=str)
        reranker.rerank("q", ["one"])
    assert "model" not in server.requests[0]
    assert reranker.name == "tei"


def test_the_name_contains_the_style_and_the_model() -> None:
    assert RemoteReranker("http://h", "rerank-v3.5", mask=str).name == "cohere:rerank-v3.5"


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(InvalidRequest) as caught:
        RemoteReranker("http://h", "m", style="soap", mask=str)
    assert (caught.value.code, caught.value.hint) == ("unknown_word", "cohere, voyage, tei")


def test_the_query_and_each_text_are_masked_then_truncated() -> None:
    secret = "password=Zx9-Qw8-Er7-Ty6"
    with shared_words("cohere") as server:
        policy = RerankPolicy(enabled=True, url=server.url, max_chars=100, timeout_ms=10_000)
        reranker = make_reranker(policy)
        assert reranker is not None
        # The text is truncated in the middle of the secret, whose rest would not be recognised.
        reranker.rerank(f"whose is {secret} then", [f"{'x' * 86} {secret}", "y" * 1000])
    sent = server.requests[0]
    assert sent["query"] == "whose is password=[redacted:password] then"
    assert [text[:87] for text in sent["documents"]] == ["x" * 86 + " ", "y" * 87]
    assert [len(text) for text in sent["documents"]] == [100, 100]
    assert "Zx9" not in json.dumps(sent)


def test_too_many_texts_are_not_sent() -> None:
    with shared_words("cohere") as server, pytest.raises(RerankFailed):
        RemoteReranker(server.url, "m", max_texts=2, mask=str).rerank("q", ["one", "two", "three"])
    assert server.requests == []


def test_results_are_returned_in_the_order_of_the_texts() -> None:
    body = results((2, 0.9), (0, 0.5), (1, 0))
    assert scores(body, ["a", "b", "c"]) == [0.5, 0.0, 0.9]


def test_a_server_may_return_the_texts() -> None:
    def respond(request: dict[str, Any]) -> Any:
        return {
            "results": [
                {"index": i, "relevance_score": 0.5, "document": {"text": text}}
                for i, text in enumerate(request["documents"])
            ]
        }

    with friendly(respond) as server:
        reranker = RemoteReranker(server.url, "m", max_chars=20_000, max_texts=50, timeout_seconds=30.0, mask=str)
        assert reranker.rerank("q", ["🚀" * 20_000] * 50) == [0.5] * 50


def test_an_answer_larger_than_its_texts_allow_is_bad() -> None:
    padded = json.loads(results((0, 0.5))) | {"padding": "x" * 100_000}
    assert failure(json.dumps(padded).encode()).code == "bad_answer"


def test_logits_become_probabilities_when_the_server_is_known_to_send_them() -> None:
    pairs = [(0, 7.741800308227539), (1, -2.33689022064209), (2, 0), (3, 1e308), (4, -1e308)]
    expected = [1 / (1 + math.exp(-7.741800308227539)), 1 / (1 + math.exp(2.33689022064209)), 0.5, 1.0, 0.0]
    assert scores(results(*pairs), list("abcde"), logits=True) == pytest.approx(expected, abs=1e-12)


def test_close_logits_keep_their_order() -> None:
    low, middle, high = scores(results((0, -11.018), (1, -11.016), (2, -10.96)), list("abc"), logits=True)
    assert 0 < low < middle < high < 1


@each_case("score", [1.0000001, -0.1, 7.74, 10**400, math.inf, -math.inf, math.nan])
def test_a_score_out_of_range_is_bad(score: float) -> None:
    assert failure(results((0, score))).code == "bad_answer"


@each_case("score", [10**400, -(10**400), math.inf, -math.inf, math.nan])
def test_a_logit_that_is_not_finite_is_bad(score: float) -> None:
    assert failure(results((0, score)), logits=True).code == "bad_answer"


@each_case("logits", [True, False])
@each_case("score", ["0.5", True, None, [0.5], {"value": 0.5}])
def test_a_score_that_is_not_a_number_is_bad(score: Any, logits: bool) -> None:
    assert failure(results((0, score)), logits=logits).code == "bad_answer"


@each_case("index", [1, -1, True, "0", None, 0.0, 10**400, [0]])
def test_an_index_out_of_range_is_bad(index: Any) -> None:
    assert failure(results((index, 0.5))).code == "bad_answer"


@each_case("pairs", [[], [(0, 0.5)], [(0, 0.5), (0, 0.5)], [(0, 0.5), (1, 0.5), (2, 0.5)]])
def test_a_wrong_number_of_results_is_bad(pairs: list[tuple[int, float]]) -> None:
    assert failure(results(*pairs), texts=["a", "b"]).code == "bad_answer"


@each_case(
    ("style", "body"),
    [
        ("cohere", b"[]"),
        ("cohere", b'[{"index": 0, "score": 0.5}]'),
        ("cohere", b'{"results": {}}'),
        ("cohere", b'{"results": [0.5]}'),
        ("cohere", b'{"results": [{"index": 0}]}'),
        ("cohere", b'{"results": [{"relevance_score": 0.5}]}'),
        ("cohere", b'{"results": [{"index": 0, "relevance_score": 1e999}]}'),
        ("cohere", b'{"data": [{"index": 0, "relevance_score": 0.5}]}'),
        ("voyage", b'{"results": [{"index": 0, "relevance_score": 0.5}]}'),
        ("tei", b'{"results": [{"index": 0, "score": 0.5}]}'),
        ("tei", b'[{"index": 0, "relevance_score": 0.5}]'),
        ("tei", b"{}"),
        ("tei", b"null"),
    ],
)
def test_an_answer_of_another_shape_is_bad(style: str, body: bytes) -> None:
    assert failure(body, style=style).code == "bad_answer"


def test_reranking_without_an_address_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        make_reranker(RerankPolicy(enabled=True))


def test_the_policy_reaches_the_server() -> None:
    with friendly(lambda _: {"data": [{"index": 0, "relevance_score": 0}]}) as server:
        policy = RerankPolicy(
            enabled=True, url=server.url, model="m", api_key=KEY, style="voyage", logits=True, candidates=1
        )
        reranker = make_reranker(policy)
        assert reranker is not None
        assert reranker.rerank("q", ["one"]) == [0.5]
        with pytest.raises(RerankFailed):
            reranker.rerank("q", ["one", "two"])
    assert reranker.name == "voyage:m"
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
