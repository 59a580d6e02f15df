"""Sentences, and near duplicates among them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.sentences import sentences, unquoted_sentences
from satchel.turns.near_duplicates import alike

steady = settings(max_examples=200, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("line", "cut"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use v1.2 of Node.js, e.g. in CI. Done", ["Use v1.2 of Node.js, e.g. in CI.", "Done"]),
        ("1. First item. 2. second", ["1. First item.", "2. second"]),
        ("第一句。第二句！第三句", ["第一句。", "第二句！", "第三句"]),
        ("「好。」他說。", ["「好。」", "他說。"]),
        ("well... yes", ["well...", "yes"]),
        ("", []),
        ("  ", []),
    ],
)
def test_a_line_is_cut_where_a_statement_ends(line: str, cut: list[str]) -> None:
    assert list(sentences(line)) == cut


def test_what_stands_inside_a_longer_quotation_is_left_out() -> None:
    assert list(unquoted_sentences('He said: "One. Two. Three." Four.')) == ['He said: "One.', "Four."]
    assert list(unquoted_sentences("“One. Two.” Three.")) == ["Three."]
    assert list(unquoted_sentences('A "b" c. D.')) == ['A "b" c.', "D."]


@steady
@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_no_word_is_lost(line: str) -> None:
    assert "".join("".join(sentences(line)).split()) == "".join(line.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer tabs.", "i  prefer TABS."),
        ("I prefer bullet points to paragraphs", "As I said, I prefer bullet points to paragraphs every day"),
        ("我喜歡簡短的回答", "我喜歡簡短的回答"),
        (
            "we use ruff mypy pytest hypothesis xdist and uv in every project",
            "we use ruff mypy pytest hypothesis xdist uv in every project",
        ),
    ],
)
def test_the_same_said_twice_is_alike(one: str, other: str) -> None:
    assert alike(one, other, 0.9)
    assert alike(other, one, 0.9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer tabs.", "I prefer spaces."),
        (
            "we use ruff mypy pytest hypothesis xdist and uv in every project",
            "we do not use ruff mypy pytest hypothesis xdist and uv in every project",
        ),
        (
            "keep the lines of the code of this project under 100 characters",
            "keep the lines of the code of this project under 120 characters",
        ),
        ("", "I prefer tabs."),
    ],
)
def test_news_is_not_alike(one: str, other: str) -> None:
    assert not alike(one, other, 0.7)
