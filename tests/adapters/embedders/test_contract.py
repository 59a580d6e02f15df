"""The contract of every embedder."""

import math
from collections.abc import Iterator

import pytest

from satchel.adapters.embedders.hashing import Hashing
from satchel.adapters.embedders.openai_compatible import OpenAiCompatible
from satchel.domain.embedding import vector_problem
from satchel.ports import Embedder
from tests.adapters.embedders import tiny
from tests.adapters.embedders.servers import friendly

TEXTS = [
    "The ledger is kept in SQLite.",
    "",
    " ",
    "a",
    "Straße, naïve, Ελλάδα, Ёлка",
    "数据库在哪里",
    "データベース",
    "قاعدة البيانات",
    "👩‍👩‍👧‍👦🚀",
    "e\u0301 combined, \u202eright to left\u202c, \ufeffmark",
    "control \x00\x01\x07\x1b[31m\x7f characters",
    "\n\t\r\n",
    "half a pair: \ud83d",
    "word " * 50_000,
    "x" * 200_000,
]


@pytest.fixture(params=["hashing", "openai", "bundled", "tiny"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    match request.param:
        case "hashing":
            yield Hashing()
        case "openai":
            with friendly(Hashing(64)) as server:
                yield OpenAiCompatible(server.url, "test", "", None, 10.0)
        case "bundled":
            yield request.getfixturevalue("encoder")
        case "tiny":
            yield tiny.encoder(request.getfixturevalue("tiny_model"), threads=3)


def test_every_text_gets_a_finite_unit_vector(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert len(vectors) == len(TEXTS)
    dimensions = embedder.dimensions
    assert dimensions is not None
    assert [vector_problem(vector, dimensions) for vector in vectors] == [None] * len(TEXTS)
    assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * len(TEXTS), abs=1e-5)
    assert {vector.typecode for vector in vectors} == {"f"}


def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    # Lengths go up and down, and there are more texts than one request holds.
    endings = ["one", "two", "three", "red", "blue", "green", "home"]
    texts = [f"{'the cat sat on the mat ' * (i * 7 % 5)}{endings[i % 7]}" for i in range(150)]
    alone = {text: embedder.embed([text])[0] for text in texts[:35]}
    assert embedder.embed(texts) == [alone[text] for text in texts]
    assert len({vector.tobytes() for vector in alone.values()}) == 35


def test_a_vector_does_not_depend_on_the_other_texts(embedder: Embedder) -> None:
    together = [vector.tobytes() for vector in embedder.embed(TEXTS)]
    assert together == [vector.tobytes() for vector in embedder.embed(TEXTS)]
    assert together == [embedder.embed([text])[0].tobytes() for text in TEXTS]


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


def test_the_space_has_a_stable_name(embedder: Embedder) -> None:
    before = embedder.name
    embedder.embed(["a text"])
    assert before == embedder.name != ""
