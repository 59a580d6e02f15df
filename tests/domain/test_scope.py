"""Scopes, and which of them a request may see."""

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.policies import ScopePolicy
from satchel.domain.scope import (
    EVERYWHERE,
    MAX_COMPARED,
    MAX_NORMALIZED,
    Placement,
    Reach,
    ScopeMode,
    check_scope,
    fallback_scopes,
    in_project,
    not_within,
    parse_scope,
    resolve_reach,
    resolve_scope,
    similar_scopes,
)
from satchel.domain.scope_name import strict_name
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


class TestProject:
    shop = ScopePolicy(project="project/shop")

    @each_case("name", ["auto", None])
    def test_auto_names_the_project_or_else_the_default_scope(self, name: str | None) -> None:
        follows = ScopePolicy(project="project/shop", follows_project=True, default_scope="project/shop")
        assert resolve_scope(name, "", follows) == Placement("project/shop", ScopeMode.PROJECT)
        nowhere = ScopePolicy(follows_project=True, default_scope="home")
        assert resolve_scope(name, "", nowhere) == Placement("global", ScopeMode.GLOBAL)

    def test_a_policy_that_does_not_follow_the_project_uses_its_default(self) -> None:
        assert resolve_scope(None, "", self.shop) == Placement("global", ScopeMode.GLOBAL)
        assert resolve_scope("auto", "", self.shop) == Placement("project/shop", ScopeMode.PROJECT)
        assert resolve_scope("named", "", self.shop) == Placement("named", ScopeMode.EXPLICIT)

    def test_auto_as_a_name_is_the_project(self) -> None:
        assert (parse_scope("auto", self.shop), parse_scope("auto")) == ("project/shop", "global")

    @each_case(
        ("policy", "project", "expected"),
        [
            (ScopePolicy(), "project/a", ("project/a", False, "global")),
            (ScopePolicy(default_scope="team"), None, ("", False, "team")),
            (ScopePolicy(default_scope="auto"), "project/a", ("project/a", True, "project/a")),
            (ScopePolicy(default_scope="auto"), None, ("", True, "global")),
            (ScopePolicy(follows_project=True, default_scope="old"), "project/a", ("project/a", True, "project/a")),
        ],
    )
    def test_a_caller_in_a_project(
        self, policy: ScopePolicy, project: str | None, expected: tuple[object, ...]
    ) -> None:
        placed = in_project(policy, project)
        assert (placed.project, placed.follows_project, placed.default_scope) == expected

    @each_case(
        ("placement", "fallbacks", "expected"),
        [
            (Placement("a", ScopeMode.EXPLICIT), ("b", "c", "b"), ("b", "c")),
            (Placement("b", ScopeMode.EXPLICIT), ("b", "c"), ("c",)),
            (Placement("a", ScopeMode.PROJECT), ("b",), ("b", "global")),
            (Placement("global", ScopeMode.PROJECT), (), ()),
            (Placement("a", ScopeMode.GLOBAL), (), ()),
        ],
    )
    def test_only_a_project_falls_back_to_global(
        self, placement: Placement, fallbacks: tuple[str, ...], expected: tuple[str, ...]
    ) -> None:
        assert fallback_scopes(placement, ScopePolicy(fallback_scopes=fallbacks)) == expected


class TestSuggestions:
    known = ("project/shop", "project/shoe", "team/shop", "team/design", "a/shop", "b/shop")

    @each_case(
        ("name", "expected"),
        [
            ("team/design", ["team/design"]),
            ("TEAM/Design", ["team/design"]),
            ("shop", ["project/shop", "team/shop", "a/shop"]),
            ("other/design", ["team/design"]),
            ("project/shoo", ["project/shop", "project/shoe"]),
            ("team/", []),
            ("nothing", []),
        ],
    )
    def test_similar_names_are_found(self, name: str, expected: list[str]) -> None:
        assert similar_scopes(name, self.known) == expected

    def test_a_name_is_compared_with_a_limited_number_of_scopes(self) -> None:
        many = [f"n{number}" for number in range(MAX_COMPARED)]
        assert MAX_COMPARED == 5_000
        assert similar_scopes("shop", [*many[1:], "shop"]) == ["shop"]
        assert similar_scopes("shop", [*many, "shop"]) == []

    def test_a_huge_name_is_compared_with_none(self) -> None:
        name = "project-" * 100

        assert similar_scopes(name, [name + "x"]) == []

    @each_case(
        ("text", "existing", "hint"),
        [
            ("Project/Shop", (), "did you mean project/shop?"),
            ("Project/Shop", ("project/shop",), "did you mean project/shop?"),
            ("Shop!", ("project/shop",), "did you mean project/shop or shop?"),
            ("！！", (), "such as project/shop"),
        ],
    )
    def test_an_invalid_name_is_refused_with_a_suggestion(
        self, text: str, existing: tuple[str, ...], hint: str
    ) -> None:
        with pytest.raises(InvalidRequest) as caught:
            check_scope(text, ScopePolicy(existing_scopes=lambda: existing))
        assert (caught.value.code, caught.value.hint) == ("invalid_scope", hint)


