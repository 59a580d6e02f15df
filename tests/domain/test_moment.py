"""Parsing and formatting of timestamps."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.moment import iso, parse_moment
from satchel.errors import InvalidRequest
from tests.tables import each_case

steady = settings(max_examples=150, deadline=None, derandomize=True)
# The first and the last millisecond of the years 1 to 9999.
FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999
A_DAY = 86_400_000
moments = st.integers(FIRST, LAST)


@each_case(
    ("text", "moment"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:00.001Z", 1),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-12-31", 1_798_675_200_000),
        ("2026-12-31T18:00:00Z", 1_798_740_000_000),
        ("2026-12-31T18:00:00", 1_798_740_000_000),
        ("2026-12-31 18:00", 1_798_740_000_000),
        ("2026-12-31T20:00:00+02:00", 1_798_740_000_000),
        ("20261231T180000Z", 1_798_740_000_000),
        ("0001-01-01T00:00:00Z", FIRST),
        ("9999-12-31T23:59:59.999Z", LAST),
        ("0001-01-01T14:00:00+14:00", FIRST),
        ("9999-12-31T09:59:59.999-14:00", LAST),
        ("9999-12-31T23:59:59.999999Z", LAST),
        ("1970-01-01T00:00:00.000999Z", 0),
        ("1969-12-31T23:59:59.999500Z", -1),
        ("2255-06-05T23:47:34.739Z", 9_007_199_254_739),
    ],
)
def test_a_date_is_read_as_utc_unless_it_names_its_zone(text: str, moment: int) -> None:
    assert parse_moment(text, "valid-from") == moment


@each_case(
    "text", ["", " ", "tomorrow", "2026-13-01", "2026-02-30", "2026-12-31T25:00", "31.12.2026", "1798740000", "\ud800"]
)
def test_an_invalid_date_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_moment(text, "valid-from")
    assert caught.value.code == "invalid_date"
    assert caught.value.message.isprintable()


@each_case("text", ["0001-01-01T13:59:59.999+14:00", "9999-12-31T10:00:00-14:00", "0000-12-31", "10000-01-01"])
def test_a_date_out_of_range_in_utc_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_moment(text, "valid-from")
    assert caught.value.code == "invalid_date"


@steady
@given(st.text(max_size=30))
def test_any_text_is_parsed_as_a_date_or_refused_by_code(text: str) -> None:
    try:
        assert isinstance(parse_moment(text, "valid-from"), int)
    except InvalidRequest as error:
        assert error.code == "invalid_date"


@steady
@given(moments)
@example(FIRST)
@example(LAST)
@example(-1)
def test_a_formatted_timestamp_is_parsed_back_to_the_millisecond(moment: int) -> None:
    assert parse_moment(iso(moment), "valid-from") == moment


@steady
@given(st.integers(FIRST + A_DAY, LAST - A_DAY), st.integers(min_value=-14 * 60, max_value=14 * 60))
def test_the_zone_of_a_date_does_not_matter(moment: int, minutes: int) -> None:
    elsewhere = timezone(timedelta(minutes=minutes))
    written = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment)).astimezone(elsewhere).isoformat()
    assert parse_moment(written, "valid-from") == moment


def test_a_timestamp_is_formatted_in_utc_with_milliseconds() -> None:
    assert iso(0) == "1970-01-01T00:00:00.000Z"
    assert iso(1_798_740_000_123) == "2026-12-31T18:00:00.123Z"
    assert iso(-1) == "1969-12-31T23:59:59.999Z"
    assert iso(FIRST) == "0001-01-01T00:00:00.000Z"
    assert iso(LAST) == "9999-12-31T23:59:59.999Z"


@steady
@given(st.lists(moments, max_size=8))
def test_formatted_timestamps_sort_like_timestamps(several: list[int]) -> None:
    assert [iso(one) for one in sorted(several)] == sorted(map(iso, several))
