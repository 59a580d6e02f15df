"""A view as a Lance filter. Filters there are SQL text, so every value goes through one quoting function."""

from collections.abc import Sequence

from satchel.domain.view import View


def view_filter(view: View) -> str:
    """Return the filter for a view."""
    conditions = [one_of("trust_tier", view.trusts), one_of("state", view.states)]
    if not view.reach.everywhere:
        conditions.append(one_of("scope", view.reach.scopes))
    if not view.timeless:
        conditions.append(f"(valid_from IS NULL OR valid_from <= {int(view.now)})")
        conditions.append(f"(valid_to IS NULL OR valid_to > {int(view.now)})")
    if view.kinds:
        conditions.append(one_of("kind", view.kinds))
    return " AND ".join(conditions)


def one_of(column: str, values: Sequence[str]) -> str:
    """Return the condition that a column holds one of some values."""
    return f"{column} IN ({', '.join(_quoted(value) for value in values)})"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
