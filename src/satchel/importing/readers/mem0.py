"""Memories of mem0: the JSON of get_all or of an export, as a list or under results or memories."""

from collections.abc import Iterator

from satchel.domain.imports import Fields, Item, MemoryItem, Refusal, RelationItem, text_key
from satchel.importing.reading import (
    each,
    first_object,
    is_one_object,
    listed_objects,
    mapping,
    moment,
    objects,
    optional_text,
    required_text,
    sequence,
    source_files,
    words,
)
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceForm

_LISTS = ("results", "memories")
_MARKS = frozenset({"hash", "user_id", "agent_id", "run_id", "metadata", "categories", "created_at"})
_TEXT = ("memory", "data")


def recognises(source: ImportSource) -> float:
    """Recognise records with a memory, and what mem0 says about each."""
    paths = (path for path in _paths(source) if path.lower().endswith((".json", ".jsonl")))
    return 0.9 if any(_is_own(source, path) for path in paths) else 0.0


def _paths(source: ImportSource) -> list[str]:
    if source.form is SourceForm.FILE:
        return [source.name]
    if source.form is not SourceForm.ARCHIVE:
        return []
    return [one.path for one in source_files(source) if one.path.lower().endswith("memories.json")]


def _is_own(source: ImportSource, path: str) -> bool:
    if _is_record(first_object(source, path)):
        return True
    if not is_one_object(source, path, *_LISTS):
        return False
    first = next(listed_objects(source, path, *_LISTS), None)
    return isinstance(first, tuple) and _is_record(first[1])


def _is_record(fields: Fields) -> bool:
    return "memory" in fields and bool(_MARKS & fields.keys()) and "text" not in fields


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield a memory for each record, and the relations of a graph."""
    for path in _paths(source):
        yield from each(_objects(source, path), _items)


def _objects(source: ImportSource, path: str) -> Iterator[tuple[str, Fields] | Refusal]:
    if is_one_object(source, path, *_LISTS) and not _is_record(first_object(source, path)):
        return listed_objects(source, path, *_LISTS, "relations")
    return objects(source, path)


def _items(place: str, fields: Fields) -> Iterator[Item]:
    if "relationship" in fields or "relation" in fields:
        yield _relation(place, fields)
        return
    text = required_text(fields, *_TEXT)
    about = mapping(fields.get("metadata"))
    people = [f"{name}:{value}" for name in ("user_id", "agent_id", "app_id") if (value := optional_text(fields, name))]
    yield MemoryItem(
        key=optional_text(fields, "id") or text_key("", text),
        place=place,
        text=text,
        tags=words([*sequence(fields.get("categories")), *people]),
        session=optional_text(fields, "run_id"),
        keywords=words(about.get("keywords")),
        created_at=moment(fields.get("created_at")),
        updated_at=moment(fields.get("updated_at")),
        valid_to=moment(fields.get("expiration_date")),
    )


def _relation(place: str, fields: Fields) -> RelationItem:
    return RelationItem(
        place=place,
        tail=required_text(fields, "source"),
        relation=required_text(fields, "relationship", "relation"),
        head=required_text(fields, "target", "destination"),
    )


READER = Reader(ImportKind.MEM0, "memories of mem0", recognises, read)
