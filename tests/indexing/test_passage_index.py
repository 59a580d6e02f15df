"""Vectors and the passage index are brought up to date within a time limit, repaired, and switched as a whole."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.embedding import Space
from satchel.errors import ReadOnlyMode, Unavailable
from satchel.indexing.passage_index import catch_up


@pytest.fixture
def talked(memory: Satchel) -> Satchel:
    memory.episodes.add([{"text": f"the tide at {hour} o'clock", "id": str(hour)} for hour in range(40)])
    return memory


def test_without_time_nothing_is_embedded_and_waiting_passages_are_counted(talked: Satchel) -> None:
    ready = catch_up(talked.maintenance._indexed_passages, "tide", seconds=0)

    assert (ready.vector, ready.waiting) == (None, 40)


def test_a_search_embeds_new_passages(talked: Satchel) -> None:
    answer = talked.episodes.search("tide").result

    assert answer.vector_status == "used"
    assert talked.parts.ledger.passages.vectors.backlog(None) == (0, 0)


def test_lexical_search_answers_and_waiting_turns_are_counted(talked: Satchel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.indexing.memory_index.embed_until", lambda *_: "")

    answer = talked.episodes.search("tide")

    assert answer.result.hits
    assert answer.receipt.considered["embeddings_waiting"] == 40
    assert any(warning.startswith("embeddings_waiting: 40") for warning in answer.receipt.warnings)


def test_a_lost_index_is_rebuilt_without_embedding(
    talked: Satchel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = talked.episodes.search("tide", mode="vector").result.hits
    shutil.rmtree(home / "index" / "passages.lance")

    def never(*_: object) -> None:
        raise AssertionError("nothing is to be embedded")

    monkeypatch.setattr("satchel.indexing.embed.embed_batch", never)
    assert talked.episodes.search("tide", mode="vector").result.hits == before


def test_doctor_detects_and_repairs_a_damaged_passage_index(talked: Satchel, home: Path) -> None:
    talked.episodes.search("tide")
    for file in (home / "index" / "passages.lance").rglob("*.manifest"):
        file.write_bytes(b"no manifest")

    assert not talked.maintenance.doctor().result.healthy
    assert talked.maintenance.doctor(fix=True).result.healthy
    assert talked.episodes.search("tide", mode="vector").result.vector_status == "used"


def test_the_store_switches_embedders_only_if_every_passage_was_embedded(
    talked: Satchel, monkeypatch: pytest.MonkeyPatch
) -> None:
    talked.store("a memory as well")
    talked.recall("memory")
    talked.episodes.search("tide")
    own = talked.parts.ledger.vectors.space()

    def broken(*_: object, **__: object) -> None:
        raise Unavailable("the embedder broke", code="embedder_down")

    with monkeypatch.context() as patched:
        patched.setattr("satchel.indexing.passage_index.embed_backlog", broken)
        patched.setattr("satchel.indexing.passage_index.get_space", lambda embedder, clamp: Space("other", 7))
        with pytest.raises(Unavailable):
            talked.maintenance.index_rebuild()
    assert talked.parts.ledger.vectors.space() == own
    assert talked.episodes.search("tide").result.vector_status == "used"


def test_a_read_only_store_is_searched_but_not_changed(talked: Satchel, settings: Settings) -> None:
    talked.episodes.search("tide")
    talked.close()
    with Satchel.open(settings=replace(settings, read_only=True)) as reading:
        answer = reading.episodes.search("tide")
        assert answer.result.vector_status == "used"
        assert not answer.receipt.kept
        with pytest.raises(ReadOnlyMode):
            reading.episodes.add(text="more")
