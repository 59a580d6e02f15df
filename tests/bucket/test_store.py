"""A store with its index in a bucket: the whole way, also while the bucket is away."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel import Satchel
from satchel.adapters.lance import bucket as in_bucket
from satchel.config import load
from satchel.errors import InvalidRequest
from tests.bucket.conftest import KEY, SECRET, ObjectStorage


@pytest.fixture
def memory(home: Path, bucket: str) -> Iterator[Satchel]:
    settings = load(
        home=str(home), index=bucket, embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000, "index_from": 0}
    )
    with Satchel.open(settings=settings) as opened:
        yield opened


def found(memory: Satchel, question: str) -> list[str]:
    return [hit.memory.text for hit in memory.recall(question).result.hits]


def test_memories_are_stored_found_and_forgotten_with_proof(memory: Satchel, home: Path) -> None:
    for text in ("the harbour opens at nine", "the walrus is called Zanzibarium", "lunch is at noon"):
        memory.store(text)
    assert found(memory, "when does the harbour open?")[0] == "the harbour opens at nine"
    id = next(one.id for one in memory.memories.list().result.memories if "walrus" in one.text)
    forgotten = memory.forget(id, verify=True)
    assert forgotten.result.check is not None and forgotten.result.check.proves
    assert "Zanzibarium" not in json.dumps(found(memory, "what is the walrus called?"))
    assert memory.maintenance.doctor().result.healthy
    assert memory.maintenance.index_rebuild()
    assert found(memory, "lunch")[0] == "lunch is at noon"


def test_recall_goes_on_while_the_bucket_is_away(
    memory: Satchel, storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("the harbour opens at nine")
    assert found(memory, "harbour hours")
    monkeypatch.setattr(in_bucket, "_failed", {})
    storage.stop()
    try:
        memory.store("the ferry leaves at ten")
        answer = memory.recall("harbour opening")
        assert answer.result.hits[0].memory.text == "the harbour opens at nine"
        assert any(one.startswith("index_unreachable: ") for one in answer.receipt.warnings)
        assert {"lexical", "vector"} <= {one.name for hit in answer.result.hits for one in hit.contributions}
        assert "the ferry leaves at ten" in found(memory, "when does the ferry leave?")
    finally:
        storage.start()


def test_keys_are_in_no_answer(memory: Satchel, home: Path) -> None:
    memory.store("the harbour opens at nine")
    memory.recall("harbour")
    shown = json.dumps([repr(memory.maintenance.doctor()), repr(memory.maintenance.index_status())])
    for path in home.rglob("*"):
        if path.is_file():
            shown += path.read_bytes().decode("latin-1")
    assert KEY not in shown and SECRET not in shown


@pytest.mark.parametrize(
    "place", ["/some/folder", "s3://", "s3://key:secret@bucket/x", "s3://bucket/../other", "gs://bucket"]
)
def test_other_places_are_refused(home: Path, place: str) -> None:
    with pytest.raises(InvalidRequest) as refused, Satchel.open(settings=load(home=str(home), index=place)):
        pass
    assert "s3://bucket/folder" in refused.value.message and "secret" not in refused.value.message
