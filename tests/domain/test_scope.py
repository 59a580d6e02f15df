"""Scopes, and which of them a request may see."""

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.policies import ScopePolicy
from satchel.domain.scope import EVERYWHERE, Placement, Reach, ScopeMode, check_scope, resolve_reach, resolve_scope
from satchel.errors import InvalidRequest
from tests.tables import each_case

MAX_SCOPE_CHARS = 64
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
def test_only_valid_scope_names_are_accepted(text: str) -> None:
    if is_a_name(text):
        assert check_scope(text) == text
    else:
        with pytest.raises(InvalidRequest) as caught:
            check_scope(text)
        assert caught.value.code == "invalid_scope"


def test_the_default_scope_is_a_valid_one() -> None:
    default = ScopePolicy().default_scope
    assert check_scope(default) == default


@steady
@given(st.none() | strings, names, names)
@example(None, "global", "project:x")
@example("*", "global", "project:x")
@example("", "global", "project:x")
@example("all", "global", "project:x")
def test_a_request_never_sees_all_scopes_by_accident(scope: str | None, default: str, other: str) -> None:
    try:
        seen = resolve_reach(scope, ScopePolicy(default_scope=default))
    except InvalidRequest as error:
        assert error.code == "invalid_scope"
        assert scope is not None
        assert not is_a_name(scope)
        return
    wanted = default if scope is None else scope
    assert seen == Reach((wanted,))
    assert seen.admits(wanted)
    assert seen.admits(other) == (other == wanted)


def test_all_scopes_are_seen_if_requested() -> None:
    assert resolve_reach(None, everywhere=True) == EVERYWHERE
    assert EVERYWHERE.admits("whatever")


@each_case("scope", ["", "global", "*"])
def test_a_scope_and_all_scopes_at_once_are_refused(scope: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        resolve_reach(scope, everywhere=True)
    assert caught.value.code == "invalid_request"


@each_case(("scopes", "everywhere"), [((), False), (("global",), True)])
def test_a_reach_is_either_named_or_everywhere(scopes: tuple[str, ...], everywhere: bool) -> None:
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


class TestPlacement:
    def test_a_named_scope_wins_over_a_tag_and_a_tag_over_the_default(self) -> None:
        text = "[SCOPE: tagged] we ship on Thursdays"
        assert resolve_scope("named", text) == Placement("named", ScopeMode.EXPLICIT)
        assert resolve_scope(None, text) == Placement("tagged", ScopeMode.INFERRED)
        assert resolve_scope(None, "we ship") == Placement("global", ScopeMode.GLOBAL)

    def test_tags_are_ignored_while_the_policy_is_off(self) -> None:
        off = ScopePolicy(enabled=False, default_scope="home")
        assert resolve_scope(None, "[SCOPE: tagged] x", off) == Placement("home", ScopeMode.GLOBAL)

    @each_case("name", ["Not A Scope", "", "é", "-a", "x" * 65, "\ud800", "a\nb"])
    def test_an_invalid_scope_is_replaced_by_the_default_and_marked(self, name: str) -> None:
        assert resolve_scope(name, "") == Placement("global", ScopeMode.EXPLICIT, invalid=True)

    @each_case(
        ("given", "name"),
        [
            ("Not A Scope", "not-a-scope"),
            ("  Émile's / Notes!! ", "mile-s-/-notes"),
            ("repo/API", "repo/api"),
            ("a" * 70, "a" * 64),
            ("already-fine", "already-fine"),
        ],
    )
    def test_an_invalid_scope_can_be_normalized(self, given: str, name: str) -> None:
        policy = ScopePolicy(validation_mode="normalize")
        assert resolve_scope(given, "", policy) == Placement(name, ScopeMode.EXPLICIT, normalized=given != name)
        assert check_scope(given, policy) == name

    def test_a_scope_without_valid_characters_cannot_be_normalized(self) -> None:
        assert resolve_scope("！！", "", ScopePolicy(validation_mode="normalize")).invalid

    def test_without_validation_a_printable_scope_within_the_length_is_kept(self) -> None:
        policy = ScopePolicy(validation_mode="none", max_scope_length=20)
        assert resolve_scope("Émile's Notes", "", policy) == Placement("Émile's Notes", ScopeMode.EXPLICIT)
        assert [resolve_scope(bad, "", policy).invalid for bad in ("", "  ", "*", "a\nb", "x" * 21, "\ud800")] == [
            True
        ] * 6


@steady
@given(st.text(st.characters(exclude_categories=()), max_size=90), st.sampled_from(["strict", "normalize"]))
def test_the_resolved_scope_is_always_valid(given: str, mode: str) -> None:
    assert is_a_name(resolve_scope(given, "", ScopePolicy(validation_mode=mode)).scope)
