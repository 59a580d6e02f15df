"""Erase a memory from every place it was written to, and verify that it is gone."""

from collections.abc import Callable

from satchel.core.erasure import clear_places, prepare_erasure_proof
from satchel.domain.erasure import ForgetCandidate, Forgotten
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.ports import Files, MemoryStore

MAX_CANDIDATES = 5


def candidates(memories: MemoryStore, terms: tuple[str, ...], view: View) -> Forgotten:
    """List the memories a query could mean, without erasing any."""
    matches = memories.match(terms, view, MAX_CANDIDATES)
    found = memories.fetch([one.id for one in matches], view)
    named = [(found[one.id], one.score) for one in matches if one.id in found]
    return Forgotten(
        "candidates",
        candidates=tuple(
            ForgetCandidate(memory.id, memory.text, memory.kind, score, memory.created_at) for memory, score in named
        ),
    )


def erase_memory(
    memory: Memory,
    within: Reach,
    *,
    memories: MemoryStore,
    erase_evidence: Callable[[], None],
    is_elsewhere: Callable[[str], bool],
    purge_index: Callable[[], bool],
    files: Files,
    actor: str,
    receipt: Receipt,
    verify: bool,
    everywhere: bool,
) -> Forgotten | None:
    """Erase a memory; None if it was already gone. `verify` searches every file for its text before and after."""
    proof = prepare_erasure_proof(f"{memory.text}\n{memory.title or ''}", is_elsewhere, files, verify=verify)
    # Evidence first: the ledger knows what to look for until the memory is gone.
    erase_evidence()
    if not memories.erase(memory.id, within, actor, receipt, everywhere=everywhere):
        return None
    # The ledger's file is clean only once its log has been written into it and emptied.
    return clear_places(memory.id, proof, {"index": purge_index, "ledger": memories.scrub, "spool": lambda: True})
