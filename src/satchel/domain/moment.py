"""Parse and format timestamps. The ledger stores milliseconds since the epoch, UTC; people think in local days."""

import math
from datetime import UTC, date, datetime, timedelta

from satchel.errors import InvalidRequest

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
# The first and the last timestamp with a four-digit year.
FIRST_MOMENT, LAST_MOMENT = -62_135_596_800_000, 253_402_300_799_999
# Seconds since the epoch have ten digits, milliseconds thirteen.
_SECONDS_BELOW = 100_000_000_000
_DAYS_AGO = {"today": 0, "yesterday": 1}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OUT_OF_RANGE = (OverflowError, ValueError, OSError)
"""What the conversion to a time zone raises at the ends of the calendar, by platform."""


def parse_moment(text: str, field: str) -> int:
    """Parse an ISO 8601 date or time; without a zone it is UTC."""
    moment = _parse(text, field)
    return _milliseconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC), text, field)


def from_unix(value: object) -> int | None:
    """Return a Unix time in milliseconds, from seconds or milliseconds; None if it is none or before 1970."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        return None
    found = int(value * 1000 if value < _SECONDS_BELOW else value)
    return found if 0 <= found <= LAST_MOMENT else None


def parse_time(text: str, field: str, now: int, *, end_of_day: bool = False, utc_dates: bool = False) -> int:
    """Parse today, yesterday, or an ISO 8601 date or time; without a zone it is local, or with `utc_dates` UTC.

    A day is its beginning, or with `end_of_day` its last millisecond.
    """
    word = text.strip().lower()
    if word in _DAYS_AGO:
        return _edge_of_day(_today(now) - timedelta(_DAYS_AGO[word]), end_of_day)
    moment = _parse(text, field)
    is_day = len(word) <= len("2026-12-31")
    if moment.tzinfo is None and utc_dates:
        start = parse_moment(text, field)
        return start + DAY_MS - 1 if end_of_day and is_day else start
    if moment.tzinfo is None and is_day:
        return _edge_of_day(moment.date(), end_of_day)
    return _milliseconds(moment if moment.tzinfo else _in_local_zone(moment), text, field)


def local_date(moment: int) -> date | None:
    """Return the day of a timestamp in the time zone of the machine; None if it is out of range."""
    try:
        return (_EPOCH + timedelta(milliseconds=moment)).astimezone().date()
    except _OUT_OF_RANGE:
        return None


def local_midnight(day: date) -> int:
    """Return when a day begins in the time zone of the machine."""
    return (_in_local_zone(datetime(day.year, day.month, day.day, tzinfo=UTC)) - _EPOCH) // timedelta(milliseconds=1)


def iso(moment: int) -> str:
    """Format a timestamp as ISO 8601 in UTC."""
    return (_EPOCH + timedelta(milliseconds=moment)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(moment: int) -> str:
    """Format the UTC day of a timestamp, as 2026-12-31."""
    return iso(moment)[:10]


def _parse(text: str, field: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _not_a_date(text, field) from None


def _milliseconds(moment: datetime, text: str, field: str) -> int:
    # Convert to UTC first: a timestamp out of range there could not be formatted again.
    try:
        return (moment.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)
    except _OUT_OF_RANGE:
        raise _not_a_date(text, field) from None


def _not_a_date(text: str, field: str) -> InvalidRequest:
    return InvalidRequest(
        f"{field} {text[:40]!r} is not a date", code="invalid_date", hint="write 2026-12-31 or 2026-12-31T18:00:00Z"
    )


def _today(now: int) -> date:
    return local_date(now) or (_EPOCH + timedelta(milliseconds=now)).date()


def _edge_of_day(day: date, end: bool) -> int:
    if not end:
        return local_midnight(day)
    # A day on which the clocks change is not 24 hours long.
    return LAST_MOMENT if day == date.max else local_midnight(day + timedelta(1)) - 1


def _in_local_zone(moment: datetime) -> datetime:
    """Return the moment at which local clocks show this date and time."""
    shown = moment.replace(tzinfo=UTC)
    try:
        # The offset may change between the two guesses.
        first = shown - (shown.astimezone().utcoffset() or timedelta())
        return shown - (first.astimezone().utcoffset() or timedelta())
    except _OUT_OF_RANGE:
        return shown
