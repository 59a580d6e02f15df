"""The SQLite database of lossless-claw: the messages of every conversation. Its summaries are left out: they repeat them."""

from collections.abc import Iterator, Mapping

from satchel.domain.imports import Fields, Item, Refusal, TurnItem
from satchel.importing.reading import each, moment, optional_text, required_text
from satchel.importing.tables import has_table, table_objects
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource

_CONVERSATION = ("conversation_id", "session_key", "session_id")
_MESSAGE = ("message_id", "conversation_id", "seq", "role", "content", "created_at")


def recognises(source: ImportSource) -> float:
    """Recognise messages with their summaries."""
    is_own = has_table(source, "messages", *_MESSAGE) and has_table(source, "summary_messages", "summary_id")
    return 0.95 if is_own and has_table(source, "conversations", "conversation_id") else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield the messages, conversation by conversation."""
    rows = table_objects(source, "conversations", _CONVERSATION, ("conversation_id",))
    names: dict[object, str | None] = {
        fields.get("conversation_id"): optional_text(fields, "session_key", "session_id") for _, fields in rows
    }
    found = table_objects(source, "messages", _MESSAGE, ("conversation_id", "seq"))
    yield from each(found, lambda place, fields: _items(place, fields, names))


def _items(place: str, fields: Fields, names: Mapping[object, str | None]) -> Iterator[Item]:
    number = fields.get("conversation_id")
    yield TurnItem(
        key=f"lcm:{fields.get('message_id')}"[:200],
        place=place,
        session=f"lossless-claw:{names.get(number) or number}"[:1_000],
        role=optional_text(fields, "role", limit=20) or "user",
        text=required_text(fields, "content"),
        at=moment(fields.get("created_at")),
    )


READER = Reader(ImportKind.LOSSLESS_CLAW, "a database of lossless-claw", recognises, read)
