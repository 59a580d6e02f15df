"""Which memory an id means, and which memory replaced it."""

from typing import Any

from msgspec.structs import replace

from satchel.attention import fields
from satchel.attention.retire import successors
from satchel.core.references import full_id, memory_ids
from satchel.domain.attention import MemoryType, kinds_of_types
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.domain.view import View, admin_view
from satchel.errors import NotFound
from satchel.ports import Ledger

LIST_HINT = "'satchel attention list' shows the memories"
_ATTENTION_KINDS = kinds_of_types(tuple(MemoryType))


def every_memory(within: Reach, now: int) -> View:
    """Return the view of every memory in reach that has an attention type, whatever its state."""
    return replace(admin_view(within, now), kinds=_ATTENTION_KINDS)


def find_memory(id: Any, field: str, view: View, ledger: Ledger) -> Memory:
    """Return the memory that a field names. Raises, naming the field, if there is none."""
    meant = full_memory_id(fields.text(id, field), view, ledger)
    found = ledger.memories.fetch([meant], view)
    if meant not in found:
        raise NotFound(f"{field}: no memory {meant[:80]!r} in {view.reach}", hint=LIST_HINT)
    return found[meant]


def full_memory_id(reference: str, view: View, ledger: Ledger) -> MemoryId:
    """Return the whole id that a reference means."""
    return MemoryId(full_id(reference, memory_ids(ledger, view)))


def current_replacement(memory: Memory, view: View, ledger: Ledger) -> MemoryId | None:
    """Return the end of a memory's chain of replacements, if it was replaced."""
    if memory.replaced_by is None:
        return None
    chain = successors(
        memory.id, lambda id: memory.replaced_by if id == memory.id else replacement_of(id, view, ledger)
    )
    return chain[-1] if chain else memory.replaced_by


def replacement_of(id: MemoryId, view: View, ledger: Ledger) -> MemoryId | None:
    """Return the memory that replaced another one directly, if one did."""
    found = ledger.memories.fetch([id], view)
    return found[id].replaced_by if id in found else None
