"""Words and terms of statements, and which of them two have in common."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.statements.comparable import analyse, has_word, shared_terms
from satchel.domain.statements.word_forms import MIN_NAME_PREFIX, same_word

steady = settings(max_examples=200, deadline=None, derandomize=True)

_NAMES = st.lists(
    st.sampled_from(
        ["Postgres", "PostgreSQL", "postgres15", "deploys", "deployed", "deployment", "café", "cafés", "部署", "tab"]
    ),
    max_size=6,
).map(" ".join)


@steady
@given(_NAMES, _NAMES)
def test_a_word_is_looked_up_as_if_it_were_compared_with_each(one: str, other: str) -> None:
    first, second = analyse(one), analyse(other)
    for word in first.tokens:
        assert has_word(second, word) == any(same_word(word, token) for token in second.tokens)
    longer = {
        term for term in first.terms - second.terms if any(_begins(term, name) for name in second.terms - first.terms)
    }
    assert shared_terms(first, second) == (first.terms & second.terms) | longer


def _begins(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= MIN_NAME_PREFIX and longer.startswith(shorter) and longer.isascii() and longer.isalpha()


@steady
@given(
    st.lists(st.sampled_from(["vite", "1.20", "v3:", "don't", "c++", "a_b", "use=tabs", "feature/x", "#42", "12:30"]))
)
def test_ascii_text_is_read_like_any_other(words: list[str]) -> None:
    text = " ".join(words)
    ascii_only, mixed = analyse(text), analyse(f"{text} ü")

    assert mixed.tokens == (*ascii_only.tokens, "ü")
    assert mixed.terms == ascii_only.terms | {"ü"}
