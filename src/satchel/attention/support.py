"""What memories say of each other: support lifts, contradiction costs, and the contradicted stands below whoever contradicts it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.edges import EdgeType, Evidence
from satchel.domain.record import Memory, MemoryId
from satchel.domain.trust import outranks

SUPPORTING = (EdgeType.SUPPORTS, EdgeType.EXTENDS)
# Just enough to stand below, and still visible when it is printed.
STEP = 0.000001


class Graph(Struct, frozen=True):
    """The evidence about a pool of candidates, as far as it counts. All of it points at its target."""

    support: Mapping[MemoryId, float]
    contradiction: Mapping[MemoryId, float]
    contradictors: Mapping[MemoryId, tuple[MemoryId, ...]]
    similar: frozenset[frozenset[MemoryId]]
    derived: Mapping[MemoryId, tuple[MemoryId, ...]]
    """Of each memory, those that were derived from it."""


def graph(evidence: Iterable[Evidence], memories: Sequence[Memory]) -> Graph:
    """Weigh the evidence about some memories. A source counts once; one that is less trusted cannot contradict."""
    known = {memory.id: memory for memory in memories}
    by_type: dict[EdgeType, dict[MemoryId, dict[MemoryId, float]]] = defaultdict(lambda: defaultdict(dict))
    for one in evidence:
        edge = one.edge
        if edge.type is EdgeType.CONTRADICTS and outranks(known[edge.target].trust, one.trust):
            continue
        type = EdgeType.SUPPORTS if edge.type in SUPPORTING else edge.type
        sources = by_type[type][edge.target]
        sources[edge.source] = max(edge.weight, sources.get(edge.source, 0.0))
    against = by_type[EdgeType.CONTRADICTS]
    similar = by_type[EdgeType.SIMILAR]
    return Graph(
        support=_strengths(by_type[EdgeType.SUPPORTS]),
        contradiction=_strengths(against),
        # Whoever contradicts with no weight at all has said nothing.
        contradictors={id: tuple(one for one, weight in sorted(s.items()) if weight) for id, s in against.items()},
        similar=frozenset(frozenset((id, other)) for id, others in similar.items() for other in others),
        derived={id: tuple(sorted(others)) for id, others in by_type[EdgeType.DERIVED_FROM].items()},
    )


def _strengths(about: Mapping[MemoryId, Mapping[MemoryId, float]]) -> dict[MemoryId, float]:
    return {id: min(1.0, sum(weight for _, weight in sorted(sources.items()))) for id, sources in about.items()}


class Standing(Struct, frozen=True):
    """How the contradicted stand: who was overruled by whom, and where its score has to end at most."""

    overruled: Mapping[MemoryId, MemoryId]
    ceilings: Mapping[MemoryId, float]


def settle(scores: Mapping[MemoryId, float], contradictors: Mapping[MemoryId, tuple[MemoryId, ...]]) -> Standing:
    """Decide which contradicted memories are overruled, so that none beats the one that contradicts it.

    A memory is overruled by a contradictor that itself stands. One that is overruled overrules nobody: what it spoke
    against stands again. Where memories contradict each other in a circle, the best score stands, and whoever
    contradicts it is overruled.
    """
    against = {id: tuple(one for one in contradictors.get(id, ()) if one != id) for id in scores}
    # What is not ranked speaks all the same, and nobody has to decide about it.
    standing = {one for sources in against.values() for one in sources if one not in scores}
    standing |= {id for id in scores if not against[id]}
    waiting = sorted((id for id in scores if against[id]), key=lambda id: (-scores[id], id))
    overruled: dict[MemoryId, MemoryId] = {}
    while waiting:
        beaten = next((id for id in waiting if standing.intersection(against[id])), None)
        if beaten is not None:
            waiting.remove(beaten)
            overruled[beaten] = _strongest([one for one in against[beaten] if one in standing], scores)
            continue
        winner = next((id for id in waiting if overruled.keys() >= set(against[id])), waiting[0])
        standing.add(winner)
        waiting.remove(winner)
        for one in [one for one in against[winner] if one in waiting]:
            waiting.remove(one)
            overruled[one] = winner
    return Standing(overruled, _ceilings(overruled, standing, against, scores))


def _strongest(ids: Sequence[MemoryId], scores: Mapping[MemoryId, float]) -> MemoryId:
    return min(ids, key=lambda id: (id not in scores, -scores.get(id, 0.0), id))


def _ceilings(
    overruled: Mapping[MemoryId, MemoryId],
    standing: set[MemoryId],
    against: Mapping[MemoryId, tuple[MemoryId, ...]],
    scores: Mapping[MemoryId, float],
) -> dict[MemoryId, float]:
    """Return where the scores of the overruled have to end, if they reach higher than those who overrule them."""
    ceilings = {}
    for id, winner in overruled.items():
        above = [scores[one] for one in (winner, *against[id]) if one in standing and one in scores]
        if above and scores[id] >= min(above):
            ceilings[id] = round(min(above) - STEP, 6)
    return ceilings
