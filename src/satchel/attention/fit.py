"""Decide which candidates belong in a packet: relevance comes first, and importance never makes up for it."""

from enum import StrEnum

from satchel.attention.every_step import fits_every_step
from satchel.attention.request import AttentionRequest
from satchel.domain.attention import (
    CONSTRAINT_KEYS,
    DURABLE_LEVEL,
    GLOBAL,
    MAX_LEVEL,
    TYPE_OF,
    Details,
    MemoryType,
    role_scope_of,
)
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, Trust
from satchel.recall.relevance import GOOD

# Minimum relevance of a procedure that was stored for the step's role: what a recall calls an answer at all.
LEAST_FOR_ROLE = 0.02


class Fit(StrEnum):
    """Why a candidate belongs in a packet, best first, or why it does not."""

    GOAL = "relevant"
    TASK = "same-task"
    SESSION = "rule-of-session"
    ROLE = "procedure-of-role"
    EVERY_STEP = "every-step"
    OTHER_TASK = "rule-of-other-task"
    UNRELATED = "not-relevant"

    @property
    def belongs(self) -> bool:
        """Whether such a candidate may be in the packet."""
        return self not in (Fit.OTHER_TASK, Fit.UNRELATED)


FIT_ORDER = {fit: place for place, fit in enumerate(Fit)}


def fit_of(
    memory: Memory, relevance: float, details: Details | None, request: AttentionRequest, policy: AttentionPolicy
) -> Fit:
    """Return the first rule that decides about a candidate."""
    is_rule = TYPE_OF[memory.kind] is MemoryType.PREFERENCE
    if is_rule and _is_of_another_task(memory, relevance, request):
        return Fit.OTHER_TASK
    if relevance >= policy.least_relevance:
        return Fit.GOAL
    if request.task is not None and memory.task == request.task:
        return Fit.TASK
    if is_rule and request.session is not None and memory.session == request.session:
        return Fit.SESSION
    if is_rule and _applies_always(memory, details, request):
        return Fit.EVERY_STEP
    if _is_procedure_of_role(memory, request) and relevance >= LEAST_FOR_ROLE:
        return Fit.ROLE
    return Fit.UNRELATED


def _is_of_another_task(memory: Memory, relevance: float, request: AttentionRequest) -> bool:
    """Return whether a rule was made for another task. A step without a task takes it only if it is clearly relevant."""
    if memory.task is None or memory.task == request.task:
        return False
    return request.task is not None or relevance < GOOD


def _is_procedure_of_role(memory: Memory, request: AttentionRequest) -> bool:
    """Return whether a memory is a trusted, lasting procedure for exactly this role."""
    is_procedure = TYPE_OF[memory.kind] is MemoryType.PROCEDURE and memory.trust is Trust.TRUSTED
    return is_procedure and memory.role_scope == request.role and memory.abstraction >= DURABLE_LEVEL


def _applies_always(memory: Memory, details: Details | None, request: AttentionRequest) -> bool:
    """Return whether a rule applies to every step of its role. An untrusted memory cannot claim it."""
    if memory.trust is not Trust.TRUSTED or memory.task is not None:
        return False
    if role_scope_of(memory) not in (request.role, GLOBAL):
        return False
    return _is_declared(memory, details) or fits_every_step(memory.text)


def _is_declared(memory: Memory, details: Details | None) -> bool:
    """Return whether it was stored as a long-term hard constraint."""
    return memory.abstraction == MAX_LEVEL and details is not None and any(map(details.data.get, CONSTRAINT_KEYS))
