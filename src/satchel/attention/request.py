"""The validated request for a packet."""

from itertools import chain, zip_longest
from typing import Any

from msgspec import Struct

from satchel.attention import fields
from satchel.domain.attention import Role
from satchel.domain.words import MAX_QUESTION_CHARS, content_terms


class AttentionRequest(Struct, frozen=True):
    """What the current step is about."""

    goal: str
    role: Role
    session: str | None = None
    task: str | None = None
    constraints: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All texts of the request in one."""
        return "\n".join((self.goal, *self.constraints, *self.failures, *self.questions))


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


def search_terms(request: AttentionRequest, max_terms: int) -> tuple[str, ...]:
    """Return the words to search candidates by, from each part of the request in turn, the goal first."""
    parts = ((request.goal,), request.constraints, request.failures, request.questions)
    terms = [content_terms(" \n".join(part)) for part in parts if part]
    in_turn = chain.from_iterable(zip_longest(*terms))
    return tuple(dict.fromkeys(term for term in in_turn if term is not None))[:max_terms]
