"""Attention vocabulary: roles, memory types, blocks and packet slots, and the mappings between them."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from satchel.domain.canonical import Json, digest
from satchel.domain.record import Kind, Memory

GLOBAL = "global"
"""The role scope of memories for every role."""
PACKET_PREFIX = "pkt"
"""How ids of packets begin, before an underscore."""
MAX_LEVEL = 3
ID_DIGITS = 12
DURABLE_LEVEL = 2
UNGRADED = 0.5
"""The default for importance, confidence and success that were never graded."""
REFRESHED = "retired by refresh"
CONSTRAINT_KEYS = ("hard_constraint", "constraint", "must")
"""Keys of details whose values are rules, in the order of a packet."""


class Role(StrEnum):
    """The role of an agent's current step."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    CRITIC = "critic"
    RESPONDER = "responder"


class RoleScope(StrEnum):
    """The role a memory is for: one role, or all of them."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    CRITIC = "critic"
    RESPONDER = "responder"
    GLOBAL = "global"


class MemoryType(StrEnum):
    """The packet's memory types, in tie-breaking order."""

    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    SUMMARY = "summary"
    REFLECTION = "reflection"
    EPISODE = "episode"


class Block(StrEnum):
    """How a candidate relates to the request, in tie-breaking order."""

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
"""Plans and todos have no type: they are not knowledge that a step can use."""

READS: Mapping[Role, tuple[MemoryType, ...]] = {
    Role.PLANNER: (MemoryType.PREFERENCE, MemoryType.PROCEDURE, MemoryType.SUMMARY),
    Role.EXECUTOR: (MemoryType.PREFERENCE, MemoryType.PROCEDURE, MemoryType.EPISODE, MemoryType.REFLECTION),
    Role.CRITIC: (MemoryType.REFLECTION, MemoryType.PREFERENCE, MemoryType.SUMMARY),
    Role.RESPONDER: (MemoryType.PREFERENCE, MemoryType.SUMMARY, MemoryType.PROCEDURE),
}
"""The types each role reads, the most important first."""

SLOT_OF: Mapping[MemoryType, Slot] = {
    MemoryType.PREFERENCE: Slot.CONSTRAINTS,
    MemoryType.PROCEDURE: Slot.PROCEDURES,
    MemoryType.SUMMARY: Slot.FACTS,
    MemoryType.REFLECTION: Slot.PITFALLS,
    MemoryType.EPISODE: Slot.FACTS,
}


def kinds_of_types(types: tuple[MemoryType, ...]) -> tuple[Kind, ...]:
    """Return the memory kinds that map to one of these types."""
    return tuple(kind for kind, type in TYPE_OF.items() if type in types)


def short_id(prefix: str, unique: str) -> str:
    """Return an id made of a prefix and twelve hexadecimal digits of a digest."""
    return f"{prefix}_{digest(unique).partition(':')[2][:ID_DIGITS]}"


def graded(value: float | None) -> float:
    """Return a grade, or the default if there is none."""
    return UNGRADED if value is None else value


def role_scope_of(memory: Memory) -> str:
    """Return the role a memory is for, by default all."""
    return memory.role_scope or GLOBAL


def is_durable(memory: Memory) -> bool:
    """Return whether a memory is useful beyond its session and task."""
    return memory.abstraction >= DURABLE_LEVEL or role_scope_of(memory) == GLOBAL


class Details(Struct, frozen=True):
    """Additional data of a memory: written with it, never changed, erased with it."""

    data: Mapping[str, Json] = field(default_factory=dict)
    source_refs: tuple[str, ...] = ()
    recency: int | None = None
    """When it happened, if that is not when it was stored."""


class Packet(Struct, frozen=True):
    """The working memory of one step: a few short texts and the ids of their memories."""

    goal: str
    step_role: str
    hard_constraints: tuple[str, ...] = ()
    relevant_facts: tuple[str, ...] = ()
    procedures_to_follow: tuple[str, ...] = ()
    pitfalls_to_avoid: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    selected_memory_ids: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Its goal and every text of its lists."""
        lists: list[tuple[str, ...]] = [getattr(self, slot.value) for slot in Slot]
        return self.goal, *(text for texts in lists for text in texts)
