"""A random graph in which a few entities have very many relations."""

import random
from collections.abc import Iterator

from bench.speed.corpus import SEED
from satchel.app import Satchel
from satchel.domain.graph import (
    EntityMention,
    EntityRef,
    EntityRelation,
    EntityType,
    Extract,
    GraphSource,
    GraphSourceType,
    RelationType,
)
from satchel.domain.receipt import Receipt
from satchel.ports.graph import SourceExtract

SCOPE = "project/graph"
RELATIONS_PER_ENTITY = 5
_PER_SOURCE = 100
_POPULAR_SHARE = 0.2
_USED = (RelationType.USES, RelationType.DEPENDS_ON, RelationType.CALLS, RelationType.IMPORTS, RelationType.MENTIONS)


def name_of(entity: int) -> str:
    """Return the name of an entity."""
    return f"service {entity:05d}"


def relate(memory: Satchel, relations: int) -> None:
    """Write random relations to a store."""
    memory.parts.ledger.graph.replace(list(_reads(relations)), [], Receipt("graph extract", {}))


def _reads(relations: int) -> Iterator[SourceExtract]:
    chance, entities = random.Random(SEED + 6), relations // RELATIONS_PER_ENTITY
    for start in range(0, relations, _PER_SOURCE):
        related: dict[tuple[int, int], EntityRelation] = {}
        while len(related) < min(_PER_SOURCE, relations - start):
            popular = min(entities - 1, int(chance.paretovariate(0.5)))
            # In turn, so that every entity has a relation.
            tail = (start + len(related)) % entities
            head = popular if chance.random() < _POPULAR_SHARE else chance.randrange(entities)
            if tail != head:
                related[tail, head] = EntityRelation(_ref(tail), chance.choice(_USED), _ref(head), "bench", 1)
        refs = dict.fromkeys(ref for one in related.values() for ref in (one.tail, one.head))
        mentions = tuple(EntityMention(ref, "bench", 1, True) for ref in refs)
        yield SourceExtract(
            GraphSource(SCOPE, GraphSourceType.ADDED, f"source {start}"), Extract(mentions, tuple(related.values()))
        )


def _ref(entity: int) -> EntityRef:
    return EntityRef(EntityType.TOOL, name_of(entity))
