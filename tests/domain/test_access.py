"""Names and expiry of tokens."""

import pytest

from satchel.domain.access import AccessToken, check_token_name, parse_expiry
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
    assert check_token_name(name) == name


@each_case("name", ["", "CI", "-a", "a b", "a/b", "ä", "x" * 41, "a\n", "../a", "\u202ea"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_token_name(name)
    assert refused.value.code == "invalid_name"


def test_a_token_is_valid_until_it_expires() -> None:
    token = AccessToken("ci", "", NOW, expires_at=NOW + 1)

    assert token.is_valid(NOW)
    assert not token.is_valid(NOW + 1)
    assert AccessToken("ci", "", NOW).is_valid(2 * NOW)
