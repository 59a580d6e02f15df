"""The SQLite database of the skill memory-attention-router: memories with their levels, roles and scores, and edges."""

from collections.abc import Iterator

from msgspec.structs import replace

from satchel.domain.attention import MAX_LEVEL, Details
from satchel.domain.imports import EdgeItem, Fields, Item, MemoryItem, Refusal
from satchel.domain.record import Kind, State
from satchel.errors import InvalidRequest
from satchel.importing.reading import each, moment, optional_text, required_text, sequence, share, words
from satchel.importing.tables import has_table, packed, packed_object, table_objects
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource

_COLUMNS = (
    "id", "memory_type", "abstraction_level", "role_scope", "session_id", "task_id", "title", "summary", "details_json",
    "keywords_json", "tags_json", "source_refs_json", "recency_ts", "importance", "confidence", "success_score", "valid_from_ts", "valid_to_ts", "is_active",
    "retired_reason", "created_at", "updated_at",
)  # fmt: skip
_KINDS = {
    "preference": Kind.PREFERENCE,
    "procedure": Kind.PROCEDURE,
    "summary": Kind.SUMMARY,
    "reflection": Kind.REFLECTION,
    "episode": Kind.EPISODE,
}
_EDGE_COLUMNS = ("id", "from_memory_id", "to_memory_id", "edge_type", "weight", "created_at")
RETIRED = "retired"
"""Why a memory that the skill retired is left out of a takeover."""


def recognises(source: ImportSource) -> float:
    """Recognise memories with a level of abstraction."""
    return 0.95 if has_table(source, "memories", "memory_type", "abstraction_level", "summary") else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield a memory for each row, retired ones as retired; to take the database over, the active ones and their edges."""
    rows = table_objects(source, "memories", _COLUMNS, ("created_at", "id"))
    if not options.takes_over:
        yield from each(rows, _items)
        return
    retired = set[str]()

    def active(place: str, fields: Fields) -> Iterator[MemoryItem | Refusal]:
        for item in _items(place, fields):
            if item.state == State.RETIRED:
                retired.add(item.key)
                yield Refusal(place, RETIRED)
            else:
                # The text has the lines of the details too: whoever confirms it sees what they say.
                yield replace(item, details=_details(fields))

    def among_active(place: str, fields: Fields) -> Iterator[EdgeItem]:
        return (one for one in _edges(place, fields) if not retired & {one.source, one.target})

    yield from each(rows, active)
    if has_table(source, "memory_edges", *_EDGE_COLUMNS):
        edges = table_objects(source, "memory_edges", _EDGE_COLUMNS, ("created_at", "id"))
        yield from each(edges, among_active)


def _items(place: str, fields: Fields) -> Iterator[MemoryItem]:
    summary, level = required_text(fields, "summary"), fields.get("abstraction_level")
    text = "\n".join([summary, *_detail_lines(fields)])
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
        abstraction=level if type(level) is int and 0 <= level <= MAX_LEVEL else 0,
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


def _edges(place: str, fields: Fields) -> Iterator[EdgeItem]:
    weight = fields.get("weight")
    if weight is not None and share(weight) is None:
        raise InvalidRequest("the weight of an edge is from 0 to 1", code="out_of_range")
    yield EdgeItem(
        place=place,
        source=required_text(fields, "from_memory_id"),
        target=required_text(fields, "to_memory_id"),
        type=required_text(fields, "edge_type"),
        weight=share(weight),
        at=moment(fields.get("created_at")),
    )


def _details(fields: Fields) -> Details:
    return Details(
        data=packed_object(fields, "details_json"),
        source_refs=words(packed(fields, "source_refs_json")),
        recency=moment(fields.get("recency_ts")),
    )


def _detail_lines(fields: Fields) -> list[str]:
    """Return the details of a memory as lines: rules and conditions, which its summary may leave out."""
    given = packed_object(fields, "details_json")
    return [f"{name}: {text}" for name, value in given.items() for text in words([value, *sequence(value)])]


READER = Reader(ImportKind.ATTENTION_ROUTER, "a database of memory-attention-router", recognises, read, keeps_ids=True)
