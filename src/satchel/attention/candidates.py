"""Gather candidate memories for a request from several sources, with the evidence about them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.attention import every_step
from satchel.attention.relevance import Nearness, Searches, inherit, judge
from satchel.attention.request import AttentionRequest
from satchel.domain.attention import TYPE_OF, Details, MemoryType, kinds_of_types
from satchel.domain.edges import EdgeType, VisibleEdge
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId, Trust
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
    near: Mapping[MemoryId, Nearness]
    evidence: tuple[VisibleEdge, ...]
    details: Mapping[MemoryId, Details]
    sources: Mapping[str, int]
    """Number of candidates from each source."""

    @property
    def measured_by_meaning(self) -> bool:
        """Whether a candidate could be compared by meaning, or there was none to compare."""
        return not self.near or any(one.cosine is not None for one in self.near.values())

    def happened_at(self, memory: Memory) -> int:
        """Return when the content of a memory happened, as far as known."""
        details = self.details.get(memory.id)
        return memory.updated_at if details is None or details.recency is None else details.recency


def gather(request: AttentionRequest, view: View, searches: Searches, ledger: Ledger, policy: AttentionPolicy) -> Pool:
    """Collect distinct candidates, how relevant they are, and the evidence for and against them.

    Trusted and untrusted memories have limits of their own, so that neither can crowd out the other.
    """
    sources: dict[str, list[Memory]] = {}
    for trust, ids in searches.found.items():
        for name, memories in _sources(request, replace(view, trusts=(trust,)), ids, ledger, policy).items():
            sources.setdefault(name, []).extend(memories)
    pool = {memory.id: memory for memories in sources.values() for memory in memories}
    evidence, companions = _evidence(pool, view, ledger)
    pool |= companions
    counts = {name: len(memories) for name, memories in sources.items()} | {"graph": len(companions)}
    memories = tuple(pool[id] for id in sorted(pool))
    near = judge(memories, searches, ledger)
    for _ in range(COMPANION_ROUNDS):
        near = inherit(near, _spoken_about(evidence, pool))
    return Pool(memories, near, evidence, ledger.details.of([one.id for one in memories]), counts)


def _sources(
    request: AttentionRequest, view: View, found: Sequence[MemoryId], ledger: Ledger, policy: AttentionPolicy
) -> dict[str, Sequence[Memory]]:
    """Return the candidates of one trust tier by source."""
    lists, memories = ledger.candidate_lists, ledger.memories
    return {
        "text": list(memories.fetch(found, view).values()),
        "task": lists.of_task(request.task, view, policy.pool_task) if request.task else (),
        "session": lists.of_session(request.session, view, policy.pool_session) if request.session else (),
        "durable": lists.durable(view, policy.pool_durable),
        "rules": _rules(view, ledger, policy.pool_rules),
        "recent": lists.recent(view, policy.pool_recent),
    }


def _rules(view: View, ledger: Ledger, limit: int) -> Sequence[Memory]:
    """Return trusted preferences that may apply to every step, found by their words whatever their importance."""
    if Trust.TRUSTED not in view.trusts or not limit:
        return ()
    preferences = replace(view, kinds=kinds_of_types((MemoryType.PREFERENCE,)))
    found = ledger.memories.match(every_step.SEARCH_TERMS, preferences, limit)
    return list(ledger.memories.fetch([one.id for one in found], preferences).values())


def _spoken_about(
    evidence: Iterable[VisibleEdge], pool: Mapping[MemoryId, Memory]
) -> Iterator[tuple[MemoryId, MemoryId]]:
    """Yield each companion with the memory that it contradicts or summarises: it is about the same."""
    for one in evidence:
        about = {id: pool[id] for id in (one.edge.target,) if id in pool}
        if about and any(_speaks(one, type, about) for type in (EdgeType.CONTRADICTS, EdgeType.DERIVED_FROM)):
            yield one.edge.source, one.edge.target


def _evidence(
    pool: Mapping[MemoryId, Memory], view: View, ledger: Ledger
) -> tuple[tuple[VisibleEdge, ...], dict[MemoryId, Memory]]:
    """Return the evidence about the pool, and its companions that the pool lacks.

    Companions are contradictors, and summaries of the pool's episodes, even if the role does not read summaries.
    """
    # A memory of any kind counts as evidence; whether it may be packed is decided later.
    # Each trust tier has a limit of its own: many untrusted edges must not hide a trusted one.
    speakers = [replace(view, kinds=(), trusts=(trust,)) for trust in view.trusts]
    heard: list[VisibleEdge] = []
    added: dict[MemoryId, Memory] = {}
    asked = dict(pool)
    for _ in range(COMPANION_ROUNDS):
        news = [one for tier in speakers for one in ledger.edges.evidence(sorted(asked), tier, MAX_EVIDENCE)]
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
