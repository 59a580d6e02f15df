"""Trust tiers: granted by the channel a record came through, and never raised by use."""

from collections.abc import Iterable

from satchel.domain.record import SourceKind, Trust
from satchel.errors import Refused

_RANK = {Trust.QUARANTINED: 0, Trust.UNTRUSTED: 1, Trust.TRUSTED: 2}

# The highest tier each channel can grant. Content from tools, web pages and files is evidence, not a rule.
CEILING = {
    SourceKind.OPERATOR: Trust.TRUSTED,
    SourceKind.SYSTEM: Trust.TRUSTED,
    SourceKind.TOOL: Trust.UNTRUSTED,
    SourceKind.WEB: Trust.UNTRUSTED,
    SourceKind.IMPORT: Trust.UNTRUSTED,
}


def grant_trust(channel: SourceKind, asked: Trust | None) -> Trust:
    """Return the tier of a new record: the requested one, or by default the channel's highest. Raises Refused."""
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


def check_removal(id: str, trust: Trust, authority: Trust, action: str, *, by: str, hint: str) -> None:
    """Raise Refused if a record is more trusted than what forgets, retires or replaces it.

    What arrives through a channel cannot remove more than the channel could have stored.
    """
    if outranks(trust, authority):
        raise Refused(f"{by} cannot {action} {id}, which is {trust}", code="trust_not_granted", hint=hint)


def outranks(one: Trust, other: Trust) -> bool:
    """Return whether one tier is strictly higher than another."""
    return _RANK[one] > _RANK[other]


def lowest_trust(tiers: Iterable[Trust]) -> Trust:
    """Return the lowest of some tiers, which is the tier of a record derived from them."""
    return min(tiers, key=_RANK.__getitem__)
