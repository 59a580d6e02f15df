"""Answer a recall from the memories as they are or as they were, with its receipt."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.document_hits import DocumentFallback
from satchel.domain.envelope import Ok
from satchel.domain.policies import ReceiptPolicy
from satchel.domain.receipt_sections import ColdLane, LifecycleSection, QuestionAsked
from satchel.domain.record import MemoryId
from satchel.domain.scope import ScopeMode
from satchel.indexing.memory_index import SearchReadiness
from satchel.memories.as_of import point_of
from satchel.memories.unknown_scope import empty_scope_warning
from satchel.recall.changes import changed_hits
from satchel.recall.recaller import CompletedRecall, Recaller
from satchel.recall.receipt import (
    candidates_section,
    decision_section,
    lifecycle_receipt,
    recall_result,
    recall_warnings,
)
from satchel.recall.request import RecallRequest
from satchel.recall.values import Recalled


def recall_now(
    run: OperationRun,
    asked: QuestionAsked,
    request: RecallRequest,
    recaller: Recaller,
    parts: Parts,
    *,
    keep: bool,
    for_agent: bool,
) -> Ok[Recalled]:
    """Answer from the memories as they are, and from the documents where those do not answer."""
    run.asked = asked
    (recalled, documents, earlier), reads = parts.ledger.read_from_replica(lambda: _search(request, recaller))
    found, ready = recalled.found, recalled.ready
    run.considered = replace(
        candidates_section(found),
        embedding_space=ready.space.name if ready.space else None,
        embeddings_waiting=ready.waiting,
        index_behind=ready.behind,
        reranker=recaller.reranker,
        reads=UNSET if reads is None else reads,
    )
    lifecycle = _lifecycle(recalled, documents, parts.policies.receipts)
    run.decided = decision_section(found, request.policies, lifecycle)
    run.warn(ready.warning, *recall_warnings(found, request.policies))
    if not found.hits and not for_agent:
        run.warn(_unknown_scope(request, parts))
    answer = replace(recall_result(found, request), cold=documents, earlier=earlier or UNSET)
    return run.keep_if_enabled(answer, [hit.memory.id for hit in found.hits]) if keep else run.done(answer)


def recall_as_of(
    run: OperationRun,
    asked: QuestionAsked,
    request: RecallRequest,
    as_of: str | int,
    recaller: Recaller,
    parts: Parts,
    *,
    keep: bool,
) -> Ok[Recalled]:
    """Answer from the memories as they were. No use is counted: an answer about the past does not keep memories from ageing."""
    point = point_of(as_of, parts.ledger, parts.clock.now())
    recalled = recaller.recall_as_of(request, point.seq, point.at)
    found, ready = recalled.found, recalled.ready
    reworded = 0
    if recalled.vector_query is not None:
        reworded = parts.ledger.history.reworded_since(point.seq, request.view.reach)
    run.asked = replace(asked, as_of=point.seq)
    run.considered = replace(
        candidates_section(found),
        tag=point.name,
        reworded=reworded,
        embedding_space=ready.space.name if ready.space else None,
    )
    lifecycle = _lifecycle(recalled, None, parts.policies.receipts)
    run.decided = decision_section(found, request.policies, lifecycle)
    run.warn(ready.warning)
    if reworded:
        run.warn(f"as_of_words: {reworded} memories had another wording then; they are found by words only")
    run.warn(*recall_warnings(found, request.policies))
    answer = replace(recall_result(found, request), as_of=point)
    return run.keep_if_enabled(answer) if keep else run.done(answer)


def _search(
    request: RecallRequest, recaller: Recaller
) -> tuple[CompletedRecall, DocumentFallback, dict[MemoryId, MemoryId]]:
    recalled = recaller.recall(request)
    found = recalled.found
    earlier = changed_hits(found.hits, found.nearest, recalled.ledger, request.view)
    return recalled, recaller.documents(request, found.plausible), earlier


def _unknown_scope(request: RecallRequest, parts: Parts) -> str:
    """Return a warning if the requested scope has no memories at all: perhaps it is misspelt."""
    if request.placement.mode is ScopeMode.GLOBAL:
        return ""
    return empty_scope_warning(request.placement.scope, request.view.reach, parts)


def _lifecycle(
    recalled: CompletedRecall, documents: DocumentFallback | None, policy: ReceiptPolicy
) -> LifecycleSection | UnsetType:
    if not policy.enabled:
        return UNSET
    section = lifecycle_receipt(recalled.found, policy, rejected=_rejected(recalled.ready))
    return replace(section, cold_lane=documents.section if documents else ColdLane())


def _rejected(ready: SearchReadiness) -> list[str]:
    """Return why a question has no vector, as the lifecycle receipt names it."""
    if ready.vector is not None or not ready.warning:
        return []
    too_long = ready.warning.partition(":")[0] == "input_too_long"
    return ["embedding_input_too_long" if too_long else "provider_unavailable"]
