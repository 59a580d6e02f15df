"""Telling: what a receipt holds, value by value, in words. Any value may be of another type than expected, or missing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# A receipt may name thousands: what is said of it stays readable.
MOST_LINES = 60

Body = Mapping[str, Any]


def listed(value: Any) -> Sequence[Any]:
    """Return a list as it is, and anything else as none."""
    return value if isinstance(value, list) else []


def fields(value: Any) -> Body:
    """Return an object as it is, and anything else as an empty one."""
    return value if isinstance(value, Mapping) else {}


def facts_of(facts: Body) -> Iterator[str]:
    """Yield facts line by line, those of an object inside joined; lists of records are told apart from this."""
    for name, value in facts.items():
        if value is None or value in ("", (), [], {}) or name == "id":
            continue
        words = name.replace("_", " ")
        if isinstance(value, Mapping):
            inner = [f"{key} {_scalar(one)}" for key, one in value.items() if not isinstance(one, Mapping)]
            yield f"{words}: {', '.join(inner[:MOST_LINES])}"
        elif isinstance(value, list):
            plain = [one for one in value if not isinstance(one, Mapping)]
            yield f"{words}: {joined(plain)}" if plain else f"{words}: {len(value)}"
        else:
            yield f"{words}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return joined([one for one in value if not isinstance(one, Mapping)])
    return number(value) if isinstance(value, float) else str(value)


def number(value: Any) -> str:
    """Return a number in four digits."""
    return f"{value:.4g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def counted(many: Any, what: str) -> str:
    """Return how many there are of something."""
    return f"{many} {what}{'' if many == 1 else 's'}"


def joined(values: Any) -> str:
    """Return the values of a list, with commas."""
    return ", ".join(str(one) for one in listed(values)) or "nothing"
