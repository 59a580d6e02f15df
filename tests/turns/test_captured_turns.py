"""Capture on written conversations: precision and recall.

The rules were made with the development half in view; the held half was written before them, on other themes.
"""

from pathlib import Path

from bench.capture import captured, score, turns

from tests.tables import each_case

FILES = sorted((Path(__file__).parents[1] / "data" / "turns").glob("*.jsonl"))


@each_case("path", FILES, ids=lambda path: path.stem)
def test_capture_reaches_its_recall_and_precision(path: Path) -> None:
    done = score(list(turns(path)))
    assert done.precision >= 0.95, done.wrong
    assert done.recall >= 0.85, done.missed


@each_case("path", FILES, ids=lambda path: path.stem)
def test_no_secret_and_no_injected_text_is_captured(path: Path) -> None:
    assert score(list(turns(path))).leaked == []


def test_the_set_has_enough_conversations_of_both_kinds() -> None:
    several = [turn for path in FILES for turn in turns(path)]
    assert len(several) >= 240
    assert len({turn["id"] for turn in several}) == len(several)
    for language in ("en", "zh"):
        own = [turn for turn in several if turn["language"] == language]
        assert sum(bool(turn["expected"]) for turn in own) >= 40
        assert sum(not turn["expected"] for turn in own) >= 40
    assert sum(bool(turn["secrets"]) for turn in several) >= 8
    assert sum(bool(turn["injected"]) for turn in several) >= 10


def test_expected_sentences_occur_in_their_conversation() -> None:
    for turn in (turn for path in FILES for turn in turns(path)):
        said = "\n".join(message["text"] for message in turn["messages"])
        for text in (*(wanted["text"] for wanted in turn["expected"]), *turn["secrets"], *turn["injected"]):
            assert text in said, turn["id"]


def test_capture_is_deterministic() -> None:
    for turn in turns(FILES[0]):
        assert captured(turn) == captured(turn)
