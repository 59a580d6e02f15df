"""Looks at every part of a store, or at what can be seen at once, and returns the findings."""

from collections.abc import Sequence

from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.answers import HealthFinding
from satchel.domain.receipt import Receipt
from satchel.indexing.embed import embed_text
from satchel.indexing.memory_index import IndexedStore, get_embedder
from satchel.indexing.passage_index import IndexedPassages
from satchel.maintenance import doctor
from satchel.maintenance.index_repair import examine_indexes, repair_indexes
from satchel.maintenance.index_reports import store_move
from satchel.maintenance.values import CheckUp
from satchel.ports import Progress
from satchel.ports.damage import DamagedRecord


def examine_store(parts: Parts, evidence: IndexedPassages, progress: Progress | None, *, fix: bool) -> CheckUp:
    """Check every part of a store; with `fix`, repair what can be repaired."""
    ledger = parts.ledger
    quarantined = _quarantine_damaged(parts) if fix else []
    ledger_findings = ledger.check_up(fix=fix)
    findings = (
        *ledger_findings,
        *doctor.quarantine_findings(quarantined),
        *parts.files.check_up(fix=fix),
        *parts.check_configuration(),
        *doctor.server_findings(parts.server()),
        *_hook_findings(parts, fix=fix),
        doctor.receipts_finding(ledger.receipts.verify()),
        *doctor.receipt_size_findings(ledger.receipts.size(), parts.clock.now()),
        _backup_finding(parts),
        _erasure_finding(parts, fix=fix),
        _embeddings_finding(evidence.store),
        *doctor.model_findings(parts.check_models()),
        *doctor.move_findings(store_move(parts, evidence.store), ledger.vectors.space()),
        *(repair_indexes(evidence, progress) if fix else examine_indexes(evidence)),
    )
    return CheckUp(_is_healthy(findings), not _is_healthy(ledger_findings), findings)


def examine_at_once(parts: Parts, store: IndexedStore) -> CheckUp:
    """Check what can be checked without reading every record."""
    ledger, space = parts.ledger, parts.ledger.vectors.space()
    waiting, skipped = ledger.vectors.backlog(space)
    findings = (
        *parts.files.check_up(),
        *doctor.server_findings(parts.server()),
        *_hook_findings(parts, fix=False),
        doctor.erasure_finding(ledger.memories.unscrubbed()),
        doctor.embeddings_finding(waiting, skipped, lambda: None, space),
        *doctor.move_findings(store_move(parts, store), space),
    )
    return CheckUp(_is_healthy(findings), False, findings)


def _is_healthy(findings: Sequence[HealthFinding]) -> bool:
    return all(one.status != "bad" for one in findings)


def _quarantine_damaged(parts: Parts) -> list[DamagedRecord]:
    found: list[DamagedRecord] = []

    def receipt(damaged: Sequence[DamagedRecord]) -> Receipt:
        found.extend(damaged)
        run = OperationRun(parts, "quarantine", {"reason": "damaged"})
        return run.receipt(ids=[one.id for one in damaged])

    parts.ledger.quarantine_damaged(parts.actor, receipt)
    return found


def _hook_findings(parts: Parts, *, fix: bool) -> list[HealthFinding]:
    failures = parts.hook_failures()
    cleared = fix and parts.clear_hook_failures()
    return doctor.hook_findings(failures, cleared=cleared)


def _backup_finding(parts: Parts) -> HealthFinding:
    if parts.ledger.is_on_server:
        return doctor.server_backup_finding()
    made = parts.ledger.receipts.recent(1, "backup")
    return doctor.backup_finding(made[0].at if made else None, parts.clock.now())


def _erasure_finding(parts: Parts, *, fix: bool) -> HealthFinding:
    memories = parts.ledger.memories
    if fix and memories.unscrubbed():
        memories.scrub()
    return doctor.erasure_finding(memories.unscrubbed())


def _embeddings_finding(store: IndexedStore) -> HealthFinding:
    ledger, space = store.ledger, store.ledger.vectors.space()
    waiting, skipped = map(sum, zip(ledger.vectors.backlog(space), ledger.passages.vectors.backlog(space), strict=True))

    def try_embedder() -> None:
        embed_text(get_embedder(store), "test", store.clamp)

    return doctor.embeddings_finding(waiting, skipped, try_embedder, space)
