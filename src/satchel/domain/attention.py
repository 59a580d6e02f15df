"""The words of attention: roles, types, blocks and slots, and the tables between them."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from satchel.domain.canonical import Json, digest
from satchel.domain.record import Kind, Memory

GLOBAL = "global"
"""The role scope of what concerns every step."""
MAX_LEVEL = 3
ID_DIGITS = 12
DURABLE_LEVEL = 2
UNGRADED = 0.5
REFRESHED = "retired by refresh"
"""What importance, confidence and success count for where nobody has graded them."""


class Role(StrEnum):
    """What the current step of an agent does."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    CRITIC = "critic"
    RESPONDER = "responder"


class RoleScope(StrEnum):
    """Whom a memory is for: one of the roles, or everybody."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    CRITIC = "critic"
    RESPONDER = "responder"
    GLOBAL = "global"


class MemoryType(StrEnum):
    """What sort of memory it is, in the words of the packet. In the order in which ties are broken."""

    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    SUMMARY = "summary"
    REFLECTION = "reflection"
    EPISODE = "episode"


class Block(StrEnum):
    """Where a candidate stands to the request. In the order in which ties are broken."""

    TASK = "task_scoped"
    SESSION = "session_scoped"
    DURABLE = "durable_global"
    RECENT = "recent_fallback"


class Slot(StrEnum):
    """The lists of a packet."""

    CONSTRAINTS = "hard_constraints"
    FACTS = "relevant_facts"
    PROCEDURES = "procedures_to_follow"
    PITFALLS = "pitfalls_to_avoid"
    QUESTIONS = "open_questions"


TYPE_OF: Mapping[Kind, MemoryType] = {
    Kind.PREFERENCE: MemoryType.PREFERENCE,
    Kind.DECISION: MemoryType.SUMMARY,
    Kind.FACT: MemoryType.SUMMARY,
    Kind.ENTITY: MemoryType.SUMMARY,
    Kind.PROCEDURE: MemoryType.PROCEDURE,
    Kind.REFLECTION: MemoryType.REFLECTION,
    Kind.SUMMARY: MemoryType.SUMMARY,
    Kind.EPISODE: MemoryType.EPISODE,
    Kind.OTHER: MemoryType.EPISODE,
}
"""What is planned or still to be done has no type: it is no knowledge a step could work with."""

READS: Mapping[Role, tuple[MemoryType, ...]] = {
    Role.PLANNER: (MemoryType.PREFERENCE, MemoryType.PROCEDURE, MemoryType.SUMMARY),
    Role.EXECUTOR: (MemoryType.PREFERENCE, MemoryType.PROCEDURE, MemoryType.EPISODE, MemoryType.REFLECTION),
    Role.CRITIC: (MemoryType.REFLECTION, MemoryType.PREFERENCE, MemoryType.SUMMARY),
    Role.RESPONDER: (MemoryType.PREFERENCE, MemoryType.SUMMARY, MemoryType.PROCEDURE),
}
"""What each role reads; what it cannot do without stands first."""

SLOT_OF: Mapping[MemoryType, Slot] = {
    MemoryType.PREFERENCE: Slot.CONSTRAINTS,
    MemoryType.PROCEDURE: Slot.PROCEDURES,
    MemoryType.SUMMARY: Slot.FACTS,
    MemoryType.REFLECTION: Slot.PITFALLS,
    MemoryType.EPISODE: Slot.FACTS,
}


def kinds_of(types: tuple[MemoryType, ...]) -> tuple[Kind, ...]:
    """Return the kinds of record that count as one of these types."""
    return tuple(kind for kind, type in TYPE_OF.items() if type in types)


def short_id(prefix: str, unique: str) -> str:
    """Return an id of the router's form: a prefix and twelve hexadecimal digits."""
    return f"{prefix}_{digest(unique).partition(':')[2][:ID_DIGITS]}"


def graded(value: float | None) -> float:
    """Return a grade, or what counts where nobody gave one."""
    return UNGRADED if value is None else value


def role_scope_of(memory: Memory) -> str:
    """Return which role a memory is for. One that names none is for all."""
    return memory.role_scope or GLOBAL


def is_durable(memory: Memory) -> bool:
    """Say whether a memory outlasts the session and the task it came from."""
    return memory.abstraction >= DURABLE_LEVEL or role_scope_of(memory) == GLOBAL


class Details(Struct, frozen=True):
    """What a memory carries beside its text: written with it, never changed, gone with it."""

    data: Mapping[str, Json] = field(default_factory=dict)
    source_refs: tuple[str, ...] = ()
    recency: int | None = None
    """When it happened, where that is not when it was written down."""


class Packet(Struct, frozen=True):
    """The working memory of one step: a few short texts, and where they came from."""

    goal: str
    step_role: str
    hard_constraints: tuple[str, ...] = ()
    relevant_facts: tuple[str, ...] = ()
    procedures_to_follow: tuple[str, ...] = ()
    pitfalls_to_avoid: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    selected_memory_ids: tuple[str, ...] = ()
