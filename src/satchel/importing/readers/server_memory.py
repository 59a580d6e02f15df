"""The knowledge graph of the MCP server `memory`: entities and relations into the graph, observations as memories."""

from collections.abc import Iterator

from satchel.domain.imports import EntityItem, Fields, Item, MemoryItem, Refusal, RelationItem
from satchel.domain.record import Kind
from satchel.errors import InvalidRequest
from satchel.importing.reading import (
    each,
    first_object,
    is_one_object,
    listed_objects,
    objects,
    required_text,
    sequence,
)
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceForm

_ENTITY = {"name", "entityType", "observations"}
_RELATION = {"from", "to", "relationType"}
_LISTS = ("entities", "relations")


def recognises(source: ImportSource) -> float:
    """Recognise entities and relations, one to a line, or both in one object."""
    if source.form is not SourceForm.FILE or not source.name.lower().endswith((".json", ".jsonl")):
        return 0.0
    first = first_object(source, source.name)
    is_row = first.keys() >= _ENTITY or first.keys() >= _RELATION
    return 0.95 if is_row else 0.9 if is_one_object(source, source.name, *_LISTS) else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield the entities with their observations, and the relations."""
    yield from each(_objects(source), _items)


def _objects(source: ImportSource) -> Iterator[tuple[str, Fields] | Refusal]:
    if is_one_object(source, source.name, *_LISTS):
        return listed_objects(source, source.name, *_LISTS)
    return objects(source, source.name)


def _items(place: str, fields: Fields) -> Iterator[Item]:
    if "relationType" in fields or fields.get("type") == "relation":
        yield from _relation(place, fields)
    elif "entityType" in fields or fields.get("type") == "entity":
        yield from _entity(place, fields)
    else:
        raise InvalidRequest("not an entity or a relation", code="unknown_record")


def _entity(place: str, fields: Fields) -> Iterator[Item]:
    name, type = required_text(fields, "name"), required_text(fields, "entityType")
    yield EntityItem(place=place, name=name, type=type)
    for number, observation in enumerate(sequence(fields.get("observations")), 1):
        if not isinstance(observation, str) or not observation.strip():
            raise InvalidRequest("an observation must be a string", code="wrong_type")
        yield MemoryItem(
            key=f"{name}\n{observation}",
            place=f"{place} observation {number}",
            text=f"{_spoken(name)}: {observation.strip()}",
            tags=(type[:200],),
            keywords=(name[:200],),
        )


def _relation(place: str, fields: Fields) -> Iterator[Item]:
    tail, head = required_text(fields, "from"), required_text(fields, "to")
    relation = required_text(fields, "relationType")
    yield RelationItem(place=place, tail=tail, relation=relation, head=head)
    # The graph has few types of relations; the sentence keeps the word.
    yield MemoryItem(
        key=f"{tail}\n{relation}\n{head}",
        place=place,
        text=f"{_spoken(tail)} {_spoken(relation)} {_spoken(head)}",
        kind=Kind.FACT,
        keywords=tuple(dict.fromkeys((tail[:200], head[:200]))),
    )


def _spoken(name: str) -> str:
    return name.replace("_", " ")


READER = Reader(ImportKind.SERVER_MEMORY, "a knowledge graph of the MCP memory server", recognises, read)