def test_a_strict_request_refuses_an_invalid_name_but_not_an_invalid_tag() -> None:
    with pytest.raises(InvalidRequest):
        resolve_scope("Not A Scope", "", strict=True)
    assert resolve_scope(None, "[SCOPE: Émile] we ship", strict=True) == Placement(
        "global", ScopeMode.INFERRED, invalid=True
    )
    assert resolve_scope("named", "", strict=True) == Placement("named", ScopeMode.EXPLICIT)


def test_a_strict_request_is_checked_by_its_policy() -> None:
    policy = ScopePolicy(validation_mode="normalize", max_scope_length=8)
    assert resolve_scope("Too Long A Name", "", policy, strict=True) == Placement(
        "too-long", ScopeMode.EXPLICIT, normalized=True
    )
    assert resolve_reach("Too Long A Name", policy) == Reach(("too-long",))


def test_the_default_of_a_policy_replaces_an_invalid_name() -> None:
    assert resolve_scope("Not A Scope", "", ScopePolicy(default_scope="team")).scope == "team"


def test_only_the_start_of_a_long_text_becomes_a_name() -> None:
    policy = ScopePolicy(validation_mode="normalize", max_scope_length=8)
    within = " " * (8 * MAX_NORMALIZED - 1)
    assert MAX_NORMALIZED == 8
    assert parse_scope(f"{within}a", policy) == "a"
    assert parse_scope(f"{within} a", policy) is None
    # A cut must not leave a separator at the end.
    assert parse_scope("seven-x/yz", policy) == "seven-x"


def test_what_is_no_text_is_no_scope() -> None:
    assert parse_scope(7) is None  # type: ignore[arg-type]


@each_case(
    ("text", "longest", "is_valid"), [("abc", 3, True), ("abcd", 3, False), ("", 3, False), ("a" * 64, 64, True)]
)
def test_a_strict_name_is_within_its_length(text: str, longest: int, is_valid: bool) -> None:
    assert strict_name(text, longest) == (text if is_valid else None)


@each_case("letter", [*"azAZ09._:/- \n*é", "`", "{", "@", "[", ";", ","])
def test_each_character_of_a_name(letter: str) -> None:
    assert (strict_name(f"a{letter}") is not None) == (letter in REST)
    assert (strict_name(letter) is not None) == (letter in FIRST)


def test_modes_are_written_as_receipts_have_them() -> None:
    assert [str(mode) for mode in ScopeMode] == ["explicit", "inferred", "project", "global"]
    plain = Placement("a", ScopeMode.EXPLICIT)
    assert (plain.invalid, plain.normalized) == (False, False)


def test_every_valid_character_is_kept_when_a_name_is_normalized() -> None:
    assert parse_scope(f"{REST}9", ScopePolicy(validation_mode="normalize", max_scope_length=99)) == f"{REST}9"


def test_a_name_is_within_the_length_of_its_policy() -> None:
    for mode in ("strict", "none"):
        policy = ScopePolicy(validation_mode=mode, max_scope_length=8)
        assert (parse_scope("12345678", policy), parse_scope("123456789", policy)) == ("12345678", None)


def test_a_named_scope_wins_over_the_project() -> None:
    follows = ScopePolicy(project="project/shop", follows_project=True, default_scope="project/shop")
    assert resolve_scope("named", "", follows) == Placement("named", ScopeMode.EXPLICIT)


def test_names_that_end_with_a_separator_are_not_alike_for_it() -> None:
    assert similar_scopes("something/", ["team/"]) == []


def test_an_error_names_the_scopes_that_a_record_is_not_in() -> None:
    somewhere = not_within("memory 'm1'", Reach(("shop", "team")))
    assert somewhere.message == "no memory 'm1' in 'shop', 'team'"
    assert somewhere.hint == "name its scope with --scope, or use --all-scopes"
    anywhere = not_within("memory 'm1'", EVERYWHERE)
    assert (anywhere.message, anywhere.hint) == ("no memory 'm1' in any scope", "check the id")
