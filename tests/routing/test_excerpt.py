"""A result shows the part of a long text that has the question's words."""

from hypothesis import given
from hypothesis import strategies as st

from satchel.routing.excerpt import GAP, excerpt

FILLER = "The boat leaves at noon and comes back late. " * 20
ANSWER = "If half of a batch is not acknowledged, the calls\nbegin."


def test_a_short_text_is_shown_whole() -> None:
    assert excerpt(ANSWER, "calls") == ANSWER


def test_a_long_text_is_shown_from_the_sentence_with_the_words() -> None:
    shown = excerpt(FILLER + ANSWER + " " + FILLER, "when do calls begin")

    assert shown.startswith(GAP) and ANSWER in shown[:500]


def test_a_sentence_that_is_cut_off_does_not_count() -> None:
    text = (
        FILLER[:405]
        + " Messages go out in batches, and if nobody acknowledges them, "
        + "and so on, " * 12
        + "calls begin."
    )

    assert "calls begin." in excerpt(text, "calls begin")[:500]


def test_a_long_text_without_the_words_is_shown_from_its_beginning() -> None:
    assert excerpt(FILLER, "siren") == FILLER
    assert excerpt(FILLER, "boat") == FILLER


def test_chinese_sentences_count_as_sentences() -> None:
    text = "船中午出發，晚上回來。" * 60 + "警報響三分鐘。" + "船中午出發，晚上回來。" * 60

    assert "警報響三分鐘。" in excerpt(text, "警報響多久")[:500]


@given(st.text(max_size=2_000), st.text(max_size=40))
def test_an_excerpt_is_a_part_of_the_text(text: str, question: str) -> None:
    shown = excerpt(text, question, 100)

    assert text.endswith(shown.removeprefix(GAP)) or shown == text
