"""Wishes that are meant to last."""

import pytest

from satchel.domain.wishes import MAX_READ_CHARS, is_lasting_wish


@pytest.mark.parametrize(
    "text",
    [
        "Always answer in French.",
        "One more thing: never push to main.",
        "Please always run the tests first.",
        "Use British spelling when I ask for a letter.",
        "I really prefer tabs.",
        "I'd rather walk.",
        "从现在起用中文回答",
        "我更喜欢喝茶",
    ],
)
def test_a_lasting_wish_is_known(text: str) -> None:
    assert is_lasting_wish(text)


@pytest.mark.parametrize(
    "text",
    ["It is always raining here.", "We never met.", "The tests pass.", "What time is it?", "", "x" * MAX_READ_CHARS],
)
def test_what_is_said_of_the_world_is_none(text: str) -> None:
    assert not is_lasting_wish(text)


def test_the_rest_of_a_long_paste_is_not_read() -> None:
    assert not is_lasting_wish("x" * MAX_READ_CHARS + "\nAlways answer in French.")
