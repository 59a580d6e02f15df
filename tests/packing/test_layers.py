"""Layers: what is told of a long text bears on the question, fits, and shows where something was left out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.tokens import tokens
from satchel.packing.layers import ELLIPSIS, abstract, clipped, overview

steady = settings(max_examples=200, deadline=None, derandomize=True)
LONG = "We met in spring. The harbour was cold. Ann bought the red boat for 900 euros! Then we ate. Nobody sang."


def test_a_short_text_is_told_as_it_is() -> None:
    assert overview("one  two\nthree", frozenset(), 50, tokens) == "one two three"


def test_of_a_long_text_the_sentences_that_bear_on_the_question_are_kept_in_their_order() -> None:
    told = overview(LONG, frozenset({"boat", "harbour"}), 26, tokens)

    assert "red boat" in told and "harbour" in told and told.index("harbour") < told.index("red boat")
    assert "Nobody sang" not in told and ELLIPSIS in told


def test_a_text_without_sentences_is_told_from_where_it_matters() -> None:
    text = "word " * 3_000 + "needle in the stack " + "word " * 3_000

    assert "needle" in overview(text, frozenset({"needle"}), 40, tokens)


def test_chinese_sentences_need_no_spaces() -> None:
    text = "我们在春天见面。港口很冷。安娜买了那条红色的船！然后我们吃饭。" * 3

    assert "红色" in overview(text, frozenset({"红色"}), 30, tokens)


@steady
@given(st.text(max_size=300), st.integers(1, 40), st.frozensets(st.text(max_size=4), max_size=3))
def test_nothing_told_is_longer_than_it_may_be(text: str, most: int, terms: frozenset[str]) -> None:
    for told in (overview(text, terms, most, tokens), abstract(text, most, tokens), clipped(text, most, tokens)):
        assert not told or tokens(told) <= most


@pytest.mark.parametrize("most", [0, 1])
def test_where_nothing_fits_nothing_is_told(most: int) -> None:
    assert clipped("Donaudampfschifffahrtsgesellschaft" * 9, most, lambda text: len(text)) in ("", ELLIPSIS)
