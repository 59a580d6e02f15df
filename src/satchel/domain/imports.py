"""What an import brings in: records as another program's file states them, and what became of them.

A key identifies a record within its kind of source, so that a second import recognises it. A place says where the record
was read: a file and a line, a row, a position in a list. Times are milliseconds since the epoch.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from shlex import quote
from typing import Protocol, TypeVar
from uuid import UUID, uuid5

from msgspec import Struct, field

from satchel.domain.attention import Details
from satchel.domain.canonical import Json
from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.record import MemoryId
from satchel.domain.text import replace_undecodable

_NAMESPACE = UUID("9d1f4c3a-0c64-5f0b-8f2e-6b7a55d0c1e2")
# The ids that the attention router gives to memories, here and in the original skill.
_ROUTER_ID = re.compile(r"mem_[A-Za-z0-9._-]{1,100}")


class MemoryItem(Struct, frozen=True, kw_only=True):
    """A statement: a fact, a rule, a preference."""

    key: str
    place: str
    text: str
    kind: str | None = None
    """None if only its words tell: a preference, a decision or a task, else a fact."""
    title: str | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float | None = None
    success: float | None = None
    abstraction: int = 0
    session: str | None = None
    task: str | None = None
    role_scope: str | None = None
    created_at: int | None = None
    updated_at: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    media_refs: tuple[str, ...] = ()
    state: str | None = None
    """None for active."""
    reason: str | None = None
    """Why it is not active any more."""
    scope: str | None = None
    """The scope that the file names, if it names one."""
    details: Details = Details()


class EdgeItem(Struct, frozen=True, kw_only=True):
    """A typed edge between two memories of the same source."""

    place: str
    source: str
    """The key of the memory that it leads from."""
    target: str
    """The key of the memory that it leads to."""
    type: str
    """As the file calls it: any word."""
    weight: float | None = None
    at: int | None = None


class TurnItem(Struct, frozen=True, kw_only=True):
    """One turn of a conversation, word for word."""

    key: str
    place: str
    session: str
    role: str
    text: str
    speaker: str | None = None
    at: int | None = None
    scope: str | None = None
    """The scope that the file names, if it names one."""


class DocumentItem(Struct, frozen=True, kw_only=True):
    """A document a person wrote."""

    place: str
    collection: str
    path: str
    text: str
    root: str = ""
    """The folder it was read from; empty if it was not in a folder."""
    at: int | None = None


class EntityItem(Struct, frozen=True, kw_only=True):
    """A named thing."""

    place: str
    name: str
    type: str
    """As the file calls it: any word."""


class RelationItem(Struct, frozen=True, kw_only=True):
    """A relation of one named thing to another."""

    place: str
    tail: str
    relation: str
    """As the file calls it: any words."""
    head: str
    tail_type: str | None = None
    head_type: str | None = None


class Refusal(Struct, frozen=True):
    """A record that was not imported, and why."""

    place: str
    reason: str
    """A code such as missing_text."""


Item = MemoryItem | EdgeItem | TurnItem | DocumentItem | EntityItem | RelationItem

RECORDS: Mapping[type, str] = {
    MemoryItem: "memories",
    EdgeItem: "edges",
    TurnItem: "turns",
    DocumentItem: "documents",
    EntityItem: "entities",
    RelationItem: "relations",
}
"""What the items of each type become, in the order in which they are listed."""


ERASED_BY: Mapping[str, str] = {
    "turns": "episodes forget",
    "documents": "docs forget",
    "entities": "graph forget",
    "relations": "graph forget",
}
"""The command that erases what `undo` leaves of an import."""


def erase_command(record: str, source: str) -> str:
    """Return the command that erases the records of a type that came from a source."""
    command = ERASED_BY[record]
    return f"{command} {quote(source)}" if command == "graph forget" else command


class ImportTerms(Struct, frozen=True):
    """How an import stores what it reads."""

    source: str
    """The kind of the source, such as chatgpt."""
    scope: str | None
    """The scope of every record; each keeps its own, or the default one, if None."""
    trusted: bool
    """Whether the operator vouches for the text. Else it is untrusted and inspected."""
    dry_run: bool
    name: str = ""
    """The name of the file or folder."""
    file: str = ""
    """A digest of where it is, by which it is recognised when it is imported again."""
    before_write: Callable[[], None] = lambda: None
    """Called before a batch with new records is written."""
    keeps_ids: bool = False
    """Whether a memory keeps the id that it has in the source, if the attention router made it."""

    def id_of(self, key: str) -> MemoryId:
        """Return the id of the memory with a key, the same at every import."""
        keeps = self.keeps_ids and _ROUTER_ID.fullmatch(key)
        return MemoryId(key if keeps else import_id(self.source, key))


class Taken(Struct, frozen=True):
    """What became of a batch of items."""

    new: int = 0
    known: int = 0
    quarantined: int = 0
    """Of the new ones: those that read as an order to the agent."""
    masked: int = 0
    """Secrets that were masked."""
    refused: tuple[tuple[int, str], ...] = ()
    """Position in the batch, and the reason as a code."""
    scopes: Mapping[str, int] = {}
    """New records by scope."""
    taken_back: tuple[str, ...] = ()
    """Of the known ones: the ids of those that an undo retired."""


class LineChange(Struct, frozen=True):
    """A memory whose line of a file was changed, or is gone, since the file was imported before."""

    old: str
    """The id of the memory."""
    before: str
    """Its text."""
    new: str | None = None
    """The id of the memory that replaces it; None if its line is gone."""
    after: str = ""
    """The text of the line that took its place."""


class FileChanges(Struct, frozen=True):
    """What a file says differently from when it was imported before."""

    replaced: tuple[LineChange, ...] = ()
    gone: tuple[LineChange, ...] = ()
    returned: tuple[str, ...] = ()
    """The ids of memories that such a change retired, and whose lines are back."""
    pruned: bool = False
    """Whether the memories of lines that are gone are retired."""


class Format(StrEnum):
    """How rows are written: one per line, or as one list."""

    JSONL = "jsonl"
    JSON = "json"


class Dedupe(StrEnum):
    """When a row counts as already present: never, by id, or by id or text."""

    NONE = "none"
    ID = "id"
    ID_TEXT = "id_text"


class ImportFailure(Struct, frozen=True):
    """A row that could not be imported."""

    index: int
    """Its line number, or its position in the list, from 1."""
    reason: str


class Imported(Struct, frozen=True):
    """The result of an import, row by row."""

    source: str
    format: str
    dedupe: str
    dry_run: bool
    """Whether nothing was written."""
    parsed: int
    imported: int
    skipped: int
    failed: int
    failures: tuple[ImportFailure, ...]
    """The first failures."""
    failures_unlisted: int
    skipped_by: Mapping[str, int]
    """Number of skipped rows by what matched: id or text."""
    failed_by: Mapping[str, int]
    """Number of failed rows by reason."""
    renamed: int
    """Number of rows that got a new id because theirs was taken."""
    trust_lowered: int
    """Number of rows that claimed more trust than an import can grant."""
    quarantined: int
    """Number of rows that read as an order to the agent."""
    scopes_replaced: int
    """Number of rows whose text names an invalid scope, imported into the default scope."""
    unknown_fields: int
    vectors: int = 0
    """Number of rows whose vector was taken with them."""
    taken_back: int = 0
    """Number of skipped rows that an undo retired."""
    brought_back_by: str | None = None
    """The change to undo, so that those are active again."""
    asks: bool = False
    """Whether a person at a terminal is asked to go on: nothing says that the rows are an export of Satchel."""
    samples: tuple[str, ...] = ()
    """The beginnings of the first texts, if a person is asked."""

    @property
    def outcome(self) -> Outcome:
        """Failed if a row was refused."""
        return failed_if(self.failed > 0)


T = TypeVar("T")

Writer = Callable[[Sequence[T]], Taken]
"""Stores a batch of items of one type: whole, durable, and each of them once however often it is given."""


class TakenOver(Struct, frozen=True):
    """What came of the database of a program that Satchel replaces. Everything in it is untrusted."""

    source: str = field(name="from")
    """The file, which is left as it is."""
    memories: int
    """Number of memories that are new, quarantined ones included."""
    known: int
    edges: int
    """Number of edges that are new."""
    untrusted: int
    quarantined: int
    """Number of memories that read as an order to the agent."""
    retired: int
    """Number of memories that the program had retired: they stay behind."""
    refused: tuple[Refusal, ...]
    """The first memories and edges that could not be taken over."""
    refused_unlisted: int
    next: str | None
    """How to look through what came, if anything did."""


class NotTakenOver(Struct, frozen=True):
    """A file that could not be taken over, and why."""

    source: str = field(name="from")
    reason: str


class FileRevision(Protocol):
    """Compares a file that is imported again with the memories of its earlier version."""

    def plan(self, items: Sequence[MemoryItem], *, prune: bool) -> FileChanges:
        """Return what has changed. To be called before the items are stored."""
        ...

    def apply(self, planned: FileChanges) -> FileChanges:
        """Retire what was replaced and, if planned, what is gone; return what was done."""
        ...


class ImportTargets(Struct, frozen=True):
    """Opens the writer of each type of item."""

    memories: Callable[[ImportTerms], Writer[MemoryItem]]
    edges: Callable[[ImportTerms], Writer[EdgeItem]]
    turns: Callable[[ImportTerms], Writer[TurnItem]]
    documents: Callable[[ImportTerms], Writer[DocumentItem]]
    graph: Callable[[ImportTerms], Writer[EntityItem | RelationItem]]
    revision: Callable[[ImportTerms], FileRevision]


def import_id(source: str, key: str) -> str:
    """Return the id of an imported memory, the same at every import."""
    return str(uuid5(_NAMESPACE, replace_undecodable(f"{source}\n{key}")))


def text_key(place: str, text: str) -> str:
    """Return a key for a record that has no id of its own: the file it is in, and its text."""
    return f"{place}\n{text}"


Fields = Mapping[str, Json]
"""One object of a file, parsed and not yet understood."""
