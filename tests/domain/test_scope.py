"""Scopes, and which of them a request may see."""

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.scope import DEFAULT_SCOPE, EVERYWHERE, MAX_SCOPE_CHARS, Reach, reach, scope_name
from satchel.errors import InvalidRequest

steady = settings(max_examples=150, deadline=None, derandomize=True)

FIRST = string.ascii_lowercase + string.digits
REST = FIRST + "._:/-"
names = st.builds(str.__add__, st.sampled_from(FIRST), st.text(st.sampled_from(REST), max_size=MAX_SCOPE_CHARS - 1))
strings = st.one_of(
    names, st.text(st.characters(exclude_categories=()), max_size=70), st.text(st.sampled_from(REST + "A *\n"))
)


def is_a_name(text: str) -> bool:
    return 0 < len(text) <= MAX_SCOPE_CHARS and text[0] in FIRST and set(text) <= set(REST)


@steady
@given(strings)
@example("a" * 64)
@example("a" * 65)
@example("a\n")
@example("-a")
@example("é")
@example("٣")
@example("*")
def test_a_scope_is_accepted_exactly_in_its_form(text: str) -> None:
    if is_a_name(text):
        assert scope_name(text) == text
    else:
        with pytest.raises(InvalidRequest) as caught:
            scope_name(text)
        assert caught.value.code == "invalid_scope"


def test_the_default_scope_is_a_valid_one() -> None:
    assert scope_name(DEFAULT_SCOPE) == DEFAULT_SCOPE


@steady
@given(st.none() | strings, names, names)
@example(None, "global", "project:x")
@example("*", "global", "project:x")
@example("", "global", "project:x")
@example("all", "global", "project:x")
def test_a_request_never_sees_all_scopes_by_accident(scope: str | None, default: str, other: str) -> None:
    try:
        seen = reach(scope, default=default)
    except InvalidRequest as error:
        assert error.code == "invalid_scope"
        assert scope is not None
        assert not is_a_name(scope)
        return
    wanted = default if scope is None else scope
    assert seen == Reach((wanted,))
    assert seen.admits(wanted)
    assert seen.admits(other) == (other == wanted)


@steady
@given(strings.filter(lambda text: not is_a_name(text)))
def test_a_default_that_is_no_scope_is_refused_rather_than_widened(default: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        reach(None, default=default)
    assert caught.value.code == "invalid_scope"


def test_all_scopes_are_seen_when_said_so() -> None:
    assert reach(None, default="global", everywhere=True) == EVERYWHERE
    assert EVERYWHERE.admits("whatever")


@pytest.mark.parametrize("scope", ["", "global", "*"])
def test_a_scope_and_all_scopes_at_once_are_refused(scope: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        reach(scope, default="global", everywhere=True)
    assert caught.value.code == "invalid_request"


@pytest.mark.parametrize(("scopes", "everywhere"), [((), False), (("global",), True)])
def test_there_is_no_empty_reach_and_no_named_everywhere(scopes: tuple[str, ...], everywhere: bool) -> None:
    with pytest.raises(ValueError):
        Reach(scopes, everywhere)


def test_a_reach_of_several_scopes_admits_each_and_no_part_of_a_name() -> None:
    several = Reach(("team", "team:a"))
    assert [several.admits(scope) for scope in ("team", "team:a", "team:", "tea", "team:ab")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_reach_is_written_for_receipts_and_for_people() -> None:
    assert (EVERYWHERE.name, str(EVERYWHERE)) == ("*", "every scope")
    assert (Reach(("a", "b")).name, str(Reach(("a", "b")))) == ("a b", "'a', 'b'")
