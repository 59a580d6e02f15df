"""Validate a memory as callers of the attention router describe it."""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.attention import fields
from satchel.domain.admit import MAX_LIST_ITEMS, Draft, admit
from satchel.domain.attention import GLOBAL, MAX_LEVEL, Details, MemoryType, RoleScope, short_id
from satchel.domain.canonical import canonical
from satchel.domain.edges import DEFAULT_WEIGHT, EdgeType, MemoryEdge
from satchel.domain.inspection import inspect_memory
from satchel.domain.moment import iso
from satchel.domain.record import Memory, MemoryId, SourceKind
from satchel.domain.text import MAX_TEXT_CHARS
from satchel.domain.trust import outranks
from satchel.errors import InvalidRequest

MAX_ID_CHARS = 128
MAX_EDGES = 200
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]*")
_EDGE_FIELDS = ("to_memory_id", "edge_type", "weight")


class AttentionEntry(Struct, frozen=True):
    """A memory as a caller describes it, not yet checked."""

    memory_type: Any
    title: Any
    summary: Any
    scope: str
    abstraction_level: Any = 0
    role_scope: Any = GLOBAL
    session_id: Any = None
    task_id: Any = None
    details: Any = None
    keywords: Any = ()
    tags: Any = ()
    source_refs: Any = ()
    importance: Any = None
    confidence: Any = None
    success_score: Any = None
    recency_ts: Any = None
    valid_from_ts: Any = None
    valid_to_ts: Any = None
    id: Any = None
    edges: Any = ()
    trust: str | None = None
    source_kind: str = SourceKind.OPERATOR
    source_ref: str | None = None


class ParsedEntry(Struct, frozen=True):
    """The memory made from an entry, with its details and edges."""

    memory: Memory
    details: Details
    edges: tuple[MemoryEdge, ...] = ()
    orders: tuple[str, ...] = ()
    """Why it reads as an order to the agent, if it does."""


def parse_entry(entry: AttentionEntry, *, new_id: str, now: int) -> ParsedEntry:
    """Check an entry and build its memory. Raises InvalidRequest, naming the field, or Refused."""
    id = MemoryId(short_id("mem", new_id) if entry.id is None else parse_id(entry.id, "id"))
    valid_from, valid_to = (
        fields.moment(entry.valid_from_ts, "valid_from_ts"),
        fields.moment(entry.valid_to_ts, "valid_to_ts"),
    )
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise InvalidRequest("valid_to_ts must come after valid_from_ts", code="invalid_date")
    draft = Draft(
        text=fields.text(entry.summary, "summary", limit=MAX_TEXT_CHARS),
        scope=entry.scope,
        kind=fields.word(MemoryType, entry.memory_type, "memory_type"),
        importance=fields.clamped(entry.importance, "importance"),
        trust=entry.trust,
        source_kind=entry.source_kind,
        source_ref=entry.source_ref,
        title=fields.text(entry.title, "title"),
        session=fields.text_or_none(entry.session_id, "session_id"),
        task=fields.text_or_none(entry.task_id, "task_id"),
        tags=fields.texts(entry.tags, "tags", most=MAX_LIST_ITEMS),
        keywords=fields.texts(entry.keywords, "keywords", most=MAX_LIST_ITEMS),
        valid_from=None if valid_from is None else iso(valid_from),
        valid_to=None if valid_to is None else iso(valid_to),
    )
    memory = replace(
        admit(draft, id=id, now=now),
        role_scope=fields.word(RoleScope, entry.role_scope, "role_scope").value,
        abstraction=fields.whole(entry.abstraction_level, "abstraction_level", least=0, most=MAX_LEVEL),
        confidence=fields.clamped(entry.confidence, "confidence"),
        success=fields.clamped(entry.success_score, "success_score"),
    )
    details = Details(
        data=fields.obj(entry.details, "details"),
        source_refs=fields.texts(entry.source_refs, "source_refs", most=MAX_LIST_ITEMS),
        recency=fields.moment(entry.recency_ts, "recency_ts"),
    )
    inspected, orders = inspect_memory(memory, canonical(details.data))
    return ParsedEntry(inspected, details, _edges(entry.edges, id, now), orders)


def is_repeated(new: Memory, stored: Memory) -> bool:
    """Return whether a stored memory is the same as a new one, except for id, grades and times.

    A memory that would be more trusted is not a repetition.
    """
    return not outranks(new.trust, stored.trust) and _content(new) == _content(stored)


def same_details(new: Details, stored: Details) -> bool:
    """Return whether details are the same; a time that was not given does not count."""
    return new.data == stored.data and new.source_refs == stored.source_refs and new.recency in (None, stored.recency)


def _content(memory: Memory) -> tuple[object, ...]:
    return (
        memory.text, memory.title, memory.kind, memory.scope, memory.role_scope, memory.abstraction, memory.session,
        memory.task, memory.keywords, memory.tags, memory.valid_from, memory.valid_to,
    )  # fmt: skip


def parse_id(value: Any, field: str) -> str:
    """Return a given id, or raise InvalidRequest."""
    text = fields.text(value, field, limit=MAX_ID_CHARS)
    if not _ID.fullmatch(text):
        raise InvalidRequest(
            f"{field} {text[:40]!a} is not a valid id: use letters, digits and . _ : / -", code="invalid_id"
        )
    return text


def _edges(value: Any, source: MemoryId, now: int) -> tuple[MemoryEdge, ...]:
    items: Sequence[Any] = fields.several(value, "edges", most=MAX_EDGES)
    made = [_edge(item, f"edges[{place}]", source, now) for place, item in enumerate(items)]
    # Of equal edges the last one counts.
    return tuple({(one.target, one.type): one for one in made}.values())


def _edge(value: Any, field: str, source: MemoryId, now: int) -> MemoryEdge:
    given = fields.obj(value, field)
    if unknown := [name for name in given if name not in _EDGE_FIELDS]:
        raise InvalidRequest(f"{field} has no field {str(unknown[0])[:40]!a}", code="unknown_param")
    target = fields.text(given.get("to_memory_id"), f"{field}.to_memory_id")
    if target == source:
        raise InvalidRequest(f"{field}.to_memory_id: a memory cannot have an edge to itself", code="self_edge")
    type = fields.word(EdgeType, given.get("edge_type"), f"{field}.edge_type")
    weight = given.get("weight")
    strength = DEFAULT_WEIGHT if weight is None else fields.share(weight, f"{field}.weight")
    return MemoryEdge(source, MemoryId(target), type, strength, now)
