"""Reports the state of the indexes, and answers what was done to them with its receipt."""

from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space
from satchel.domain.envelope import Ok
from satchel.errors import Unavailable
from satchel.indexing import memory_upkeep, passage_index
from satchel.indexing.embed import BacklogResult
from satchel.indexing.memory_index import IndexedStore
from satchel.indexing.move import move_progress
from satchel.indexing.passage_index import IndexedPassages
from satchel.indexing.values import FullTextReport, IndexReport, MoveProgress
from satchel.ports import MissingExtra


def report_indexes(parts: Parts, evidence: IndexedPassages) -> IndexReport:
    """Compare the indexes with the ledger."""
    ledger = parts.ledger
    runs = [ledger.receipts.recent(1, f"index {verb}") for verb in ("build", "rebuild", "optimize")]
    return replace(
        memory_upkeep.index_report(evidence.store),
        passages=passage_index.index_report(evidence),
        move=store_move(parts, evidence.store),
        last_run_at=max((one.at for found in runs for one in found), default=None),
        full_texts=tuple(FullTextReport(*one) for one in ledger.full_texts()),
    )


def store_move(parts: Parts, store: IndexedStore) -> MoveProgress | None:
    """Return how far the store's move to another embedder is; None if it stays with its own."""
    target = parts.move_to()
    return None if target is None else move_progress(store, target)


def missing_extra(parts: Parts) -> MissingExtra | None:
    """Return what an index of this store needs and is not installed."""
    return parts.index().status().missing or parts.passage_index().status().missing


def answer_updated(
    run: OperationRun, filled: BacklogResult, parts: Parts, evidence: IndexedPassages, before: Space | None = None
) -> Ok[IndexReport]:
    """Answer with the indexes as they are after an update, and keep the receipt. `before` was the embedding space then."""
    report = report_indexes(parts, evidence)
    if before is not None and before.name != report.space:
        report = replace(report, space_before=before.name)
    if (missing := missing_extra(parts)) is not None:
        message = f"{missing.message}; {filled.made} new vectors are kept, and recall compares all in the ledger"
        raise Unavailable(message, code="missing_extra", hint=missing.hint)
    if filled.problem:
        run.warn(f"{filled.problem}: embedding stopped before the end")
    run.decided = {
        "embedding_space": report.space,
        "embedded": filled.made,
        "embeddingSkipped": filled.skipped,
        "rows": report.rows,
        "behind": report.behind,
        "after": index_sizes(report),
    }
    return run.keep(report)


def index_sizes(report: IndexReport) -> dict[str, Json]:
    """Return what a merge changes, for the receipt."""
    indexes = {"memories": report, "evidence": report.passages}
    return {
        name: {"rows": one.rows, "fragments": one.fragments, "versions": one.versions, "bytes": one.bytes}
        for name, one in indexes.items()
        if one is not None
    }
