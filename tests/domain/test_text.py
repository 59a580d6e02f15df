"""Validation and normalization of texts."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.text import (
    MAX_FIELD_CHARS,
    MAX_TEXT_CHARS,
    check_optional_text,
    check_text,
    normalize_text,
    replace_undecodable,
)
from satchel.errors import InvalidRequest
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)

strings = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=20),
    st.text(st.sampled_from("a \t\n\r\x00\x0b\x1f\x7f\x85\u3000\u200b\ufeff\ud800"), max_size=12),
)


def code_for(text: str, limit: int = MAX_FIELD_CHARS) -> str:
    with pytest.raises(InvalidRequest) as caught:
        check_text(text, "the field", limit=limit)
    return caught.value.code


def visible(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cf", "Zs", "Zl", "Zp")


def allowed(char: str) -> bool:
    return char in "\t\n\r" or unicodedata.category(char) not in ("Cc", "Cs")


@steady
@given(strings, st.integers(min_value=0, max_value=12))
@example("abc", 3)
@example("abcd", 3)
@example(" \t\n", 9)
@example("\u200b", 9)
@example("\x00", 9)
@example("\ud800", 9)
@example("\ue000", 9)
@example("\u0378", 9)
def test_a_text_is_accepted_exactly_if_visible_within_the_limit_and_writable(text: str, limit: int) -> None:
    if not any(map(visible, text)):
        assert code_for(text, limit) == "empty_text"
    elif len(text) > limit:
        assert code_for(text, limit) == "text_too_long"
    elif not all(map(allowed, text)):
        assert code_for(text, limit) == "unwritable_character"
    else:
        assert check_text(text, "the field", limit=limit) == text


def test_every_control_character_but_tab_and_line_ends_is_unwritable() -> None:
    controls = [chr(number) for number in (*range(32), *range(127, 160))]
    accepted = {char for char in controls if char in "\t\n\r"}
    assert {check_text(f"a{char}b", "the field")[1] for char in accepted} == accepted
    assert {code_for(f"a{char}b") for char in controls if char not in accepted} == {"unwritable_character"}


@each_case("half", ["\ud800", "\udbff", "\udc00", "\udce9", "\udfff"])
def test_half_a_surrogate_pair_is_unwritable(half: str) -> None:
    assert code_for(f"caf{half}") == "unwritable_character"


@each_case("text", ["", " ", "\t\n\r", "\u3000\u00a0", "\x1c"])
def test_a_text_of_white_space_is_empty(text: str) -> None:
    assert code_for(text) == "empty_text"


@each_case("text", ["\u200b", "\u200b \u200d\n", "\ufeff", "\u00ad", "\u2060\u202e", "\u2028\u2029"])
def test_a_text_of_invisible_characters_is_empty(text: str) -> None:
    assert code_for(text) == "empty_text"
    assert check_text(f"{text}a", "the field") == f"{text}a"


@each_case("text", ["记忆", "😀", "👩‍👩‍👧", "a\u0301", " padded ", "\u200bx", "line\r\nline\tend", ".", "ⅷ"])
def test_text_of_any_script_is_returned_unchanged(text: str) -> None:
    assert check_text(text, "the field") == text


@each_case("char", ["\ue000", "\U000f0000", "\U0010fffd", "\u0378", "\ufdd0", "\U0010ffff"])
def test_a_private_use_or_unassigned_character_counts_as_visible(char: str) -> None:
    assert check_text(char, "the field") == char


def test_a_text_may_be_exactly_as_long_as_the_limit() -> None:
    assert check_text("x" * MAX_FIELD_CHARS, "the field") == "x" * MAX_FIELD_CHARS
    assert code_for("x" * (MAX_FIELD_CHARS + 1)) == "text_too_long"
    assert len(check_text("x" * MAX_TEXT_CHARS, "the text", limit=MAX_TEXT_CHARS)) == MAX_TEXT_CHARS
    assert code_for("x" * (MAX_TEXT_CHARS + 1), MAX_TEXT_CHARS) == "text_too_long"


def test_an_error_message_is_itself_writable_and_has_a_hint() -> None:
    for text in ("", "x" * 2_000, "a\ud800", "a\x00"):
        with pytest.raises(InvalidRequest) as caught:
            check_text(text, "the field")
        assert f"{caught.value.message} {caught.value.hint}".encode().isascii()
        assert caught.value.hint


@steady
@given(strings)
def test_undecodable_bytes_in_a_name_become_question_marks(text: str) -> None:
    expected = "".join("?" if "\ud800" <= char <= "\udfff" else char for char in text)
    assert replace_undecodable(text) == replace_undecodable(expected) == expected
    assert replace_undecodable(text).encode().decode() == expected


def test_a_decodable_name_is_unchanged() -> None:
    for name in ("", "a1b2", "记忆 😀", "\x00\x1b\u200b", "?"):
        assert replace_undecodable(name) == name
    assert replace_undecodable("caf\udce9 \ud83d") == "caf? ?"


def test_an_omitted_field_stays_none() -> None:
    assert check_optional_text(None, "the field") is None
    assert check_optional_text("here", "the field") == "here"
    with pytest.raises(InvalidRequest) as caught:
        check_optional_text("", "the field")
    assert caught.value.code == "empty_text"


class TestNormalizeText:
    @each_case("text", ["We ship", "we  SHIP\n", "\tＷｅ\u3000ship "])
    def test_case_width_and_white_space_make_no_difference(self, text: str) -> None:
        assert normalize_text(text) == "we ship"

    def test_different_words_make_a_difference(self) -> None:
        assert normalize_text("we ship") != normalize_text("we  shop")
        assert normalize_text("Straße") == normalize_text("STRASSE")


@each_case(
    "text, message",
    [
        ("caf\udce9", "the field contains the byte 0xE9 at position 3, which is not UTF-8"),
        ("a\x1b", "the field contains U+001B at position 1, which cannot be stored"),
    ],
)
def test_what_cannot_be_stored_is_named(text: str, message: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        check_text(text, "the field")
    assert caught.value.message == message
