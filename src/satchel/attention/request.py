"""The validated request for a packet, and how the receipt describes it."""

from typing import Any

from msgspec import Struct

from satchel.attention import fields
from satchel.domain.attention import Role
from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.receipt_sections import AttentionAsked
from satchel.domain.words import MAX_QUESTION_CHARS


class AttentionRequest(Struct, frozen=True):
    """What the current step is about."""

    goal: str
    role: Role
    session: str | None = None
    task: str | None = None
    constraints: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


def parse_request(
    goal: Any, step_role: Any, session_id: Any, task_id: Any, constraints: Any, failures: Any, questions: Any
) -> AttentionRequest:
    """Check the fields of a request. Raises InvalidRequest, naming the field."""
    return AttentionRequest(
        goal=fields.text(goal, "goal", limit=MAX_QUESTION_CHARS),
        role=fields.word(Role, step_role, "step_role"),
        session=fields.text_or_none(session_id, "session_id"),
        task=fields.text_or_none(task_id, "task_id"),
        constraints=fields.texts(constraints, "user_constraints", limit=MAX_QUESTION_CHARS),
        failures=fields.texts(failures, "recent_failures", limit=MAX_QUESTION_CHARS),
        questions=fields.texts(questions, "unresolved_questions", limit=MAX_QUESTION_CHARS),
    )


def request_section(request: AttentionRequest, scope: str, by_meaning: bool) -> AttentionAsked:
    """Describe a request without repeating it: people paste their memories into their goals."""
    request_fields: dict[str, Json] = {
        "goal": request.goal,
        "session": request.session,
        "task": request.task,
        "constraints": request.constraints,
        "failures": request.failures,
        "questions": request.questions,
    }
    return AttentionAsked(digest(canonical(request_fields)), len(request.goal), request.role, scope, by_meaning)
