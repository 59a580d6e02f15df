"""Build the working set of a scope: goal, constraints, decisions, next actions and open questions in one line."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from satchel.domain.authored import remove_tags, scoped_lines
from satchel.domain.policies import WorkingSetPolicy
from satchel.domain.receipt_sections import WorkingSetSection
from satchel.domain.record import WORKING_SET, Kind, Memory
from satchel.domain.safety.redact import mask
from satchel.domain.text import normalize_text

MIN_ITEMS = 2
ELLIPSIS = "…"

_CONSTRAINT = re.compile(
    r"\b(?:must|only|never|always|avoid|don't|do not|cannot|can't|no more|at most|at least|required?|forbidden)\b|"
    r"必須|必须|只|不要|不准|不能|禁止|避免|一律|務必|务必|永遠|永远|絕不|绝不|至少|最多|別再|别再",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？]\W*$")
_TITLES = {
    "goal": "Goal",
    "constraints": "Constraints",
    "decisions": "Decisions",
    "next_actions": "Next actions",
    "open_questions": "Open questions",
}


class WorkingSet(Struct, frozen=True):
    """A summary of the current state of a scope. Its text is one line, as injected before a prompt."""

    id: str
    text: str
    goal: str | None
    constraints: tuple[str, ...]
    decisions: tuple[str, ...]
    next_actions: tuple[str, ...]
    open_questions: tuple[str, ...]
    consumed: tuple[str, ...] = field(default=())
    """Ids of the memories it quotes in full, which need not be injected again."""


def working_set_id(scope: str) -> str:
    """Return the id of a scope's working set."""
    return f"{WORKING_SET}{scope}"


def is_working_set(id: str) -> bool:
    """Return whether an id is that of a working set, which is never recalled as a memory."""
    return id.startswith(WORKING_SET)


def working_set(scope: str, memories: Sequence[Memory], prompt: str, policy: WorkingSetPolicy) -> WorkingSet | None:
    """Build the working set of a scope, or return None if there is too little.

    Constraints are preferences and decisions with words such as "must"; other decisions follow by importance, then age;
    next actions are todos; goal and open questions come from the prompt. Secrets are masked: it is stored.
    """
    own = [one for one in memories if one.scope == scope and not is_working_set(one.id)]
    ordered = sorted(own, key=lambda one: (-(one.importance or 0.0), -one.created_at, one.id))
    rules = [one for one in ordered if one.kind in (Kind.PREFERENCE, Kind.DECISION) and _CONSTRAINT.search(one.text)]
    decisions = [one for one in ordered if one.kind is Kind.DECISION and one not in rules]
    todos = sorted((one for one in own if one.kind is Kind.TODO), key=lambda one: (-one.created_at, one.id))
    goal, questions = _asked(mask(prompt))
    draft = _Draft(policy, scope)
    draft.add("goal", [(None, goal)] if goal else [], policy.max_goal_chars, most=1)
    draft.add("constraints", _items(rules), policy.max_item_chars)
    draft.add("decisions", _items(decisions), policy.max_item_chars)
    draft.add("next_actions", _items(todos), policy.max_item_chars)
    draft.add("open_questions", [(None, question) for question in questions], policy.max_item_chars)
    return draft.finished()


def receipt_section(
    made: WorkingSet | None, policy: WorkingSetPolicy, *, suppressed: int, persisted: bool
) -> WorkingSetSection:
    """Return the working set section of a recall receipt."""
    sections = {
        "goal": int(made is not None and made.goal is not None),
        "constraints": len(made.constraints) if made else 0,
        "decisions": len(made.decisions) if made else 0,
        "nextActions": len(made.next_actions) if made else 0,
        "openQuestions": len(made.open_questions) if made else 0,
    }
    return WorkingSetSection(
        enabled=policy.enabled,
        generated=made is not None,
        id=made.id if made else None,
        chars=len(made.text) if made else 0,
        sections=sections,
        consumed_count=len(made.consumed) if made else 0,
        suppressed_recall_count=suppressed,
        persisted=persisted,
    )


_Item = tuple[str | None, str]


class _Draft:
    """A working set being filled, section by section, up to its maximum length."""

    def __init__(self, policy: WorkingSetPolicy, scope: str) -> None:
        self._policy, self._scope = policy, scope
        self._sections: dict[str, list[str]] = {name: [] for name in _TITLES}
        self._consumed: list[str] = []
        self._seen: set[str] = set()

    def add(self, section: str, items: Iterable[_Item], max_chars: int, most: int | None = None) -> None:
        """Add distinct items while there is room, each shortened to its maximum length."""
        for id, text in items:
            line = _one_line(text)
            if len(self._sections[section]) == (most or self._policy.max_items_per_section):
                return
            if not line or normalize_text(line) in self._seen:
                continue
            short = line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + ELLIPSIS
            self._sections[section].append(short)
            if len(self._text()) > self._policy.max_chars:
                self._sections[section].pop()
                continue
            self._seen.add(normalize_text(line))
            self._consumed += [id] if id is not None and short == line else []

    def finished(self) -> WorkingSet | None:
        """Return the working set, or None if it has too little content."""
        goal, constraints, decisions, actions, questions = (tuple(items) for items in self._sections.values())
        if not constraints and len(decisions) + len(actions) + len(questions) < MIN_ITEMS:
            return None
        first = goal[0] if goal else None
        id = working_set_id(self._scope)
        return WorkingSet(id, self._text(), first, constraints, decisions, actions, questions, tuple(self._consumed))

    def _text(self) -> str:
        said = {name: items for name, items in self._sections.items() if items}
        return " | ".join(f"{_TITLES[name]}: {'; '.join(items)}" for name, items in said.items())


def _items(memories: Iterable[Memory]) -> Iterator[_Item]:
    # Masked before they are cut, and only as many as fit.
    return ((memory.id, mask(memory.text)) for memory in memories)


def _asked(prompt: str) -> tuple[str | None, list[str]]:
    """Return the goal and the open questions of a prompt."""
    lines = [line.text for line in scoped_lines(remove_tags(prompt)) if line.text.strip()]
    questions = [line for line in lines if _QUESTION.search(line)]
    wants = [line for line in lines if line not in questions]
    return (wants[0] if wants else None), questions


def _one_line(text: str) -> str:
    return " ".join(text.split())
