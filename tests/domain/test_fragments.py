"""Finding fragments of a text in other texts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.fragments import MANY_SEARCHES, FragmentSearch, QuotedTexts, masked_fragments, text_fragments
from tests.canary import MASKED, TOKEN


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=st.text(max_size=200), before=st.text(max_size=20), after=st.text(max_size=20))
def test_every_text_that_holds_a_fragment_is_found(text: str, before: str, after: str) -> None:
    trace = FragmentSearch(text)

    for piece in text_fragments(text):
        assert trace.among([(1, f"{before}{piece}{after}"), (2, "")]) == [1]


def test_a_similar_text_is_not_found() -> None:
    trace = FragmentSearch("The lighthouse keeper is called Ingrid Solberg, says the harbour")

    assert trace.among([(1, "a lighthouse keeper"), (2, "Ingrid"), (3, "the harbour")]) == []
    assert FragmentSearch("short").among([(1, "short")]) == []


def test_the_masked_form_of_a_text_is_found() -> None:
    trace = FragmentSearch(f"password of the harbour: {TOKEN} until Friday")

    assert trace.among([(1, f"use: password of the harbour: {MASKED} until Friday"), (2, f"another {MASKED}")]) == [1]


def test_a_mask_alone_is_no_fragment() -> None:
    assert masked_fragments(TOKEN) == masked_fragments(f"key {TOKEN}\n{TOKEN}") == []
    assert masked_fragments("no secret in this text at all") == []
    assert FragmentSearch(TOKEN).among([(1, MASKED), (2, TOKEN)]) == [2]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=st.text("abc \n", max_size=90), others=st.lists(st.text("abc \n", max_size=60), max_size=3))
def test_texts_hold_a_fragment_if_it_is_found_among_them(text: str, others: list[str]) -> None:
    trace = FragmentSearch(text)

    for texts in (others, [*others, f"so: {text}"]):
        for searches in (1, MANY_SEARCHES):
            found = QuotedTexts(texts, searches=searches).hold(trace)
            assert found == bool(trace.among(list(enumerate(texts))))
