"""The SQLite database of openclaw-mem: observations as memories, tool calls and episodes as turns.

Its chunks of documents are left out: `satchel docs ingest` reads the documents themselves.
"""

from collections.abc import Iterator

from satchel.domain.imports import Fields, Item, MemoryItem, Refusal, TurnItem
from satchel.domain.record import Kind
from satchel.importing.reading import each, mapping, moment, optional_text, required_text, share
from satchel.importing.tables import has_table, packed_object, table_objects
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource

DEFAULT_SESSION = "openclaw-mem"
_OBSERVATION = ("id", "ts", "kind", "summary", "summary_en", "lang", "tool_name", "detail_json")
_EVENT = ("event_id", "ts_ms", "scope", "session_id", "type", "summary", "payload_json", "search_text")
_KINDS = {
    "preference": Kind.PREFERENCE,
    "decision": Kind.DECISION,
    "fact": Kind.FACT,
    "entity": Kind.ENTITY,
    "learning": Kind.REFLECTION,
    "lesson": Kind.REFLECTION,
    "plan": Kind.PLAN,
    "task": Kind.TODO,
    "todo": Kind.TODO,
}
# Observations of these kinds are what happened, not what holds.
_EVENTS = frozenset({"tool", "event", "error"})
_ROLES = {
    "conversation.user": "user",
    "conversation.assistant": "assistant",
    "tool.call": "tool",
    "tool.result": "tool",
}


def recognises(source: ImportSource) -> float:
    """Recognise the table of observations."""
    return 0.95 if has_table(source, "observations", "ts", "kind", "summary", "detail_json") else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield the observations, then the episodes."""
    yield from each(table_objects(source, "observations", _OBSERVATION, ("id",)), _observation)
    if has_table(source, "episodic_events", "event_id", "type"):
        yield from each(table_objects(source, "episodic_events", _EVENT, ("ts_ms", "event_id")), _event)


def _observation(place: str, fields: Fields) -> Iterator[Item]:
    text = required_text(fields, "summary", "summary_en")
    details, at = packed_object(fields, "detail_json"), moment(fields.get("ts"))
    kind = (optional_text(fields, "kind", limit=100) or "").casefold()
    # Row numbers are given again after rows were deleted: the time tells such rows apart.
    key = f"{fields.get('id')} {fields.get('ts')}"[:200]
    session = optional_text(details, "session_key", "session_id")
    scope = optional_text(details, "scope", limit=200)
    if kind in _EVENTS:
        tool = optional_text(fields, "tool_name", limit=200)
        yield TurnItem(
            key=f"observation {key}",
            place=place,
            session=session or DEFAULT_SESSION,
            role="tool",
            text=f"{tool}: {text}" if tool else text,
            at=at,
            scope=scope,
        )
        return
    yield MemoryItem(
        key=key,
        place=place,
        text=text,
        kind=_KINDS.get(kind, Kind.FACT),
        importance=_importance(details),
        session=session,
        created_at=at,
        scope=scope,
    )


def _importance(details: Fields) -> float | None:
    given = details.get("importance")
    return share(mapping(given).get("score")) if isinstance(given, dict) else share(given)


def _event(place: str, fields: Fields) -> Iterator[Item]:
    payload = packed_object(fields, "payload_json")
    text = optional_text(payload, "text", "content", limit=1_000_000)
    yield TurnItem(
        key=optional_text(fields, "event_id") or place,
        place=place,
        session=optional_text(fields, "session_id") or DEFAULT_SESSION,
        role=_ROLES.get(str(fields.get("type")), "system"),
        text=text or required_text(fields, "search_text", "summary"),
        at=moment(fields.get("ts_ms")),
        scope=optional_text(fields, "scope", limit=200),
    )


READER = Reader(ImportKind.OPENCLAW_MEM, "a database of openclaw-mem", recognises, read)
