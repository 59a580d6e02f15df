"""An embedding endpoint that fails in every way: stores succeed, words answer, and the backlog drains once it recovers."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import Settings, load
from tests.faults import endpoint as faults
from tests.faults.endpoint import Endpoint, Misbehave, endpoint
from tests.faults.extent import extent

TIMEOUT_MS = 300
FAULTS: dict[str, Misbehave] = {
    "drop": faults.drop,
    "500": faults.saying(500),
    "503": faults.saying(503),
    "429": faults.saying(429),
    "hang": faults.hang,
    "drip": faults.drip,
    "no JSON": faults.saying(200, b"<html>busy</html>"),
    "half a JSON": faults.saying(200, b'{"data": [{"index": 0, "embedd'),
    "NaN": faults.each_vector([math.nan] * 16),
    "infinity": faults.each_vector([math.inf] * 16),
    "zero": faults.each_vector([0.0] * 16),
    "no vector": faults.each_vector([]),
    "too few": faults.one_too_few,
    "100 MB": faults.flood,
}


def settings(home: Path, url: str, **more: object) -> Settings:
    embedding = {"provider": "openai", "url": url, "model": "m", "timeout_ms": TIMEOUT_MS, **more}
    return load(home=str(home), embedding=embedding, recall={"catch_up_ms": 2_000, "index_from": 0})


@pytest.fixture
def served() -> Iterator[Endpoint]:
    with endpoint() as opened:
        yield opened


def waiting(memory: Satchel) -> tuple[int, int]:
    stats = memory.maintenance.stats().result
    return stats.embeddings_waiting, stats.embeddings_skipped


def drained(memory: Satchel) -> tuple[int, int]:
    memory.maintenance.index_build()
    return waiting(memory)


@pytest.mark.parametrize("fault", extent(["hang", "NaN"], [*FAULTS]))
def test_a_failing_endpoint_holds_up_nothing_and_is_caught_up_with(home: Path, served: Endpoint, fault: str) -> None:
    served.listen(FAULTS[fault])
    with Satchel.open(settings=settings(home, served.url)) as memory:
        _lives_without_vectors(memory)
        served.listen()
        assert drained(memory) == (0, 0)
        answer = memory.recall("walrus", mode="vector")
        assert (answer.receipt.warnings, len(answer.result.hits)) == ((), 3)


def test_an_endpoint_that_refuses_connections_is_caught_up_with(home: Path, served: Endpoint) -> None:
    with Satchel.open(settings=settings(home, served.url)) as memory:
        _lives_without_vectors(memory)
        served.listen()
        assert drained(memory) == (0, 0)


def _lives_without_vectors(memory: Satchel) -> None:
    for number in range(3):
        stored = memory.store(f"walrus number {number}").result
        assert (stored.action, stored.embedding_skipped) == ("created", True)
    answer = memory.recall("walrus")
    assert len(answer.result.hits) == 3
    assert len(answer.receipt.warnings) == 1
    assert memory.maintenance.stats().result.tally.memories == 3
    # An endpoint that is down is worth a warning; the store itself is well.
    assert memory.maintenance.doctor().result.healthy


@pytest.mark.parametrize("fault", extent(["500"], ["500", "hang", "NaN", "too few", "100 MB"]))
def test_an_endpoint_that_fails_later_leaves_the_old_vectors(home: Path, served: Endpoint, fault: str) -> None:
    served.listen()
    with Satchel.open(settings=settings(home, served.url)) as memory:
        memory.store("the first walrus")
        assert drained(memory) == (0, 0)
        served.listen(FAULTS[fault])
        memory.store("the second walrus")
        assert {hit.memory.text for hit in memory.recall("walrus").result.hits} == {
            "the first walrus",
            "the second walrus",
        }
        served.listen()
        assert drained(memory) == (0, 0)
        assert len(memory.recall("walrus", mode="vector").result.hits) == 2


def test_a_longer_vector_under_the_same_name_is_refused_and_a_rebuild_adopts_it(home: Path, served: Endpoint) -> None:
    served.listen()
    with Satchel.open(settings=settings(home, served.url)) as memory:
        memory.store("the first walrus")
        memory.maintenance.index_build()
    served.listen(faults.longer)
    with Satchel.open(settings=settings(home, served.url)) as memory:
        memory.store("the second walrus")
        answer = memory.recall("walrus")
        assert [one.partition(":")[0] for one in answer.receipt.warnings] == ["other_space"]
        assert len(answer.result.hits) == 2
        assert memory.maintenance.index_rebuild(embedder="openai").result.rows == 2
        assert waiting(memory) == (0, 0)
        assert memory.recall("walrus").receipt.warnings == ()
        assert memory.maintenance.doctor().result.healthy


def test_another_model_is_refused_until_the_store_is_rebuilt(home: Path, served: Endpoint) -> None:
    served.listen()
    with Satchel.open(settings=settings(home, served.url)) as memory:
        memory.store("the first walrus")
        memory.maintenance.index_build()
    with Satchel.open(settings=settings(home, served.url, model="other")) as memory:
        answer = memory.recall("walrus")
        assert [one.partition(":")[0] for one in answer.receipt.warnings] == ["other_space"]
        assert len(answer.result.hits) == 1
        memory.maintenance.index_rebuild(embedder="openai")
        assert memory.recall("walrus").receipt.warnings == ()


def test_a_text_that_only_the_endpoint_finds_bad_does_not_hold_up_the_others(home: Path, served: Endpoint) -> None:
    def picky(handler: faults.Handler) -> None:
        if any("poison" in text for text in handler.texts):
            faults.saying(400, b"maximum context length is 512 tokens")(handler)
        else:
            faults.healthy(handler)

    served.listen(picky)
    with Satchel.open(settings=settings(home, served.url)) as memory:
        for text in ("a walrus", "poison walrus", "another walrus"):
            memory.store(text)
        assert drained(memory) == (0, 1)
        assert len(memory.recall("walrus").result.hits) == 3
        served.listen()
        assert drained(memory) == (0, 0)
