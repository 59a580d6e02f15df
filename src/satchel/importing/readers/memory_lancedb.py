"""The LanceDB table of OpenClaw's memory-lancedb plugin, and of plugins with the same columns."""

from collections.abc import Iterator

from satchel.domain.imports import Fields, Item, MemoryItem, Refusal, text_key
from satchel.domain.record import Kind
from satchel.importing.reading import each, moment, optional_text, required_text, share
from satchel.importing.tables import has_table, table_objects
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceForm

_COLUMNS = ("id", "text", "importance", "category", "createdAt", "scope")
_KINDS = {one.value: one for one in Kind}


def recognises(source: ImportSource) -> float:
    """Recognise tables with a text, a vector and a category."""
    return 0.95 if _tables(source) else 0.0


def _tables(source: ImportSource) -> list[str]:
    if source.form is not SourceForm.DATABASE:
        return []
    return [name for name in sorted(source.tables()) if has_table(source, name, "id", "text", "vector", "category")]


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield a memory for each row."""
    for table in _tables(source):
        yield from each(table_objects(source, table, _COLUMNS, ("createdAt", "id")), _items)


def _items(place: str, fields: Fields) -> Iterator[Item]:
    id = optional_text(fields, "id")
    # The plugin makes a table with one empty row, which gives it its columns.
    if id == "__schema__":
        return
    text = required_text(fields, "text")
    yield MemoryItem(
        key=id or text_key("", text),
        place=place,
        text=text,
        kind=_KINDS.get(optional_text(fields, "category") or "", Kind.OTHER),
        importance=share(fields.get("importance")),
        created_at=moment(fields.get("createdAt")),
        scope=optional_text(fields, "scope", limit=200),
    )


READER = Reader(ImportKind.MEMORY_LANCEDB, "a LanceDB table of OpenClaw memories", recognises, read)
