"""The SQLite database of the skill memory-attention-router: memories with their levels, roles and scores."""

from collections.abc import Iterator

from satchel.domain.imports import Fields, Item, MemoryItem, Refusal
from satchel.domain.record import Kind, State
from satchel.importing.reading import each, moment, optional_text, required_text, sequence, share, words
from satchel.importing.tables import has_table, packed, packed_object, table_objects
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource

_COLUMNS = (
    "id", "memory_type", "abstraction_level", "role_scope", "session_id", "task_id", "title", "summary", "details_json",
    "keywords_json",
    "tags_json", "importance", "confidence", "success_score", "valid_from_ts", "valid_to_ts", "is_active",
    "retired_reason", "created_at", "updated_at",
)  # fmt: skip
_KINDS = {
    "preference": Kind.PREFERENCE,
    "procedure": Kind.PROCEDURE,
    "summary": Kind.SUMMARY,
    "reflection": Kind.REFLECTION,
    "episode": Kind.EPISODE,
}
_MAX_LEVEL = 3


def recognises(source: ImportSource) -> float:
    """Recognise memories with a level of abstraction."""
    return 0.95 if has_table(source, "memories", "memory_type", "abstraction_level", "summary") else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield a memory for each row, retired ones as retired."""
    yield from each(table_objects(source, "memories", _COLUMNS, ("created_at", "id")), _items)


def _items(place: str, fields: Fields) -> Iterator[Item]:
    summary, level = required_text(fields, "summary"), fields.get("abstraction_level")
    text = "\n".join([summary, *_details(fields)])
    is_retired = fields.get("is_active") == 0
    yield MemoryItem(
        key=optional_text(fields, "id") or summary,
        place=place,
        text=text,
        kind=_KINDS.get(optional_text(fields, "memory_type") or "", Kind.OTHER),
        title=optional_text(fields, "title"),
        tags=words(packed(fields, "tags_json")),
        keywords=words(packed(fields, "keywords_json")),
        importance=share(fields.get("importance")),
        confidence=share(fields.get("confidence")),
        success=share(fields.get("success_score")),
        abstraction=level if type(level) is int and 0 <= level <= _MAX_LEVEL else 0,
        session=optional_text(fields, "session_id"),
        task=optional_text(fields, "task_id"),
        role_scope=optional_text(fields, "role_scope"),
        created_at=moment(fields.get("created_at")),
        updated_at=moment(fields.get("updated_at")),
        valid_from=moment(fields.get("valid_from_ts")),
        valid_to=moment(fields.get("valid_to_ts")),
        state=State.RETIRED if is_retired else None,
        reason=optional_text(fields, "retired_reason") if is_retired else None,
    )


def _details(fields: Fields) -> list[str]:
    """Return the details of a memory as lines: rules and conditions, which its summary may leave out."""
    given = packed_object(fields, "details_json")
    return [f"{name}: {text}" for name, value in given.items() for text in words([value, *sequence(value)])]


READER = Reader(ImportKind.ATTENTION_ROUTER, "a database of memory-attention-router", recognises, read)
