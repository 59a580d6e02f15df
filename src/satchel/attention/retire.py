"""Retire: take a memory out of use, with the reason and with what stands in its place."""

from collections.abc import Callable

from msgspec.structs import replace

from satchel.domain.record import Memory, MemoryId, SourceKind, State
from satchel.domain.trust import CEILING, outranks
from satchel.domain.view import LIVE_STATES
from satchel.errors import Conflict, InvalidRequest, Refused

# Nobody replaces a memory so often; a chain that is longer was made to be followed for ever.
MAX_LINKS = 100


def retired(old: Memory, by: Memory | None, reason: str, *, channel: SourceKind, now: int) -> Memory:
    """Return a memory as it stands once it is out of use. What it was replaced by earlier stays, if nothing new is named.

    A channel retires no more than it could have stored, and a memory replaces none that is trusted more than itself.
    """
    if outranks(old.trust, CEILING[channel] if by is None else by.trust):
        raise Refused(
            f"{'the channel ' + repr(channel.value) if by is None else f'a memory that is {by.trust}'} "
            f"cannot retire memory {old.id}, which is {old.trust}",
            code="trust_not_granted",
            hint="let the operator retire it, or store what is new beside it",
        )
    return replace(
        old,
        state=State.RETIRED,
        replaced_by=old.replaced_by if by is None else by.id,
        reason=reason,
        valid_to=now,
        updated_at=now,
    )


def check_replacement(by: Memory, stale: tuple[MemoryId, ...], link: Callable[[MemoryId], MemoryId | None]) -> None:
    """Refuse a replacement that is out of use itself, that replaces itself, or that leads back to what it replaces."""
    if by.id in stale:
        raise InvalidRequest(f"replacement_memory_id: memory {by.id} cannot replace itself", code="self_replacement")
    if by.state not in LIVE_STATES:
        raise Conflict(
            f"replacement_memory_id: memory {by.id} is {by.state} itself, so it replaces nothing",
            code="already_retired",
            hint=f"name {by.replaced_by} instead" if by.replaced_by else "name a memory that is in use",
        )
    if back := [id for id in successors(by.id, link) if id in stale]:
        raise Conflict(
            f"replacement_memory_id: memory {by.id} was replaced by {back[0]}, which it would replace",
            code="replacement_cycle",
            hint="keep one of the two",
        )


def successors(id: MemoryId, link: Callable[[MemoryId], MemoryId | None]) -> tuple[MemoryId, ...]:
    """Return what replaced a memory, what replaced that, and so on; a circle is walked once."""
    found: dict[MemoryId, None] = {}
    following = link(id)
    while following is not None and following != id and following not in found and len(found) < MAX_LINKS:
        found[following] = None
        following = link(following)
    return tuple(found)
