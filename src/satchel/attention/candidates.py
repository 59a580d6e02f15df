"""Gather candidate memories for a request from several sources, with the evidence about them."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.attention.request import AttentionRequest, search_terms
from satchel.domain.attention import TYPE_OF, Details, MemoryType, kinds_of_types
from satchel.domain.edges import EdgeType, VisibleEdge
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View
from satchel.ports import Ledger

# Maximum number of edges considered per memory, strongest first.
MAX_EVIDENCE = 32
# Maximum number of contradictors and summaries added per round, and the number of rounds.
MAX_COMPANIONS = 40
COMPANION_ROUNDS = 3


class Pool(Struct, frozen=True):
    """The candidates of a request, with their evidence and details."""

    memories: tuple[Memory, ...]
    evidence: tuple[VisibleEdge, ...]
    details: Mapping[MemoryId, Details]
    sources: Mapping[str, int]
    """Number of candidates from each source."""

    def happened_at(self, memory: Memory) -> int:
        """Return when the content of a memory happened, as far as known."""
        details = self.details.get(memory.id)
        return memory.updated_at if details is None or details.recency is None else details.recency


def gather(request: AttentionRequest, view: View, ledger: Ledger, policy: AttentionPolicy) -> Pool:
    """Collect distinct candidates with the evidence for and against them."""
    matches = ledger.memories.match(search_terms(request, policy.search_terms), view, policy.pool_text)
    found = ledger.memories.fetch([one.id for one in matches], view)
    shelves = ledger.candidate_lists
    sources: dict[str, Sequence[Memory]] = {
        "text": [found[one.id] for one in matches if one.id in found],
        "task": shelves.of_task(request.task, view, policy.pool_task) if request.task else (),
        "session": shelves.of_session(request.session, view, policy.pool_session) if request.session else (),
        "durable": shelves.durable(view, policy.pool_durable),
        "recent": shelves.recent(view, policy.pool_recent),
    }
    pool = {memory.id: memory for memories in sources.values() for memory in memories}
    evidence, companions = _evidence(pool, view, ledger)
    pool |= companions
    counts = {name: len(memories) for name, memories in sources.items()} | {"graph": len(companions)}
    memories = tuple(pool[id] for id in sorted(pool))
    return Pool(memories, evidence, ledger.details.of([one.id for one in memories]), counts)


def _evidence(
    pool: Mapping[MemoryId, Memory], view: View, ledger: Ledger
) -> tuple[tuple[VisibleEdge, ...], dict[MemoryId, Memory]]:
    """Return the evidence about the pool, and its companions that the pool lacks.

    Companions are contradictors, and summaries of the pool's episodes, even if the role does not read summaries.
    """
    # A memory of any kind counts as evidence; whether it may be packed is decided later.
    speakers = replace(view, kinds=())
    heard: list[VisibleEdge] = []
    added: dict[MemoryId, Memory] = {}
    asked = dict(pool)
    for _ in range(COMPANION_ROUNDS):
        news = ledger.edges.evidence(sorted(asked), speakers, MAX_EVIDENCE)
        heard += news
        wanted = {
            EdgeType.CONTRADICTS: view,
            EdgeType.DERIVED_FROM: replace(view, kinds=kinds_of_types((MemoryType.SUMMARY,))),
        }
        companions: dict[MemoryId, Memory] = {}
        for type, seen in wanted.items():
            sources = dict.fromkeys(one.edge.source for one in news if _speaks(one, type, asked))
            missing = [id for id in sources if id not in pool and id not in added][:MAX_COMPANIONS]
            companions |= ledger.memories.fetch(missing, seen) if missing else {}
        if not companions:
            break
        added |= companions
        asked = companions
    return tuple(heard), added


def _speaks(one: VisibleEdge, type: EdgeType, about: Mapping[MemoryId, Memory]) -> bool:
    """Return whether an edge makes its source a companion of its target."""
    if one.edge.type is not type:
        return False
    return type is EdgeType.CONTRADICTS or TYPE_OF[about[one.edge.target].kind] is MemoryType.EPISODE
