"""Times as people read them: in the time zone of the machine. Machines get ISO 8601 in UTC."""

from datetime import UTC, datetime, timedelta

from satchel.domain.moment import iso

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def local_time(moment: int) -> str:
    """Format a timestamp in local time to the second, as 2026-12-31 18:00:00."""
    try:
        return (_EPOCH + timedelta(milliseconds=moment)).astimezone().isoformat(" ", "seconds")[:19]
    except (OverflowError, ValueError, OSError):
        # At the ends of the calendar some zones have no date.
        return iso(moment)[:19].replace("T", " ")


def local_day(moment: int) -> str:
    """Format the local day of a timestamp, as 2026-12-31."""
    return local_time(moment)[:10]
