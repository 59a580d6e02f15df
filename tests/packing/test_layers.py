"""Layers: shortened texts are relevant, fit, and mark omissions."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.tokens import estimate_tokens
from satchel.packing.layers import ELLIPSIS, abstract, clip, overview
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)
LONG = "We met in spring. The harbour was cold. Ann bought the red boat for 900 euros! Then we ate. Nobody sang."


def test_a_short_text_is_unchanged() -> None:
    assert overview("one  two\nthree", frozenset(), 50, estimate_tokens) == "one two three"


def test_relevant_sentences_of_a_long_text_are_kept_in_order() -> None:
    told = overview(LONG, frozenset({"boat", "harbour"}), 26, estimate_tokens)

    assert "red boat" in told and "harbour" in told and told.index("harbour") < told.index("red boat")
    assert "Nobody sang" not in told and ELLIPSIS in told


def test_a_text_without_sentences_starts_near_the_first_term() -> None:
    text = "word " * 3_000 + "needle in the stack " + "word " * 3_000

    assert "needle" in overview(text, frozenset({"needle"}), 40, estimate_tokens)


def test_chinese_sentences_need_no_spaces() -> None:
    text = "我们在春天见面。港口很冷。安娜买了那条红色的船！然后我们吃饭。" * 3

    assert "红色" in overview(text, frozenset({"红色"}), 30, estimate_tokens)


@steady
@given(st.text(max_size=300), st.integers(1, 40), st.frozensets(st.text(max_size=4), max_size=3))
def test_output_never_exceeds_the_maximum(text: str, max_tokens: int, terms: frozenset[str]) -> None:
    for told in (
        overview(text, terms, max_tokens, estimate_tokens),
        abstract(text, max_tokens, estimate_tokens),
        clip(text, max_tokens, estimate_tokens),
    ):
        assert not told or estimate_tokens(told) <= max_tokens


@each_case("max_tokens", [0, 1])
def test_if_nothing_fits_the_output_is_empty(max_tokens: int) -> None:
    assert clip("Donaudampfschifffahrtsgesellschaft" * 9, max_tokens, lambda text: len(text)) in ("", ELLIPSIS)
