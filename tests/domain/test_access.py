"""Names and expiry of tokens, and what a token of a user allows."""

import pytest

from satchel.domain.access import (
    AccessToken,
    Rights,
    Role,
    User,
    actor_name,
    check_name,
    named_actor,
    parse_expiry,
    rights_of,
)
from satchel.domain.moment import DAY_MS, HOUR_MS
from satchel.errors import InvalidRequest
from tests.tables import each_case

NOW = 1_794_800_000_000


@each_case(
    "text, expected",
    [
        ("1h", NOW + HOUR_MS),
        ("30d", NOW + 30 * DAY_MS),
        ("8w", NOW + 56 * DAY_MS),
        ("2027-01-01", 1_798_761_600_000),
        ("2027-01-01T00:00:00Z", 1_798_761_600_000),
    ],
)
def test_an_expiry_is_an_age_or_a_date(text: str, expected: int) -> None:
    assert parse_expiry(text, NOW) == expected


@each_case(
    "text", ["", "0d", "-1d", "30", "d", "30 d", "30D", "1y", "٣d", "999999d", "soon", "2020-01-01", "9999-99-99"]
)
def test_anything_else_and_the_past_are_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="expires") as refused:
        parse_expiry(text, NOW)
    assert refused.value.code == "invalid_date"


@each_case("name", ["ci", "a", "grafana-2", "my.laptop_1", "x" * 40])
def test_a_plain_name_is_valid(name: str) -> None:
    assert check_name(name, "token") == name


@each_case("name", ["", "CI", "-a", "a b", "a/b", "ä", "x" * 41, "a\n", "../a", "\u202ea"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_name(name, "token")
    assert refused.value.code == "invalid_name"


def test_a_token_is_valid_until_it_expires() -> None:
    token = AccessToken("ci", "", NOW, expires_at=NOW + 1)

    assert token.is_valid(NOW)
    assert not token.is_valid(NOW + 1)
    assert AccessToken("ci", "", NOW).is_valid(2 * NOW)


SHOP, BAKERY = "project/shop", "project/bakery"


@each_case(
    "user_scopes, token_scopes, expected",
    [
        ((), (), ()),
        ((), (SHOP,), (SHOP,)),
        ((SHOP, BAKERY), (), (SHOP, BAKERY)),
        ((SHOP, BAKERY), (BAKERY,), (BAKERY,)),
        ((SHOP,), (BAKERY, SHOP), (SHOP,)),
        ((SHOP,), (BAKERY,), None),
    ],
)
def test_a_token_works_in_the_scopes_that_it_and_its_user_share(
    user_scopes: tuple[str, ...], token_scopes: tuple[str, ...], expected: tuple[str, ...] | None
) -> None:
    user = User("anna", Role.WRITE, NOW, user_scopes)
    rights = rights_of(AccessToken("laptop", "", NOW, token_scopes, user="anna"), user)

    assert (rights and rights.scopes) == expected


@each_case(
    "role, limit, read_only, expected",
    [
        (Role.READ, None, False, (True, False)),
        (Role.WRITE, None, False, (False, False)),
        (Role.WRITE, None, True, (True, False)),
        (Role.OPERATOR, None, False, (False, True)),
        (Role.OPERATOR, None, True, (True, True)),
        (Role.OPERATOR, Role.WRITE, False, (False, False)),
        (Role.OPERATOR, Role.READ, False, (True, False)),
        # The user lost the role after the token was made.
        (Role.READ, Role.OPERATOR, False, (True, False)),
        (Role.WRITE, Role.OPERATOR, False, (False, False)),
    ],
)
def test_a_token_allows_the_lesser_of_its_role_and_the_users(
    role: Role, limit: Role | None, read_only: bool, expected: tuple[bool, bool]
) -> None:
    token = AccessToken("laptop", "", NOW, user="anna", role=limit, read_only=read_only)
    rights = rights_of(token, User("anna", role, NOW))

    assert rights == Rights("laptop", "anna", (), *expected)


def test_a_token_of_a_user_that_is_gone_or_another_allows_nothing() -> None:
    token = AccessToken("laptop", "", NOW, user="anna")

    assert rights_of(token, None) is None
    assert rights_of(token, User("ben", Role.OPERATOR, NOW)) is None
    assert rights_of(AccessToken("ci", "", NOW, (SHOP,)), None) == Rights("ci", "", (SHOP,))


@each_case(
    "user, token, expected",
    [("anna", "laptop", "user:anna/laptop"), ("", "ci", "token:ci"), ("a.b", "c_d", "user:a.b/c_d")],
)
def test_an_actor_names_the_user_and_the_token(user: str, token: str, expected: str) -> None:
    assert actor_name(user, token) == named_actor(expected) == expected


@each_case("channel", ["cli", "http", "mcp", "hook", "python", "inspector", "satchel", ""])
def test_the_channels_of_the_local_operator_are_not_named(channel: str) -> None:
    assert named_actor(channel) == ""
