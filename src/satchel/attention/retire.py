"""Retire memories, with a reason and the memory that replaces them."""

from collections.abc import Callable

from msgspec.structs import replace

from satchel.domain.record import Memory, MemoryId, SourceKind, State
from satchel.domain.trust import CEILING, check_removal
from satchel.domain.view import LIVE_STATES
from satchel.errors import Conflict, InvalidRequest

# Maximum length of a chain of replacements; longer ones are malicious.
MAX_LINKS = 100


def retire(old: Memory, by: Memory | None, reason: str, *, channel: SourceKind, now: int) -> Memory:
    """Return a memory as retired. An earlier replacement stays unless a new one is given.

    A channel cannot retire more than it could have stored, and a memory cannot replace a more trusted one.
    """
    hint = "let the operator retire it, or store the new memory without replacing"
    # The replacement may be a trusted memory that is already there: the channel counts whatever it names.
    check_removal(old.id, old.trust, CEILING[channel], "retire", by=f"the channel '{channel}'", hint=hint)
    if by is not None:
        check_removal(old.id, old.trust, by.trust, "retire", by=f"a memory that is {by.trust}", hint=hint)
    return replace(
        old,
        state=State.RETIRED,
        replaced_by=old.replaced_by if by is None else by.id,
        reason=reason,
        valid_to=now,
        updated_at=now,
    )


def check_replacement(by: Memory, stale: tuple[MemoryId, ...], link: Callable[[MemoryId], MemoryId | None]) -> None:
    """Reject a replacement that is retired itself, replaces itself, or leads back to what it replaces."""
    if by.id in stale:
        raise InvalidRequest(f"replacement_memory_id: memory {by.id} cannot replace itself", code="self_replacement")
    if by.state not in LIVE_STATES:
        raise Conflict(
            f"replacement_memory_id: memory {by.id} is {by.state}, so it cannot replace another",
            code="already_retired",
            hint=f"use {by.replaced_by} instead" if by.replaced_by else "use an active memory",
        )
    if back := [id for id in successors(by.id, link) if id in stale]:
        raise Conflict(
            f"replacement_memory_id: memory {by.id} was replaced by {back[0]}, which it would replace",
            code="replacement_cycle",
            hint="keep one of the two",
        )


def successors(id: MemoryId, link: Callable[[MemoryId], MemoryId | None]) -> tuple[MemoryId, ...]:
    """Return the chain of replacements of a memory; a circle is walked once."""
    found: dict[MemoryId, None] = {}
    following = link(id)
    while following is not None and following != id and following not in found and len(found) < MAX_LINKS:
        found[following] = None
        following = link(following)
    return tuple(found)
