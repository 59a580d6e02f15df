"""Grade observations and memories that have no importance yet, or one from an older grader."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from satchel.core.service import Service
from satchel.domain.arguments import count_values
from satchel.domain.canonical import Json
from satchel.domain.observation import Grade, Grader
from satchel.domain.receipt import Receipt
from satchel.domain.record import NICE_TO_HAVE_FROM, Memory, MemoryId, Trust, label_for
from satchel.domain.safety.redact import MASK, redacted
from satchel.domain.view import View
from satchel.observations.grade import HEURISTIC, try_grade
from satchel.observations.ingest import text_to_grade
from satchel.observations.lifecycle_values import Graded, GradedRecord
from satchel.ports import Change, Grading

RECORDS_PER_BATCH = 500
MAX_EXAMPLES = 20


class RecordGrading(Service):
    """Grades the records of a view in batches. An importance that an operator gave is never replaced."""

    @property
    def grader(self) -> Grader:
        """The configured grader, else the heuristic one."""
        return self._parts.grader or HEURISTIC

    def new_grades(self, view: View) -> Iterator[tuple[str, list[Grading], int]]:
        """Yield the kind of records, a batch of their grades, and how many could not be graded."""
        grader, after = self.grader, 0
        while rows := self._ledger.observations.ungraded(grader.method, grader.version, view, RECORDS_PER_BATCH, after):
            observed = [
                (str(one.id), try_grade(grader, text_to_grade(one.summary, one.text, one.detail))) for _, one in rows
            ]
            yield "observations", *_gradings(grader, observed)
            after = rows[-1][0]
        ids = [one.id for one in self._ungraded_memories(view)]
        for start in range(0, len(ids), RECORDS_PER_BATCH):
            found = self._ledger.memories.fetch(ids[start : start + RECORDS_PER_BATCH], view)
            graded = [(str(one.id), _memory_grade(grader, one)) for one in found.values()]
            yield "memories", *_gradings(grader, graded)

    def _ungraded_memories(self, view: View) -> Iterator[Memory]:
        """Yield memories without an importance, or with one from an older version of the grader."""
        memories = self._ledger.memories.walk(view)
        while batch := list(islice(memories, RECORDS_PER_BATCH)):
            before = self._ledger.usage.grades([one.id for one in batch if one.importance is not None])
            yield from (one for one in batch if _is_due(one, before.get(one.id), self.grader))

    def keep(self, records: str, grades: Sequence[Grading], view: View, receipt: Receipt) -> None:
        """Store a batch of grades."""
        if records == "observations":
            self._ledger.observations.grade(grades, receipt, self._parts.actor)
            return
        by_id = {MemoryId(one.id): one for one in grades}
        with self._ledger.memories.transaction():
            # Checked again under the write lock: an operator may have graded one meanwhile.
            current = self._ledger.memories.fetch([*by_id], view)
            before = self._ledger.usage.grades([*current])
            due = [one for one in current.values() if _is_due(one, before.get(one.id), self.grader)]
            self._ledger.memories.commit(
                [_graded_change(one, by_id[one.id], self._parts.actor) for one in due], receipt
            )
            self._ledger.usage.keep_grades([by_id[one.id] for one in due], receipt.at)

    def summary(self, grades: dict[str, list[Grading]], errors: int, dry_run: bool) -> Graded:
        """Return the result of grading."""
        both = [*grades["observations"], *grades["memories"]]
        return Graded(
            dry_run=dry_run,
            method=self.grader.method,
            version=self.grader.version,
            observations=len(grades["observations"]),
            memories=len(grades["memories"]),
            scorer_errors=errors,
            label_counts=count_values(one.label for one in both),
            signal_counts=count_values(signal for one in both for signal in one.signals),
            examples=tuple(GradedRecord(one.id, one.score, one.label, one.signals) for one in both[:MAX_EXAMPLES]),
        )


def _memory_grade(grader: Grader, memory: Memory) -> Grade | None:
    """Grade a memory; a trusted one is at least nice to have, unless it contains a secret."""
    text = redacted(f"{memory.title or ''}\n{memory.text}".strip()).text
    grade = try_grade(grader, text)
    # An operator stored it on purpose: plain wording is no reason to rank it last.
    if grade is None or memory.trust is not Trust.TRUSTED or MASK.search(text) or grade.score >= NICE_TO_HAVE_FROM:
        return grade
    raised = f"trusted {NICE_TO_HAVE_FROM - grade.score:+.2f}"
    return Grade(NICE_TO_HAVE_FROM, label_for(NICE_TO_HAVE_FROM), (*grade.signals, raised))


def _gradings(grader: Grader, found: Sequence[tuple[str, Grade | None]]) -> tuple[list[Grading], int]:
    """Return the grades to keep, and how many records could not be graded."""
    grades = [_grading(id, grade, grader) for id, grade in found if grade is not None]
    return grades, len(found) - len(grades)


def _grading(id: str, grade: Grade, grader: Grader) -> Grading:
    return Grading(id, grade.score, grade.label, grader.method, grader.version, grade.signals)


def _is_due(memory: Memory, before: Grading | None, grader: Grader) -> bool:
    if memory.importance is None:
        return True
    by_another = before is not None and (before.grader, before.version) != (grader.method, grader.version)
    return by_another and before is not None and before.score == memory.importance


def _graded_change(memory: Memory, grade: Grading, actor: str) -> Change:
    graded = replace(memory, importance=grade.score, label=grade.label)
    reason = f"{grade.grader}/{grade.version}: {', '.join(grade.signals) or 'no signal'}"
    return Change(graded, memory, "grade", actor, reason)


def grade_facts(graded: Graded) -> dict[str, Json]:
    """Return the receipt facts of grading."""
    return {
        "method": graded.method,
        "version": graded.version,
        "observations": graded.observations,
        "memories": graded.memories,
        "scorer_errors": graded.scorer_errors,
        "label_counts": dict(graded.label_counts),
        "signal_counts": dict(graded.signal_counts),
        "reasons": {one.id: list(one.signals) for one in graded.examples},
    }
