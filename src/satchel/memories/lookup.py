"""Which memory an id means, and what to say if there is none."""

from satchel.core.parts import Parts
from satchel.core.references import full_id, memory_ids
from satchel.domain.citations import MIN_PREFIX_CHARS
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach, not_within
from satchel.domain.view import View, admin_view, without_quarantined
from satchel.errors import Corrupt, NotFound

# How ids of other records begin, and the command that shows them, or the group that handles them.
_OTHER_IDS = {
    "ep-": "episodes show",
    "doc:": "docs show",
    "doc-": "docs",
    "fact_": "fact",
    "msg:": "conversation",
    "sum_": "conversation expand",
    "dec_": "conversation",
}


def find_memory(id: str, within: Reach, parts: Parts, *, quarantined: bool = True) -> Memory:
    """Return the memory that an id or a prefix of one means; raise if there is none, or if it is damaged."""
    meant, view = _resolve(id, within, parts, quarantined)
    found = parts.ledger.memories.fetch([meant], view)
    if meant in found:
        return found[meant]
    if parts.ledger.memories.salvage(meant, view) is not None:
        raise Corrupt(
            f"the stored bytes of memory {meant} are damaged",
            code="damaged_record",
            hint="'satchel doctor --fix' quarantines it, 'satchel forget' erases it, 'satchel export --no-redact' saves its bytes",
        )
    raise unknown_memory(id, within)


def find_erasable(id: str, within: Reach, parts: Parts, *, quarantined: bool) -> Memory:
    """Return a memory, or what can be read of a damaged one."""
    meant, view = _resolve(id, within, parts, quarantined)
    return parts.ledger.memories.salvage(meant, view) or find_memory(id, within, parts, quarantined=quarantined)


def unknown_memory(id: str, within: Reach) -> NotFound:
    """Return the error that says there is no such memory, with a hint at what the id may mean."""
    group = next((group for form, group in _OTHER_IDS.items() if id.startswith(form)), None)
    missing = not_within(f"memory {id[:80]!r}", within)
    hint = missing.hint
    if 0 < len(id.strip()) < MIN_PREFIX_CHARS:
        hint = f"give its id, or at least the first {MIN_PREFIX_CHARS} characters"
    if group is not None:
        hint = f"this is not a memory id: {_command_for(id, group)}"
    return NotFound(missing.message, hint=hint)


def _command_for(id: str, command: str) -> str:
    is_complete = " " in command and not any(one.isspace() or one == "'" for one in id)
    shown, group = f"'satchel {command} {id[:200]}' shows it; ", command.split()[0]
    return f"{shown if is_complete else ''}see 'satchel {group} --help'"


def _resolve(id: str, within: Reach, parts: Parts, quarantined: bool) -> tuple[MemoryId, View]:
    view = admin_view(within, parts.clock.now())
    view = view if quarantined else without_quarantined(view)
    return MemoryId(full_id(id, memory_ids(parts.ledger, view))), view
