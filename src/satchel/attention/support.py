"""Weigh the evidence between memories: support raises, contradiction lowers below the contradictor."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.edges import EdgeType, VisibleEdge
from satchel.domain.record import Memory, MemoryId
from satchel.domain.trust import outranks

SUPPORTING = (EdgeType.SUPPORTS, EdgeType.EXTENDS)
JUDGING = (*SUPPORTING, EdgeType.CONTRADICTS)
# The smallest difference that is visible in printed scores.
STEP = 0.000001


class EvidenceGraph(Struct, frozen=True):
    """The weighted evidence about some candidates, by target."""

    support: Mapping[MemoryId, float]
    contradiction: Mapping[MemoryId, float]
    contradictors: Mapping[MemoryId, tuple[MemoryId, ...]]
    similar: frozenset[frozenset[MemoryId]]
    derived: Mapping[MemoryId, tuple[MemoryId, ...]]
    """For each memory, those derived from it."""


def weigh_evidence(evidence: Iterable[VisibleEdge], memories: Sequence[Memory]) -> EvidenceGraph:
    """Weigh the evidence about some memories. A source counts once, and not for or against a more trusted memory."""
    known = {memory.id: memory for memory in memories}
    by_type: dict[EdgeType, dict[MemoryId, dict[MemoryId, float]]] = defaultdict(lambda: defaultdict(dict))
    for one in evidence:
        edge = one.edge
        if edge.type in JUDGING and outranks(known[edge.target].trust, one.trust):
            continue
        type = EdgeType.SUPPORTS if edge.type in SUPPORTING else edge.type
        sources = by_type[type][edge.target]
        sources[edge.source] = max(edge.weight, sources.get(edge.source, 0.0))
    against = by_type[EdgeType.CONTRADICTS]
    similar = by_type[EdgeType.SIMILAR]
    return EvidenceGraph(
        support=_strengths(by_type[EdgeType.SUPPORTS]),
        contradiction=_strengths(against),
        # A contradiction with weight 0 does not count.
        contradictors={id: tuple(one for one, weight in sorted(s.items()) if weight) for id, s in against.items()},
        similar=frozenset(frozenset((id, other)) for id, others in similar.items() for other in others),
        derived={id: tuple(sorted(others)) for id, others in by_type[EdgeType.DERIVED_FROM].items()},
    )


def _strengths(about: Mapping[MemoryId, Mapping[MemoryId, float]]) -> dict[MemoryId, float]:
    return {id: min(1.0, sum(weight for _, weight in sorted(sources.items()))) for id, sources in about.items()}


class Overrules(Struct, frozen=True):
    """Which memories are overruled by which, and the maximum scores that follow."""

    overruled: Mapping[MemoryId, MemoryId]
    ceilings: Mapping[MemoryId, float]


def settle_contradictions(
    scores: Mapping[MemoryId, float], contradictors: Mapping[MemoryId, tuple[MemoryId, ...]]
) -> Overrules:
    """Decide which contradicted memories are overruled, so that none outranks its contradictor.

    A memory is overruled by a contradictor that is not overruled itself. If memories contradict each other in a circle,
    the one with the best score stands and its contradictors are overruled.
    """
    against = {id: tuple(one for one in contradictors.get(id, ()) if one != id) for id in scores}
    # Contradictors outside the ranking count, and need no decision.
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
    return Overrules(overruled, _ceilings(overruled, standing, against, scores))


def _strongest(ids: Sequence[MemoryId], scores: Mapping[MemoryId, float]) -> MemoryId:
    return min(ids, key=lambda id: (id not in scores, -scores.get(id, 0.0), id))


def _ceilings(
    overruled: Mapping[MemoryId, MemoryId],
    standing: set[MemoryId],
    against: Mapping[MemoryId, tuple[MemoryId, ...]],
    scores: Mapping[MemoryId, float],
) -> dict[MemoryId, float]:
    """Return the maximum scores of overruled memories that rank too high."""
    ceilings = {}
    for id, winner in overruled.items():
        above = [scores[one] for one in (winner, *against[id]) if one in standing and one in scores]
        if above and scores[id] >= min(above):
            ceilings[id] = round(min(above) - STEP, 6)
    return ceilings
