"""Times as people read them: in the time zone of the machine. Machines get ISO 8601 in UTC."""

from datetime import UTC, datetime, timedelta

from satchel.domain.moment import iso, parse_moment
from satchel.domain.safety.compiled import compiled
from satchel.errors import InvalidRequest

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A timestamp as `iso` writes it.
_ISO = r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


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


def with_local_times(message: str) -> str:
    """Return a message of ours with its timestamps in local time."""
    return compiled(_ISO).sub(lambda found: _local_if_time(found.group()), message)


def _local_if_time(text: str) -> str:
    try:
        return local_time(parse_moment(text, "time"))
    except InvalidRequest:
        # A message may quote anything.
        return text
