"""Parse and format timestamps. The ledger stores milliseconds since the epoch, UTC."""

from datetime import UTC, datetime, timedelta

from satchel.errors import InvalidRequest

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
# The first and the last timestamp with a four-digit year.
FIRST_MOMENT, LAST_MOMENT = -62_135_596_800_000, 253_402_300_799_999
_DAYS_AGO = {"today": 0, "yesterday": 1}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_moment(text: str, field: str) -> int:
    """Parse an ISO 8601 date or time; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return _milliseconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"{field} {text[:40]!r} is not a date", code="invalid_date", hint="write 2026-12-31 or 2026-12-31T18:00:00Z"
        ) from None


def parse_time(text: str, field: str, now: int, *, end_of_day: bool = False) -> int:
    """Parse today, yesterday, or an ISO 8601 date or time; without a zone it is UTC.

    A day is its beginning, or with `end_of_day` its last millisecond.
    """
    word = text.strip().lower()
    start = now - now % DAY_MS - _DAYS_AGO[word] * DAY_MS if word in _DAYS_AGO else parse_moment(text, field)
    is_day = word in _DAYS_AGO or len(text.strip()) <= len("2026-12-31")
    return start + DAY_MS - 1 if end_of_day and is_day else start


def iso(moment: int) -> str:
    """Format a timestamp as ISO 8601 in UTC."""
    return (_EPOCH + timedelta(milliseconds=moment)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(moment: int) -> str:
    """Format the UTC day of a timestamp, as 2026-12-31."""
    return iso(moment)[:10]


def _milliseconds(moment: datetime) -> int:
    # Convert to UTC first: a timestamp out of range there could not be formatted again.
    return (moment.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)
