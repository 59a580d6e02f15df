"""The SQLite database of mcp-memory-service: its memories that were not deleted."""

from collections.abc import Iterator

from satchel.domain.imports import Fields, Item, MemoryItem, Refusal
from satchel.domain.record import Kind
from satchel.importing.reading import each, moment, optional_text, required_text, share, words
from satchel.importing.tables import has_table, packed_object, table_objects
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource

_COLUMNS = (
    "content_hash", "content", "tags", "memory_type", "metadata", "created_at", "updated_at", "deleted_at", "confidence",
)  # fmt: skip
_UNTAGGED = "untagged"
_KINDS = {
    "decision": Kind.DECISION,
    "preference": Kind.PREFERENCE,
    "learning": Kind.REFLECTION,
    "pattern": Kind.PROCEDURE,
    "task": Kind.TODO,
    "plan": Kind.PLAN,
    "summary": Kind.SUMMARY,
}


def recognises(source: ImportSource) -> float:
    """Recognise the table by its hash of the content."""
    return 0.95 if has_table(source, "memories", "content_hash", "content", "memory_type") else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield a memory for each row."""
    yield from each(table_objects(source, "memories", _COLUMNS, ("created_at", "content_hash")), _items)


def _items(place: str, fields: Fields) -> Iterator[Item]:
    if fields.get("deleted_at") is not None:
        return
    text = required_text(fields, "content")
    type = optional_text(fields, "memory_type", limit=100)
    about = packed_object(fields, "metadata")
    yield MemoryItem(
        key=optional_text(fields, "content_hash") or text,
        place=place,
        text=text,
        kind=_KINDS.get(type or "", Kind.FACT),
        tags=tuple(tag for tag in words(fields.get("tags")) if tag != _UNTAGGED),
        importance=share(about.get("importance") or about.get("importance_score")),
        confidence=share(fields.get("confidence")),
        created_at=moment(fields.get("created_at")),
        updated_at=moment(fields.get("updated_at")),
    )


READER = Reader(ImportKind.MCP_MEMORY_SERVICE, "a database of mcp-memory-service", recognises, read)
