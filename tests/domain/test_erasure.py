"""Finding fragments of a text in other texts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.erasure import FragmentSearch, text_fragments


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
