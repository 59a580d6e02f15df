"""When two texts say the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.likeness import gist, same_words

steady = settings(max_examples=150, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We ship on Thursdays.", "we  ship on THURSDAYS"),
        ("We ship on Thursdays", "Please, we just ship on the Thursday!"),
        ("We don't deploy on Fridays", "We do not deploy on Fridays."),
        ("“Use Postgres” (always)", "use postgres, always"),
        ("我們決定用 Postgres。", "我們的決定：用Postgres"),
        ("请使用深色主题", "使用深色主题"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
    ],
)
def test_other_capitals_pauses_fillers_and_plurals_are_no_news(one: str, other: str) -> None:
    assert gist(one) == gist(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We ship on Thursdays", "We ship on Fridays"),
        ("We deploy on Fridays", "We do not deploy on Fridays"),
        ("Port 5432 is open", "Port 5433 is open"),
        ("The limit is 1.5", "The limit is 15"),
        ("The offset is -5", "The offset is 5"),
        ("We write C", "We write C++"),
        ("retry while n >= 3", "retry while n <= 3"),
        ("fail if a != b", "fail if a = b"),
        ("Use foo_bar", "Use foo-bar"),
        ("Jane owns the deploys", "Janet owns the deploys"),
        ("Alice reports to Bob", "Bob reports to Alice"),
        ("We ship on Thursdays?", "We ship on Thursdays"),
        ("我们用 Postgres", "我们不用 Postgres"),
        ("see src/a.py", "see src/b.py"),
    ],
)
def test_a_changed_number_name_sign_or_not_is_news(one: str, other: str) -> None:
    assert gist(one) != gist(other)


@steady
@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_every_text_has_a_gist_and_says_the_same_as_itself(text: str) -> None:
    assert bool(gist(text)) == bool(text.split())
    assert same_words(text, text)


@steady
@given(st.text(max_size=40), st.text(max_size=40))
def test_the_same_words_have_the_same_gist(one: str, other: str) -> None:
    if same_words(one, other):
        assert gist(one) == gist(other)
