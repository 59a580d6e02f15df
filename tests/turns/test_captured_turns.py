"""Capture on written conversations: what must be kept is, what must not be is not.

The rules were made with the development half in view; the held half was written before them, on other themes.
"""

from pathlib import Path

import pytest
from bench.capture import captured, score, turns

FILES = sorted((Path(__file__).parents[1] / "data" / "turns").glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_enough_is_kept_and_little_else(path: Path) -> None:
    done = score(list(turns(path)))
    assert done.precision >= 0.95, done.wrong
    assert done.recall >= 0.85, done.missed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_secret_and_nothing_injected_is_kept(path: Path) -> None:
    assert score(list(turns(path))).leaked == []


def test_the_conversations_are_many_and_of_both_kinds() -> None:
    several = [turn for path in FILES for turn in turns(path)]
    assert len(several) >= 240
    assert len({turn["id"] for turn in several}) == len(several)
    for language in ("en", "zh"):
        own = [turn for turn in several if turn["language"] == language]
        assert sum(bool(turn["expected"]) for turn in own) >= 40
        assert sum(not turn["expected"] for turn in own) >= 40
    assert sum(bool(turn["secrets"]) for turn in several) >= 8
    assert sum(bool(turn["injected"]) for turn in several) >= 10


def test_what_is_expected_stands_in_the_conversation() -> None:
    for turn in (turn for path in FILES for turn in turns(path)):
        said = "\n".join(message["text"] for message in turn["messages"])
        for text in (*(wanted["text"] for wanted in turn["expected"]), *turn["secrets"], *turn["injected"]):
            assert text in said, turn["id"]


def test_the_same_turn_leaves_the_same() -> None:
    for turn in turns(FILES[0]):
        assert captured(turn) == captured(turn)
