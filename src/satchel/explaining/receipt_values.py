"""Read values of a receipt defensively, and format them. Any value may be missing or of another type."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# Receipts may hold thousands of values; an explanation stays readable.
MAX_LINES = 60

Body = Mapping[str, Any]


def listed(value: Any) -> Sequence[Any]:
    """Return a list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def fields(value: Any) -> Body:
    """Return an object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def facts_of(facts: Body) -> Iterator[str]:
    """Yield facts line by line, joining those of an inner object; lists of records are only counted."""
    for name, value in facts.items():
        if value is None or value in ("", (), [], {}) or name == "id":
            continue
        words = name.replace("_", " ")
        if isinstance(value, Mapping):
            inner = [f"{key} {_scalar(one)}" for key, one in value.items() if not isinstance(one, Mapping)]
            yield f"{words}: {', '.join(inner[:MAX_LINES])}"
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


def number(value: float) -> str:
    """Return a number with four digits."""
    return f"{value:.4g}"


def counted(many: int, what: str) -> str:
    """Return a count with its noun."""
    return f"{many} {what}{'' if many == 1 else 's'}"


def joined(values: Sequence[Any]) -> str:
    """Return the values of a list, separated by commas."""
    return ", ".join(str(one) for one in values) or "nothing"
