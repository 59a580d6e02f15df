"""The memory record and its enums."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct
from msgspec.structs import force_setattr

from satchel.domain.canonical import digest

MemoryId = NewType("MemoryId", str)


class Kind(StrEnum):
    """The kind of a memory."""

    PREFERENCE = "preference"
    DECISION = "decision"
    FACT = "fact"
    ENTITY = "entity"
    PROCEDURE = "procedure"
    REFLECTION = "reflection"
    SUMMARY = "summary"
    EPISODE = "episode"
    TODO = "todo"
    PLAN = "plan"
    OTHER = "other"


class Label(StrEnum):
    """The importance label. UNKNOWN means never graded, which is not the same as unimportant."""

    MUST_REMEMBER = "must_remember"
    NICE_TO_HAVE = "nice_to_have"
    IGNORE = "ignore"
    UNKNOWN = "unknown"


class Trust(StrEnum):
    """The trust tier of a memory."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"
    QUARANTINED = "quarantined"


class SourceKind(StrEnum):
    """The channel a memory came through."""

    OPERATOR = "operator"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"
    SYSTEM = "system"


class State(StrEnum):
    """The lifecycle state of a memory."""

    CAPTURED = "captured"
    CATEGORIZED = "categorized"
    ACTIVE = "active"
    CONSOLIDATED = "consolidated"
    STALE = "stale"
    ARCHIVED = "archived"
    RETIRED = "retired"


# The kinds in the engine's older taxonomy, where every other kind is "other".
ENGINE_CATEGORIES = frozenset({Kind.PREFERENCE, Kind.DECISION, Kind.FACT, Kind.ENTITY, Kind.TODO, Kind.OTHER})

# The id prefix of a scope's working set.
WORKING_SET = "working_set:"

MUST_REMEMBER_FROM = 0.80
NICE_TO_HAVE_FROM = 0.50


# Without `gc`, the garbage collector does not visit the many records of an import or a search: they never form a cycle.
class Memory(Struct, frozen=True, gc=False):
    """One record as the ledger stores it. Times are milliseconds since the epoch, UTC."""

    id: MemoryId
    text: str
    scope: str
    created_at: int
    updated_at: int
    kind: Kind = Kind.OTHER
    title: str | None = None
    importance: float | None = None
    label: Label = Label.UNKNOWN
    trust: Trust = Trust.UNTRUSTED
    source_kind: SourceKind = SourceKind.SYSTEM
    source_ref: str | None = None
    language: str | None = None
    session: str | None = None
    task: str | None = None
    role_scope: str | None = None
    abstraction: int = 0
    confidence: float | None = None
    success: float | None = None
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    media_refs: tuple[str, ...] = ()
    valid_from: int | None = None
    valid_to: int | None = None
    state: State = State.ACTIVE
    replaced_by: MemoryId | None = None
    reason: str | None = None
    content_hash: str = ""

    def __post_init__(self) -> None:
        if not self.content_hash:
            force_setattr(self, "content_hash", digest(self.text))

    @property
    def category(self) -> str:
        """The kind in the engine's taxonomy."""
        return self.kind if self.kind in ENGINE_CATEGORIES else Kind.OTHER


def is_intact(memory: Memory) -> bool:
    """Return whether the text of a memory matches its content hash."""
    return digest(memory.text) == memory.content_hash


def kinds_in_category(category: str) -> tuple[Kind, ...]:
    """Return the kinds that belong to a category of the engine's taxonomy; empty for an unknown category."""
    return tuple(kind for kind in Kind if (kind if kind in ENGINE_CATEGORIES else Kind.OTHER) == category)


def label_for(importance: float | None) -> Label:
    """Return the label for an importance score."""
    if importance is None:
        return Label.UNKNOWN
    if importance >= MUST_REMEMBER_FROM:
        return Label.MUST_REMEMBER
    return Label.NICE_TO_HAVE if importance >= NICE_TO_HAVE_FROM else Label.IGNORE
