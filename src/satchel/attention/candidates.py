"""Candidates: what a request could be about, gathered within the view from several sources, and how each measures up."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.attention.request import Request, search_terms
from satchel.domain.attention import TYPE_OF, Details, MemoryType, kinds_of
from satchel.domain.edges import EdgeType, Evidence
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View
from satchel.ports import Ledger

# However many memories speak of one, so many of the strongest are heard.
MOST_EVIDENCE = 32
# What belongs beside a candidate is brought in whatever source it would have come from; so is what contradicts it.
MOST_COMPANIONS = 40
COMPANION_ROUNDS = 3


class Pool(Struct, frozen=True):
    """The candidates of a request, and what the ledger knows about them."""

    memories: tuple[Memory, ...]
    evidence: tuple[Evidence, ...]
    details: Mapping[MemoryId, Details]
    sources: Mapping[str, int]
    """How many each source brought."""

    def happened_at(self, memory: Memory) -> int:
        """Return when what a memory tells of happened, as far as anybody said."""
        details = self.details.get(memory.id)
        return memory.updated_at if details is None or details.recency is None else details.recency


def gather(request: Request, view: View, ledger: Ledger, policy: AttentionPolicy) -> Pool:
    """Collect the candidates of a request, each once, with the evidence for and against it."""
    matches = ledger.memories.match(search_terms(request, policy.search_terms), view, policy.pool_text)
    found = ledger.memories.fetch([one.id for one in matches], view)
    shelves = ledger.shelves
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
) -> tuple[tuple[Evidence, ...], dict[MemoryId, Memory]]:
    """Return the evidence about the pool, and what the pool lacks of it.

    A contradictor belongs beside its target, and a summary beside the episodes it was made of, though the role might
    not have looked for summaries.
    """
    # Whatever its kind, a memory may speak for or against another one; whether it may be packed is another question.
    speakers = replace(view, kinds=())
    heard: list[Evidence] = []
    added: dict[MemoryId, Memory] = {}
    asked = dict(pool)
    for _ in range(COMPANION_ROUNDS):
        news = ledger.edges.evidence(sorted(asked), speakers, MOST_EVIDENCE)
        heard += news
        wanted = {
            EdgeType.CONTRADICTS: view,
            EdgeType.DERIVED_FROM: replace(view, kinds=kinds_of((MemoryType.SUMMARY,))),
        }
        companions: dict[MemoryId, Memory] = {}
        for type, seen in wanted.items():
            sources = dict.fromkeys(one.edge.source for one in news if _speaks(one, type, asked))
            missing = [id for id in sources if id not in pool and id not in added][:MOST_COMPANIONS]
            companions |= ledger.memories.fetch(missing, seen) if missing else {}
        if not companions:
            break
        added |= companions
        asked = companions
    return tuple(heard), added


def _speaks(one: Evidence, type: EdgeType, about: Mapping[MemoryId, Memory]) -> bool:
    """Say whether an edge is of a type that makes its source a companion of its target."""
    if one.edge.type is not type:
        return False
    return type is EdgeType.CONTRADICTS or TYPE_OF[about[one.edge.target].kind] is MemoryType.EPISODE
