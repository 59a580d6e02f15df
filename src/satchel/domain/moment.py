"""Moments as people write them, and as the ledger keeps them: milliseconds since the epoch, UTC."""

from datetime import UTC, datetime

from satchel.errors import InvalidRequest


def parse_moment(text: str, field: str) -> int:
    """Read an ISO 8601 date or time; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidRequest(
            f"{field} {text[:40]!r} is not a date", code="invalid_date", hint="write 2026-12-31 or 2026-12-31T18:00:00Z"
        ) from None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def iso(moment: int) -> str:
    """Write a moment as ISO 8601 in UTC."""
    return datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
