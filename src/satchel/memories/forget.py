"""Erase a memory from every place it was written to, and verify that it is gone."""

from collections.abc import Callable
from typing import Protocol

from msgspec.structs import replace

from satchel.core.erasure import (
    ErasedRecords,
    ErasureTarget,
    ForgottenRecord,
    check_forget,
    clear_places,
    forget_facts,
    prepare_erasure_proof,
    reaches_everywhere,
    survives_elsewhere,
)
from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetCandidate, ForgetReason, Forgotten, stored_forms
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, SourceKind
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.indexing import memory_index
from satchel.memories.lookup import unknown_memory
from satchel.ports import Files, MemoryStore

MAX_CANDIDATES = 5


class EvidenceEraser(Protocol):
    """What forgetting a memory needs of the observations."""

    def evidence_of(self, text: str, scope: str) -> ErasureTarget:
        """Return the observations of a scope that hold a text."""
        ...

    def erase_evidence(self, target: ErasureTarget) -> None:
        """Erase them with their spool lines, dead letters and artifacts."""
        ...


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


def forget_memory(
    run: OperationRun,
    memory: Memory,
    within: Reach,
    evidence: EvidenceEraser,
    parts: Parts,
    indexed: memory_index.IndexedStore,
    *,
    verify: bool,
    channel: SourceKind,
    reason: ForgetReason | None,
) -> Ok[Forgotten]:
    """Erase a memory and the observations that hold its text, if the channel may, and answer with the receipt."""
    everywhere = reaches_everywhere(channel, parts)
    target = replace(evidence.evidence_of(memory.text, memory.scope), everywhere=everywhere)
    record = ForgottenRecord(memory.id, memory.trust, memory.scope)
    check_forget(record, target.observations, channel, parts)
    run.asked = forget_facts(memory.id, within, verify=verify, reason=reason)
    receipt = run.receipt(action="deleted", id=memory.id, observations=len(target.observations))
    forgotten = erase_memory(
        memory,
        within,
        memories=parts.ledger.memories,
        erase_evidence=lambda: evidence.erase_evidence(target),
        is_elsewhere=survives_elsewhere(parts.ledger, _erased_records(memory, target)),
        purge_index=lambda: memory_index.purge_index(indexed),
        files=parts.files,
        actor=parts.actor,
        receipt=receipt,
        verify=verify,
        everywhere=everywhere,
    )
    if forgotten is None:
        raise unknown_memory(memory.id, within)
    return run.committed(replace(forgotten, observations=len(target.observations)), receipt)


def _erased_records(memory: Memory, target: ErasureTarget) -> ErasedRecords:
    held = [text for text in (target.text, *(one.text for one in target.observations)) if text]
    texts = [form for text in held for form in stored_forms(text)]
    return ErasedRecords(memory.id, observations=target.ids, scope=target.scope, texts=texts)


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
