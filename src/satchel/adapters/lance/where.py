"""A view as a Lance filter. Filters there are SQL text, so every value goes through one quoting function."""

from collections.abc import Sequence

from satchel.domain.record import Trust
from satchel.domain.view import LIVE_STATES, View


def view_filter(view: View, admitted: Sequence[str]) -> str:
    """Return a filter that scalar indexes answer alone, which halves the time of a search.

    Ordinary records are told by their scope; of the unusual ones the few that the view admits are named.
    """
    ordinary = ["unusual = false"]
    if not {Trust.TRUSTED, Trust.UNTRUSTED} <= set(view.trusts):
        ordinary.append(one_of("trust_tier", view.trusts))
    if not set(LIVE_STATES) <= set(view.states):
        ordinary.append(one_of("state", view.states))
    if view.kinds:
        ordinary.append(one_of("kind", view.kinds))
    if view.labels:
        ordinary.append(one_of("importance_label", view.labels))
    either = f"({' AND '.join(ordinary)} OR {one_of('id', admitted)})" if admitted else " AND ".join(ordinary)
    return either if view.reach.everywhere else f"{one_of('scope', view.reach.scopes)} AND {either}"


def whole_filter(view: View) -> str:
    """Return every rule of a view, for stores in which the unusual is common."""
    conditions = [one_of("trust_tier", view.trusts), one_of("state", view.states)]
    if not view.reach.everywhere:
        conditions.append(one_of("scope", view.reach.scopes))
    if view.kinds:
        conditions.append(one_of("kind", view.kinds))
    if view.labels:
        conditions.append(one_of("importance_label", view.labels))
    if not view.timeless:
        conditions.append(f"(valid_from IS NULL OR valid_from <= {int(view.now)})")
        conditions.append(f"(valid_to IS NULL OR valid_to > {int(view.now)})")
    return " AND ".join(conditions)


def one_of(column: str, values: Sequence[str]) -> str:
    """Return the condition that a column holds one of some values."""
    if not values:
        return "FALSE"  # an empty list is no SQL here
    return f"{column} IN ({', '.join(_quoted(value) for value in values)})"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
