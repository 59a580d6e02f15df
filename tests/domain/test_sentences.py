"""Splitting text into sentences."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.sentences import sentences, unquoted_sentences
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)


@each_case(
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
