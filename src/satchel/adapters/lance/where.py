"""A view as a Lance filter. Filters there are SQL text, so every value goes through one quoting function."""

from collections.abc import Sequence

from satchel.domain.view import View


def standing_filter(view: View) -> str:
    """Return the filter for every rule of a view except its dates. Scalar indexes answer it alone."""
    conditions = [one_of("trust_tier", view.trusts), one_of("state", view.states)]
    if not view.reach.everywhere:
        conditions.append(one_of("scope", view.reach.scopes))
    if view.kinds:
        conditions.append(one_of("kind", view.kinds))
    return " AND ".join(conditions)


def date_filter(view: View) -> str:
    """Return the filter for the dates of a view."""
    now = int(view.now)
    return f"(valid_from IS NULL OR valid_from <= {now}) AND (valid_to IS NULL OR valid_to > {now})"


def one_of(column: str, values: Sequence[str]) -> str:
    """Return the condition that a column holds one of some values."""
    if not values:
        return "FALSE"  # an empty list is no SQL here
    return f"{column} IN ({', '.join(_quoted(value) for value in values)})"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
