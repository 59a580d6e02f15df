"""Views as Lance filters. They are SQL text, so every value goes through one quoting function."""

from collections.abc import Sequence

from satchel.domain.media import ANY_MEDIA, MediaKind
from satchel.domain.record import Trust
from satchel.domain.view import LIVE_STATES, View

# No name, id or reference of a record is longer. Lance takes fourteen times the length of a filter in memory, and keeps it.
MAX_VALUE_CHARS = 10_000


def view_filter(view: View, admitted: Sequence[str]) -> str:
    """Return a filter that the scalar indexes answer alone, which halves the search time.

    Ordinary records are selected by scope; the few unusual ones that the view admits are listed by id.
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
    ordinary += _media(view)
    either = f"({' AND '.join(ordinary)} OR {one_of('id', admitted)})" if admitted else " AND ".join(ordinary)
    return either if view.reach.everywhere else f"{one_of('scope', view.reach.scopes)} AND {either}"


def full_filter(view: View) -> str:
    """Return a filter with every rule of a view, for stores with many unusual records."""
    conditions = [one_of("trust_tier", view.trusts), one_of("state", view.states)]
    if not view.reach.everywhere:
        conditions.append(one_of("scope", view.reach.scopes))
    if view.kinds:
        conditions.append(one_of("kind", view.kinds))
    if view.labels:
        conditions.append(one_of("importance_label", view.labels))
    conditions += _media(view)
    if not view.timeless:
        conditions.append(f"(valid_from IS NULL OR valid_from <= {int(view.now)})")
        conditions.append(f"(valid_to IS NULL OR valid_to > {int(view.now)})")
    return " AND ".join(conditions)


def _media(view: View) -> list[str]:
    """Return a wider condition than the view's: media of several kinds are `other` here, and the ledger decides."""
    if view.media is None:
        return []
    return [
        "media_kind IS NOT NULL" if view.media == ANY_MEDIA else one_of("media_kind", (view.media, MediaKind.OTHER))
    ]


def one_of(column: str, values: Sequence[str]) -> str:
    """Return the condition that a column has one of some values."""
    possible = [_quoted(value) for value in values if len(value) <= MAX_VALUE_CHARS]
    if not possible:
        return "FALSE"  # an empty list is a syntax error
    return f"{column} IN ({', '.join(possible)})"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
