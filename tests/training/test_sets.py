"""Training sets: what is authored, how sets are read, and how speakers are taken out."""

import json
from pathlib import Path

import pytest
from training.prepare import AUTHORED
from training.sets import Question, TextSet, read_sets, split, without_speakers, write_sets

CHAT = TextSet(
    "people",
    ("Ann: Ben, the boat leaves at 9.", "Ben: Thanks, Ann!", "Ann: Bring a coat.", "Ben: Ok.", "Ann: Bye", "Ben: Bye"),
    (Question("When does Ann's boat leave?", (0,)),),
)


def test_every_authored_set_can_be_read_and_asks_something() -> None:
    files = sorted(AUTHORED.glob("*.jsonl"))
    sets = [one for file in files for one in read_sets(file)]

    assert len(files) >= 7
    assert all(one.questions and all(question.answers for question in one.questions) for one in sets)
    assert len({one.units for one in sets}) == len(sets)


def test_sets_survive_writing_and_reading(tmp_path: Path) -> None:
    write_sets([CHAT], tmp_path / "sets.jsonl.gz")

    assert read_sets(tmp_path / "sets.jsonl.gz") == [CHAT]


def test_an_answer_outside_the_units_is_an_error(tmp_path: Path) -> None:
    row = {"kind": "notes", "units": ["one"], "qa": [{"q": "which?", "pos": [1]}]}
    (tmp_path / "bad.jsonl").write_text(json.dumps(row))

    with pytest.raises(ValueError, match=r"bad\.jsonl"):
        read_sets(tmp_path / "bad.jsonl")


def test_speakers_are_taken_out_of_units_and_questions() -> None:
    plain = without_speakers(CHAT)

    assert plain.units[:2] == ("the boat leaves at 9.", "Thanks, !")
    assert plain.questions[0].text == "When does boat leave?"


def test_a_role_is_no_name() -> None:
    chat = TextSet("assistant", ("user: hi", "assistant: hi", "user: the user guide", "assistant: ok"), ())

    assert without_speakers(chat).units == ("hi", "hi", "the user guide", "ok")


def test_a_split_holds_out_the_same_share_of_every_kind() -> None:
    sets = [TextSet(kind, (f"{kind} {number}",), ()) for kind in ("a", "b") for number in range(10)]

    train, held = split(sets, 0.2, seed=1)

    assert sorted(one.kind for one in held) == ["a", "a", "b", "b"]
    assert {*train, *held} == set(sets)
    assert (train, held) == split(sets, 0.2, seed=1)
