"""Compares the indexes with the ledger, and rebuilds those that are damaged."""

from collections.abc import Sequence

from satchel.domain.answers import HealthFinding
from satchel.errors import Unavailable
from satchel.indexing import memory_upkeep, passage_index
from satchel.indexing.passage_index import IndexedPassages
from satchel.maintenance import doctor
from satchel.ports import Progress


def examine_indexes(evidence: IndexedPassages) -> list[HealthFinding]:
    """Return what is found of the index of memories and of that of evidence."""
    store = evidence.store
    memories = doctor.index_findings(store.index(), store.ledger.feed)
    try:
        index = evidence.index()
    except Unavailable as error:
        return [
            *memories,
            HealthFinding(doctor.EVIDENCE_INDEX, "warning", f"{error.message}; words answer", error.hint),
        ]
    return [*memories, *doctor.index_findings(index, store.ledger.passages.feed, doctor.EVIDENCE_INDEX)]


def repair_indexes(evidence: IndexedPassages, progress: Progress | None) -> list[HealthFinding]:
    """Bring both indexes up to date, rebuild damaged ones, and return what is found of them then."""
    repaired = _repair(examine_indexes(evidence), evidence, progress)
    # An index that was behind is compared with the ledger only once it has caught up.
    is_broken = any(one.status == "bad" for one in repaired)
    return _repair(repaired, evidence, progress) if is_broken else repaired


def _repair(
    findings: Sequence[HealthFinding], evidence: IndexedPassages, progress: Progress | None
) -> list[HealthFinding]:
    store = evidence.store
    broken = {one.check for one in findings if one.status == "bad"}
    if doctor.INDEX in broken:
        store.index().drop()
    try:
        memory_upkeep.update_index(store, progress)
    except Unavailable:
        # Some damage shows only when the index is written.
        store.index().drop()
        memory_upkeep.update_index(store, progress)
    try:
        passage_index.update_index(evidence, progress, rebuild=doctor.EVIDENCE_INDEX in broken)
    except Unavailable:
        passage_index.update_index(evidence, progress, rebuild=True)
    return examine_indexes(evidence)
