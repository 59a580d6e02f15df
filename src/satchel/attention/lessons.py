"""Turn a report about finished work into a reflection and, on request, a procedure."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from satchel.attention import fields
from satchel.attention.entry import AttentionEntry
from satchel.domain.attention import DURABLE_LEVEL, MemoryType, Role
from satchel.domain.canonical import Json
from satchel.domain.shorten import shorten
from satchel.errors import InvalidRequest

SUCCESSES = frozenset({"completed", "success", "succeeded"})
MAX_STEPS = 5
MAX_ENTRY_CHARS = 10_000
TITLE_CHARS = 200


class Report(Struct, frozen=True):
    """A report about finished work."""

    goal: str | None
    outcome: str
    what_worked: tuple[str, ...]
    what_failed: tuple[str, ...]
    lessons: tuple[str, ...]
    next_time: tuple[str, ...]
    session: str | None
    task: str | None

    @property
    def succeeded(self) -> bool:
        """Whether the outcome is one of the success words."""
        return self.outcome.strip().casefold() in SUCCESSES

    @property
    def steps(self) -> tuple[str, ...]:
        """Steps worth repeating."""
        return tuple(dict.fromkeys((*self.what_worked, *self.lessons, *self.next_time)))[:MAX_STEPS]

    @property
    def subject(self) -> str:
        """What the work was about."""
        return shorten(self.goal or self.task or self.session or "unnamed work", TITLE_CHARS)


def parse_report(
    goal: Any,
    outcome: Any,
    what_worked: Any,
    what_failed: Any,
    lessons: Any,
    next_time: Any,
    session_id: Any,
    task_id: Any,
) -> Report:
    """Check the fields of a report. Raises InvalidRequest, naming the field."""
    report = Report(
        goal=fields.text_or_none(goal, "goal", limit=MAX_ENTRY_CHARS),
        outcome=fields.text(outcome, "outcome"),
        what_worked=fields.texts(what_worked, "what_worked", limit=MAX_ENTRY_CHARS),
        what_failed=fields.texts(what_failed, "what_failed", limit=MAX_ENTRY_CHARS),
        lessons=fields.texts(lessons, "lessons", limit=MAX_ENTRY_CHARS),
        next_time=fields.texts(next_time, "next_time", limit=MAX_ENTRY_CHARS),
        session=fields.text_or_none(session_id, "session_id"),
        task=fields.text_or_none(task_id, "task_id"),
    )
    if not (report.goal or report.what_worked or report.what_failed or report.lessons or report.next_time):
        raise InvalidRequest(
            "the reflection is empty: goal, what_worked, what_failed, lessons and next_time are all missing",
            code="empty_text",
            hint="say what worked, what failed, or what was learned",
        )
    return report


class ReportOrigin(Struct, frozen=True):
    """Scope and source of a report."""

    scope: str
    source_refs: Any
    source_kind: str
    source_ref: str | None


def reflection(report: Report, origin: ReportOrigin, title: Any, importance: Any, confidence: Any) -> AttentionEntry:
    """Return the reflection entry of a report."""
    return AttentionEntry(
        MemoryType.REFLECTION.value,
        f"Reflection: {report.subject}" if title is None else fields.text(title, "reflection_title"),
        _report_text(report),
        origin.scope,
        DURABLE_LEVEL,
        Role.CRITIC.value,
        report.session,
        report.task,
        details=_parts(report),
        tags=("reflection", "failure" if report.what_failed else "success"),
        source_refs=origin.source_refs,
        importance=importance,
        confidence=confidence,
        success_score=0.9 if report.succeeded else 0.5,
        source_kind=origin.source_kind,
        source_ref=origin.source_ref,
    )


def procedure(report: Report, origin: ReportOrigin, title: Any, importance: Any, confidence: Any) -> AttentionEntry:
    """Return the procedure entry of a report's steps."""
    return AttentionEntry(
        MemoryType.PROCEDURE.value,
        f"Procedure: {report.subject}" if title is None else fields.text(title, "procedure_title"),
        f"Steps that worked for {report.subject}: {' | '.join(report.steps)}",
        origin.scope,
        DURABLE_LEVEL,
        Role.PLANNER.value,
        report.session,
        report.task,
        details={"steps": report.steps},
        tags=("procedure", "derived"),
        source_refs=origin.source_refs,
        importance=fields.clamped(importance, "procedure_importance"),
        confidence=fields.clamped(confidence, "procedure_confidence"),
        success_score=0.85,
        source_kind=origin.source_kind,
        source_ref=origin.source_ref,
    )


def _report_text(report: Report) -> str:
    """Return a report as one text."""
    parts = (
        ("Goal", (report.goal,) if report.goal else ()),
        ("Outcome", (report.outcome,)),
        ("Worked", report.what_worked),
        ("Failed", report.what_failed),
        ("Lessons", report.lessons),
        ("Next time", report.next_time),
    )
    return " ".join(f"{name}: {_ended('; '.join(texts))}" for name, texts in parts if texts)


def _parts(report: Report) -> Mapping[str, Json]:
    return {
        "goal": report.goal,
        "outcome": report.outcome,
        "what_worked": report.what_worked,
        "what_failed": report.what_failed,
        "lessons": report.lessons,
        "next_time": report.next_time,
    }


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。", "！", "？")) else f"{text}."
