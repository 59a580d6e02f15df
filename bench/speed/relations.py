"""A random graph in which a few entities have very many relations."""

import random
from collections.abc import Iterator

from bench.speed.corpus import SEED
from satchel.app import Satchel
from satchel.domain.graph import Claim, EntityType, Extract, Ref, Relation, Sighting, Source, SourceType
from satchel.domain.receipt import Receipt
from satchel.ports.graph import Read

SCOPE = "project/graph"
RELATIONS_PER_ENTITY = 5
_PER_SOURCE = 100
_POPULAR_SHARE = 0.2
_USED = (Relation.USES, Relation.DEPENDS_ON, Relation.CALLS, Relation.IMPORTS, Relation.MENTIONS)


def name_of(entity: int) -> str:
    """Return the name of an entity."""
    return f"service {entity:05d}"


def relate(memory: Satchel, relations: int) -> None:
    """Write random relations to a store."""
    memory.parts.ledger.graph.replace(list(_reads(relations)), [], Receipt("graph extract", {}))


def _reads(relations: int) -> Iterator[Read]:
    chance, entities = random.Random(SEED + 6), relations // RELATIONS_PER_ENTITY
    for start in range(0, relations, _PER_SOURCE):
        claims: dict[tuple[int, int], Claim] = {}
        while len(claims) < min(_PER_SOURCE, relations - start):
            popular = min(entities - 1, int(chance.paretovariate(0.5)))
            # In turn, so that every entity has a relation.
            tail = (start + len(claims)) % entities
            head = popular if chance.random() < _POPULAR_SHARE else chance.randrange(entities)
            if tail != head:
                claims[tail, head] = Claim(_ref(tail), chance.choice(_USED), _ref(head), "bench", 1)
        refs = dict.fromkeys(ref for claim in claims.values() for ref in (claim.tail, claim.head))
        sightings = tuple(Sighting(ref, "bench", 1, True) for ref in refs)
        yield Read(Source(SCOPE, SourceType.ADDED, f"source {start}"), Extract(sightings, tuple(claims.values())))


def _ref(entity: int) -> Ref:
    return Ref(EntityType.TOOL, name_of(entity))
