"""Erase a memory from every place it was written to, and verify that it is gone."""

from collections.abc import Callable, Sequence
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
from satchel.domain.admit import EDITED
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetCandidate, ForgetReason, Forgotten
from satchel.domain.fragments import stored_forms
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, SourceKind
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.indexing import memory_upkeep
from satchel.indexing.memory_index import IndexedStore
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
    indexed: IndexedStore,
    *,
    verify: bool,
    channel: SourceKind,
    reason: ForgetReason | None,
    with_versions: bool = False,
) -> Ok[Forgotten]:
    """Erase a memory, its earlier versions and the observations that hold their text, if the channel may."""
    everywhere = reaches_everywhere(channel, parts)
    versions, earlier = split_versions(memory, parts.ledger.memories, every=with_versions)
    targets = {
        one.id: replace(evidence.evidence_of(one.text, one.scope), everywhere=everywhere) for one in (memory, *versions)
    }
    for one in (memory, *versions):
        check_forget(ForgottenRecord(one.id, one.trust, one.scope), targets[one.id].observations, channel, parts)
    run.asked = forget_facts(memory.id, within, verify=verify, reason=reason)
    observations = len({id for target in targets.values() for id in target.ids})

    def erase_first() -> None:
        # The oldest version first: after an interruption the memory still leads to those that are left.
        for one in reversed(versions):
            evidence.erase_evidence(targets[one.id])
            own = run.receipt(action="deleted", id=one.id, version_of=memory.id)
            parts.ledger.memories.erase(one.id, within, parts.actor, own, everywhere=everywhere)
        evidence.erase_evidence(targets[memory.id])

    receipt = run.receipt(action="deleted", id=memory.id, observations=observations)
    forgotten = erase_memory(
        memory,
        within,
        memories=parts.ledger.memories,
        versions=versions,
        erase_evidence=erase_first,
        is_elsewhere=survives_elsewhere(parts.ledger, _erased_records(memory, versions, [*targets.values()])),
        purge_index=lambda: memory_upkeep.purge_index(indexed),
        files=parts.files,
        actor=parts.actor,
        receipt=receipt,
        verify=verify,
        everywhere=everywhere,
    )
    if forgotten is None:
        raise unknown_memory(memory.id, within)
    answer = replace(
        forgotten,
        observations=observations,
        versions=tuple(one.id for one in versions),
        earlier=tuple(one.id for one in earlier),
    )
    return run.committed(answer, receipt)


def split_versions(memory: Memory, memories: MemoryStore, *, every: bool) -> tuple[list[Memory], list[Memory]]:
    """Return the memories that one replaced, newest first: those erased with it, and those that are kept.

    A memory before an edit is an earlier version of it. One replaced by other means is erased only if `every` one shall be.
    """
    erased: list[Memory] = []
    kept: list[Memory] = []
    waiting, seen = [memory], {memory.id}
    while waiting:
        for one in reversed(memories.replaced_by(waiting.pop(0).id, memory.scope)):
            if one.id not in seen:
                seen.add(one.id)
                goes = every or one.reason == EDITED
                (erased if goes else kept).append(one)
                waiting += [one] if goes else []
    return erased, kept


def _erased_records(memory: Memory, versions: Sequence[Memory], targets: Sequence[ErasureTarget]) -> ErasedRecords:
    held = [text for target in targets for text in (target.text, *(one.text for one in target.observations)) if text]
    texts = [form for text in held for form in stored_forms(text)]
    ids = [id for target in targets for id in target.ids]
    return ErasedRecords(memory.id, [one.id for one in versions], ids, scope=memory.scope, texts=texts)


def erase_memory(
    memory: Memory,
    within: Reach,
    *,
    memories: MemoryStore,
    versions: Sequence[Memory] = (),
    erase_evidence: Callable[[], None],
    is_elsewhere: Callable[[str], bool],
    purge_index: Callable[[], bool],
    files: Files,
    actor: str,
    receipt: Receipt,
    verify: bool,
    everywhere: bool,
) -> Forgotten | None:
    """Erase a memory; None if it was already gone. `verify` searches every file for its text before and after.

    `erase_evidence` also erases its earlier versions, whose text is searched for too.
    """
    texts = "\n".join(f"{one.text}\n{one.title or ''}" for one in (memory, *versions))
    proof = prepare_erasure_proof(texts, is_elsewhere, files, verify=verify)
    # Evidence first: the ledger knows what to look for until the memory is gone.
    erase_evidence()
    if not memories.erase(memory.id, within, actor, receipt, everywhere=everywhere):
        return None
    # The ledger's file is clean only once its log has been written into it and emptied.
    return clear_places(memory.id, proof, {"index": purge_index, "ledger": memories.scrub, "spool": lambda: True})
