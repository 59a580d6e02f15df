"""The contract of every reranker."""

from collections.abc import Iterator, Sequence

import pytest

from satchel.adapters.rerankers.remote import STYLES, RemoteReranker
from satchel.errors import RerankFailed
from satchel.ports import Reranker
from tests.adapters.rerankers.servers import shared_words, words_in_common

MOST = 16
TEXTS = [
    "the ledger is kept in SQLite",
    "",
    " ",
    "数据库在哪里",
    "👩‍👩‍👧‍👦🚀",
    "e\u0301 combined, \u202eright to left\u202c, \ufeffmark",
    "control \x00\x01\x07\x1b[31m\x7f characters",
    "half a pair: \ud83d",
    "ledger " * 20_000,
    "x" * 200_000,
]


class WordCounter:
    """A reranker in memory: the share of the query's words that a text has."""

    name = "words"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        if len(texts) > MOST:
            raise RerankFailed("too many", code="too_many_texts")
        return [words_in_common(query, text) for text in texts]


@pytest.fixture(params=["words", *STYLES])
def reranker(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    if request.param == "words":
        yield WordCounter()
        return
    with shared_words(request.param) as server:
        yield RemoteReranker(
            server.url, "test", style=request.param, max_texts=MOST, timeout_seconds=10.0, mask=lambda text: text
        )


def test_every_text_gets_a_score_from_0_to_1_in_order(reranker: Reranker) -> None:
    scores = reranker.rerank("where is the ledger kept", TEXTS)
    assert len(scores) == len(TEXTS)
    assert {type(score) for score in scores} == {float}
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] == max(scores) > scores[8] > scores[1]


def test_a_score_does_not_depend_on_the_other_texts(reranker: Reranker) -> None:
    together = reranker.rerank("the ledger", TEXTS)
    assert together == reranker.rerank("the ledger", TEXTS)
    assert together == [reranker.rerank("the ledger", [text])[0] for text in TEXTS]


@pytest.mark.parametrize("query", ["", "\ud83d", "\x00", "the ledger " * 20_000])
def test_any_query_is_accepted(reranker: Reranker, query: str) -> None:
    assert len(reranker.rerank(query, ["the ledger", "a boat"])) == 2


def test_no_texts_give_no_scores(reranker: Reranker) -> None:
    assert reranker.rerank("the ledger", []) == []


def test_too_many_texts_have_their_own_error_code(reranker: Reranker) -> None:
    assert len(reranker.rerank("the ledger", ["a text"] * MOST)) == MOST
    with pytest.raises(RerankFailed) as caught:
        reranker.rerank("the ledger", ["a text"] * (MOST + 1))
    assert caught.value.code == "too_many_texts"


def test_the_name_is_stable(reranker: Reranker) -> None:
    before = reranker.name
    reranker.rerank("the ledger", ["a text"])
    assert before == reranker.name != ""
