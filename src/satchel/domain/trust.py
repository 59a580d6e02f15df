"""Trust comes from the channel a record arrived through, and nothing that happens later raises it."""

from collections.abc import Iterable

from satchel.domain.record import SourceKind, Trust
from satchel.errors import Refused

_STANDING = {Trust.QUARANTINED: 0, Trust.UNTRUSTED: 1, Trust.TRUSTED: 2}

# The highest tier each channel can give. What a tool, a page or a file says is evidence, not a rule.
CEILING = {
    SourceKind.OPERATOR: Trust.TRUSTED,
    SourceKind.SYSTEM: Trust.TRUSTED,
    SourceKind.TOOL: Trust.UNTRUSTED,
    SourceKind.WEB: Trust.UNTRUSTED,
    SourceKind.IMPORT: Trust.UNTRUSTED,
}


def granted(channel: SourceKind, asked: Trust | None) -> Trust:
    """Return the tier a new record gets: what was asked for, unless the channel cannot give it."""
    ceiling = CEILING[channel]
    if asked is None:
        return ceiling
    if outranks(asked, ceiling):
        raise Refused(
            f"a memory from the channel '{channel}' cannot be {asked}",
            code="trust_not_granted",
            hint=f"'{ceiling}' is the highest tier of this channel; leave --trust out or lower it",
        )
    return asked


def outranks(one: Trust, other: Trust) -> bool:
    """Say whether one tier stands strictly above another."""
    return _STANDING[one] > _STANDING[other]


def lowest(tiers: Iterable[Trust]) -> Trust:
    """Return the tier of a record derived from others: that of its least trusted source."""
    return min(tiers, key=_STANDING.__getitem__)
