"""The retrieval benchmark as an operation, on small files of each format."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bench.datasets.dataset import Unit
from bench.haystack import SCOPE, Memories, scratch
from bench.retrieval import RetrievalResult, run_retrieval
from msgspec.structs import replace

from satchel.adapters.embedders.hashing import Hashing
from satchel.config import Settings
from satchel.domain.embedding import Vector
from satchel.errors import InvalidRequest
from tests.benchmarks.samples import FILES, locomo


def quiet(done: int, total: int, what: str) -> None:
    """Report to nobody."""


@pytest.fixture
def own(settings: Settings) -> Settings:
    return replace(settings, embedding=replace(settings.embedding, provider="hashing"))


def written(folder: Path, name: str, value: Any = None) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(FILES[name]() if value is None else value), encoding="utf-8")
    return str(path)


def retrieve(settings: Settings, folder: Path, name: str, **given: Any) -> RetrievalResult:
    data = given.pop("data", None) or written(folder, name)
    return run_retrieval(settings, quiet, format=name, data=data, cache=str(folder / "cache"), **given)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
@pytest.mark.parametrize("name", FILES)
def test_every_question_is_asked_and_its_ranking_written(own: Settings, tmp_path: Path, name: str, mode: str) -> None:
    found = retrieve(own, tmp_path, name, mode=mode, out=str(tmp_path / "out.jsonl"))
    written_lines = lines(tmp_path / "out.jsonl")

    assert len(written_lines) == found.questions
    assert all(set(one) == {"question_id", "ranked", "gold"} for one in written_lines)
    assert all(len(one["ranked"]) == len(set(one["ranked"])) for one in written_lines)
    assert found.overall.n <= found.questions
    assert found.overall.metrics["any@20"] > 0.5
    assert (found.embedding_space is None) == (mode == "lexical")


def test_the_headline_leaves_out_what_stands_apart(own: Settings, tmp_path: Path) -> None:
    found = retrieve(own, tmp_path, "locomo", mode="lexical")

    assert found.overall.n == 3
    assert found.apart == ("adversarial",)
    assert {name: one.n for name, one in found.categories.items()} == {
        "adversarial": 1,
        "multi-hop": 1,
        "single-hop": 1,
        "temporal": 1,
    }


def test_each_conversation_is_an_index_of_its_own(own: Settings, tmp_path: Path) -> None:
    found = retrieve(own, tmp_path, "locomo", mode="vector", out=str(tmp_path / "out.jsonl"))
    ranked = {one["question_id"]: one["ranked"] for one in lines(tmp_path / "out.jsonl")}

    assert found.conversations == 2
    assert ranked["conv-2-0"] == ["D1:1"]
    assert sorted(ranked["conv-1-0"]) == ["D1:1", "D1:2", "D2:1", "D2:2"]


def test_sessions_are_ranked_by_their_names(own: Settings, tmp_path: Path) -> None:
    retrieve(own, tmp_path, "locomo", level="session", mode="vector", out=str(tmp_path / "out.jsonl"))
    ranked = {one["question_id"]: one["ranked"] for one in lines(tmp_path / "out.jsonl")}

    assert sorted(ranked["conv-1-0"]) == ["D1", "D2"]


def test_memories_have_their_session_under_a_number(settings: Settings) -> None:
    units = [Unit(id, text, session) for id, text, session in (("1", "a", "D1"), ("2", "b", "D2"), ("3", "c", "D1"))]
    with scratch(settings, None) as memory:
        Memories(memory).load([*units, Unit("4", "d")], quiet)
        stored = memory.memories.list(scope=SCOPE).result.memories
        assert {one.text: one.session for one in stored} == {"a": "s0", "b": "s1", "c": "s0", "d": None}


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize("name", FILES)
def test_a_plain_table_is_asked_the_same_questions(own: Settings, tmp_path: Path, name: str, mode: str) -> None:
    found = retrieve(own, tmp_path, name, mode=mode, through="plain", out=str(tmp_path / "out.jsonl"))

    assert len(lines(tmp_path / "out.jsonl")) == found.questions
    assert found.overall.metrics["any@20"] > 0.5
    assert found.store_digest == retrieve(own, tmp_path, name, mode="lexical").store_digest


def test_a_plain_table_has_sessions_and_no_mode_of_meaning_alone(own: Settings, tmp_path: Path) -> None:
    retrieve(own, tmp_path, "locomo", level="session", through="plain", out=str(tmp_path / "out.jsonl"))

    assert {tuple(sorted(one["ranked"])) for one in lines(tmp_path / "out.jsonl")} >= {("D1", "D2")}
    with pytest.raises(InvalidRequest, match="no vector mode"):
        retrieve(own, tmp_path, "locomo", mode="vector", through="plain")


def test_a_second_run_gives_the_same_rankings_without_embedding_again(
    own: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = retrieve(own, tmp_path, "beam", out=str(tmp_path / "first.jsonl"))
    asked: list[str] = []
    embed = Hashing.embed

    def watched(self: Hashing, texts: Sequence[str]) -> list[Vector]:
        asked.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(Hashing, "embed", watched)
    second = retrieve(own, tmp_path, "beam", out=str(tmp_path / "second.jsonl"))

    assert (tmp_path / "first.jsonl").read_bytes() == (tmp_path / "second.jsonl").read_bytes()
    assert (first.overall, first.store_digest) == (second.overall, second.store_digest)
    assert asked == ["ready?"]


def test_no_id_of_a_unit_can_be_searched_for(own: Settings, tmp_path: Path) -> None:
    chats = locomo()
    chats[0]["conversation"]["session_1"][0]["dia_id"] = "D1:777"
    chats[0]["qa"] = [{"question": "777", "evidence": ["D1:777"], "category": 4}]
    data = written(tmp_path, "locomo", chats)

    found = retrieve(own, tmp_path, "locomo", data=data, mode="lexical", out=str(tmp_path / "out.jsonl"))

    assert lines(tmp_path / "out.jsonl")[0]["ranked"] == []
    assert found.categories["single-hop"].metrics["R@20"] == 0.0


def test_a_question_without_a_word_finds_nothing_and_stops_nobody(own: Settings, tmp_path: Path) -> None:
    chats = locomo()
    chats[0]["qa"][0]["question"] = " "
    data = written(tmp_path, "locomo", chats)

    retrieve(own, tmp_path, "locomo", data=data, mode="lexical", out=str(tmp_path / "out.jsonl"))

    assert [one["ranked"] == [] for one in lines(tmp_path / "out.jsonl")][:2] == [True, False]


def test_the_digest_names_what_was_stored(own: Settings, tmp_path: Path) -> None:
    chats = locomo()
    chats[0]["qa"].pop()
    before = retrieve(own, tmp_path, "locomo", mode="lexical").store_digest
    fewer_questions = retrieve(own, tmp_path, "locomo", data=written(tmp_path, "locomo", chats), mode="lexical")
    chats[0]["conversation"]["session_1"][0]["text"] += "!"
    other_text = retrieve(own, tmp_path, "locomo", data=written(tmp_path, "locomo", chats), mode="lexical")

    assert fewer_questions.store_digest == before
    assert other_text.store_digest != before


def test_the_store_of_the_person_is_left_alone(own: Settings, tmp_path: Path, home: Path) -> None:
    retrieve(own, tmp_path, "cosqa", mode="lexical")

    assert not home.exists()


def test_meaning_without_an_embedder_is_an_error_and_no_low_figure(own: Settings, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as caught:
        retrieve(own, tmp_path, "cosqa", embedder="none")

    assert caught.value.code == "no_embedder"
    assert retrieve(own, tmp_path, "cosqa", embedder="none", mode="lexical").embedding_space is None


def test_a_file_that_is_not_there_is_a_wrong_request(own: Settings, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as caught:
        retrieve(own, tmp_path, "cosqa", data=str(tmp_path / "missing.json"))

    assert caught.value.code == "no_such_file"


def test_a_conversation_of_blanks_is_empty(own: Settings, tmp_path: Path) -> None:
    message = {"id": 0, "role": "user", "content": " \n"}
    asked = {"type": "x", "question": "what?", "source_chat_ids": [0]}
    chat = {"chat_id": "c", "messages": [message], "probing_questions": [asked]}
    with pytest.raises(InvalidRequest) as caught:
        retrieve(own, tmp_path, "beam", data=written(tmp_path, "beam", [chat]))

    assert caught.value.code == "empty_conversation"


def test_a_place_for_rankings_that_cannot_be_written_is_refused_before_the_work(own: Settings, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        retrieve(own, tmp_path, "cosqa", mode="lexical", out=str(tmp_path / "no" / "folder.jsonl"))
