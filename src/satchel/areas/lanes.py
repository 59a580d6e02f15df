"""The lanes of a store as the native backends of the router search them. Nothing here writes: a call may be given up."""

from msgspec.structs import replace

from satchel.area import Parts
from satchel.domain.ranking import Hit
from satchel.domain.record import Memory
from satchel.domain.scope import reach
from satchel.domain.view import View
from satchel.memory import MemoryOperations
from satchel.route.backends.lanes import Finding, Found, Lanes

_MODES = {"search": "lexical", "vsearch": "vector", "query": "hybrid"}
# What has no vector yet is found by its words; what waits for an answer must not wait for that.
_NO_MODEL = "by words only"


def lanes_of(parts: Parts) -> Lanes:
    """Return the lanes of a store."""
    memory = MemoryOperations(_silent(parts))

    def memories(text: str, *, mode: str, limit: int, scope: str | None) -> Found:
        answer = memory.recall(text, mode=_MODES[mode], limit=limit, scope=scope, fallback=False)
        warning = next(iter(answer.receipt.warnings), None)
        return Found(tuple(_of_hit(hit) for hit in answer.result.hits), warning)

    def recent(*, limit: int, scope: str | None) -> Found:
        view = View(reach(scope, parts.policies.scope), parts.clock.now())
        return Found(tuple(_of_memory(one, 1.0) for one in parts.ledger.shelves.recent(view, limit)))

    return Lanes(memories=memories, recent=recent)


def _silent(parts: Parts) -> Parts:
    """Return the same store without receipts of its own for every lane: the router keeps one for them all."""
    receipts = replace(parts.policies.receipts, enabled=False)
    return replace(parts, policies=replace(parts.policies, receipts=receipts))


def _of_hit(hit: Hit) -> Finding:
    return _of_memory(hit.memory, hit.relevance)


def _of_memory(memory: Memory, relevance: float) -> Finding:
    text = memory.text if not memory.title else f"{memory.title}: {memory.text}"
    return Finding(memory.id, text, relevance, memory.created_at, memory.valid_from)
