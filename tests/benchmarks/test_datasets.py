"""The public formats: what becomes a unit, a question and its gold, and what is refused."""

import gzip
import json
from typing import Any

import pytest
from bench.datasets import READERS, read_dataset
from bench.datasets.dataset import Dataset, Lane, Level

from satchel.domain.moment import iso
from satchel.errors import InvalidRequest
from tests.benchmarks.samples import FILES, beam, chats, cosqa, locomo, longmemeval
from tests.tables import each_case


def read(name: str, value: Any, level: Level = Level.TURN) -> Dataset:
    return read_dataset(name, json.dumps(value).encode(), level)


def refused(name: str, value: Any, level: Level = Level.TURN) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        read(name, value, level)
    return caught.value


def test_every_format_has_a_file_here() -> None:
    assert set(FILES) == set(READERS)


def test_a_locomo_turn_is_a_unit_with_its_speaker_picture_and_date() -> None:
    first, second = read("locomo", locomo()).corpora

    assert [one.id for one in first.units] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert first.units[1].text == "Look! [image: a red canoe]"
    assert (first.units[1].speaker, first.units[1].session) == ("Ben", "D1")
    assert first.units[1].at is not None and iso(first.units[1].at) == "2023-05-08T13:56:00.000Z"
    assert [one.id for one in second.units] == ["D1:1"]


def test_locomo_gold_is_the_evidence_that_exists() -> None:
    first, second = read("locomo", locomo()).corpora

    assert [(one.id, one.category, one.gold) for one in first.questions] == [
        ("conv-1-0", "single-hop", ("D1:1",)),
        ("conv-1-1", "multi-hop", ("D1:1", "D2:1")),
        ("conv-1-2", "adversarial", ("D1:2",)),
        ("conv-1-3", "open-domain", ()),
    ]
    assert second.questions[0].id == "conv-2-0"


def test_locomo_sessions_are_named_by_their_number() -> None:
    first, _ = read("locomo", locomo(), Level.SESSION).corpora

    assert [one.gold for one in first.questions] == [("D1",), ("D1", "D2"), ("D1",), ()]


def test_the_question_is_asked_when_the_conversation_ends() -> None:
    first, _ = read("locomo", locomo()).corpora

    assert {iso(one.at)[:10] for one in first.questions if one.at is not None} == {"2023-06-09"}


def test_longmemeval_is_one_pool_in_which_every_session_stands_once() -> None:
    (pool,) = read("longmemeval", longmemeval()).corpora

    assert [one.id for one in pool.units] == ["answer_b#0", "answer_b#1", "s_train#0", "s_train#1"]
    assert [one.role for one in pool.units] == ["user", "assistant", "user", "assistant"]
    assert [one.gold for one in pool.questions] == [("answer_b#0",), ("s_train#1", "answer_b#0"), ()]
    assert pool.questions[0].at is not None and iso(pool.questions[0].at).startswith("2023-06-28T20:07")


def test_longmemeval_sessions_are_those_named_as_answers() -> None:
    (pool,) = read("longmemeval", longmemeval(), Level.SESSION).corpora

    assert [one.gold for one in pool.questions] == [("answer_b",), ("s_train",), ()]


def test_no_label_becomes_text() -> None:
    (pool,) = read("longmemeval", longmemeval()).corpora
    said = " ".join(f"{one.text} {one.speaker} {one.role}" for one in pool.units)

    assert "answer" not in said and "true" not in said.lower()


def test_a_beam_message_has_the_date_of_its_period() -> None:
    (chat,) = read("beam", beam()).corpora

    assert [(one.id, one.session, iso(one.at or 0)[:10]) for one in chat.units] == [
        ("0", "1", "2024-03-15"),
        ("1", "1", "2024-03-15"),
        ("2", "2", "2024-04-02"),
    ]
    assert [(one.id, one.gold) for one in chat.questions] == [
        ("100K-1-0", ()),
        ("100K-1-1", ("2",)),
        ("100K-1-2", ("0", "1")),
    ]


def test_a_cosqa_function_is_a_document_named_by_its_place() -> None:
    found = read("cosqa", cosqa())

    assert found.lane is Lane.DOCUMENTS
    assert [one.id for one in found.corpora[0].units] == ["0", "1", "2"]
    assert [(one.id, one.gold) for one in found.corpora[0].questions] == [("q-7", ("1",)), ("q-9", ("2",))]


def test_a_chat_has_speakers_sessions_and_a_category_by_kind_and_number_of_answers() -> None:
    (chat,) = read("chats", chats()).corpora

    assert [(one.speaker, one.session) for one in chat.units] == [("Ann", "S1"), ("Ben", "S1"), ("Ann", "S2")]
    assert [(one.category, one.gold) for one in chat.questions] == [
        ("people, several turns", ("0", "2")),
        ("people, one turn", ("1",)),
    ]
    assert read("chats", chats(), Level.SESSION).corpora[0].questions[0].gold == ("S1", "S2")


@each_case(
    "change", [{"units": ["no speaker"]}, {"qa": [{"q": "Who?", "pos": [3]}]}, {"qa": [{"q": "Who?", "pos": [-1]}]}]
)
def test_a_chat_names_who_speaks_and_only_turns_that_exist(change: dict[str, Any]) -> None:
    assert refused("chats", [{**chats()[0], **change}]).code == "bad_format"


@each_case("name", FILES)
def test_a_gzip_file_is_the_same_set(name: str) -> None:
    data = json.dumps(FILES[name]()).encode()

    assert read_dataset(name, gzip.compress(data), Level.TURN) == read_dataset(name, data, Level.TURN)


@each_case("name", FILES)
@each_case("data", [b"", b"nonsense", b'{"a": 1}', b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_what_is_of_no_format_is_refused(name: str, data: bytes) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_dataset(name, data, Level.TURN)

    assert caught.value.code == "bad_format"


@each_case("name", FILES)
def test_a_file_of_another_format_is_refused(name: str) -> None:
    for other in set(FILES) - {name}:
        assert refused(name, FILES[other]()).code == "bad_format"


@each_case("name", ["locomo", "longmemeval", "beam", "chats"])
def test_a_file_without_a_conversation_is_refused(name: str) -> None:
    assert refused(name, []).code in {"empty_conversation"}


def test_an_empty_conversation_is_refused() -> None:
    several = locomo()
    several[1]["conversation"]["session_1"] = []
    assert refused("locomo", several).code == "empty_conversation"

    chat = beam()
    chat[0]["messages"] = []
    assert refused("beam", chat).code == "empty_conversation"

    assert refused("cosqa", {"queries": [], "corpus": []}).code == "empty_conversation"


def test_missing_gold_is_named_with_its_place() -> None:
    several = locomo()
    del several[0]["qa"][1]["evidence"]
    error = refused("locomo", several)
    assert error.code == "bad_format" and "evidence" in error.message and "qa[1]" in error.message

    code = cosqa()
    code["queries"][0]["gold"] = 3
    assert "q-7" in refused("cosqa", code).message


def test_a_file_in_which_nothing_is_answered_is_refused() -> None:
    asked = longmemeval()
    for one in asked:
        for session in one["haystack_sessions"]:
            for turn in session:
                turn.pop("has_answer", None)

    assert refused("longmemeval", asked).code == "missing_gold"
    assert read("longmemeval", asked, Level.SESSION).corpora


def test_two_turns_of_one_id_are_refused() -> None:
    several = locomo()
    several[0]["conversation"]["session_1"][1]["dia_id"] = "D1:1"

    assert refused("locomo", several).code == "repeated_id"


@each_case("name", ["beam", "cosqa"])
def test_a_set_without_sessions_has_no_such_level(name: str) -> None:
    assert refused(name, FILES[name](), Level.SESSION).code == "no_sessions"


def test_a_gzip_file_that_is_cut_off_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="truncated"):
        read_dataset("cosqa", gzip.compress(json.dumps(cosqa()).encode())[:-20], Level.TURN)
