"""Ingest: lines of the spool into the ledger, each exactly once, whatever stops it and however often it runs.

A batch of rows and the place up to which the spool was read are one transaction. What comes before it can be done
twice without harm: a dead letter is known by its place, an artifact by its content.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct, field

from satchel.domain.grading import Grade, Grader
from satchel.domain.observation import Observation, observation_id
from satchel.domain.policies import ScopePolicy
from satchel.domain.record import State, Trust, label_for
from satchel.domain.scope import named
from satchel.domain.spool import Cursor, DeadLetter, SpoolLine
from satchel.domain.strict_json import read_object
from satchel.errors import InvalidRequest
from satchel.observations.event import Circumstances, Sighting, sighted
from satchel.observations.grade import attempted
from satchel.observations.intake import dead_letter
from satchel.ports import Spool

LINES_PER_BATCH = 1_000
GRADED_CHARS = 1_000


def around(now: int, policy: ScopePolicy) -> Circumstances:
    """Return what is known of the events of a store beside what they say themselves."""
    return Circumstances(now, policy.default_scope, named=partial(named, policy=policy))


class Terms(Struct, frozen=True):
    """How lines are taken in."""

    around: Circumstances
    grader: Grader | None


class Batch(Struct):
    """What some lines of one file came to."""

    source: str
    start: int
    position: int
    """Up to where the file has been read."""
    seen: int = 0
    observations: list[Observation] = field(default_factory=list)
    payloads: list[tuple[str, str]] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    private: int = 0
    misplaced: int = 0
    waiting: int = 0
    scorer_errors: int = 0


def batches(
    spool: Spool, source: str, cursor: Cursor | None, terms: Terms, *, growing: bool, size: int = LINES_PER_BATCH
) -> Iterator[Batch]:
    """Read what is new in a file. At the end of one that grows, half a line is left for later."""
    lines = iter(spool.lines(source, cursor))
    while chunk := list(islice(lines, size)):
        yield _batch(source, chunk, terms, growing)


def _batch(source: str, lines: Sequence[SpoolLine], terms: Terms, growing: bool) -> Batch:
    batch = Batch(source, lines[0].offset, lines[0].offset)
    for line in lines:
        if line.problem == "" and not line.raw.strip():
            batch.position = line.end
            continue
        if not line.ended and growing and not _is_whole(line):
            batch.waiting += 1
            break
        _take(batch, line, terms)
        batch.position = line.end
    return batch


def _take(batch: Batch, line: SpoolLine, terms: Terms) -> None:
    batch.seen += 1
    try:
        if line.problem:
            raise InvalidRequest("the line is too long", code=line.problem)
        sighting = sighted(read_object(line.raw), terms.around)
    except InvalidRequest as error:
        size = line.end - line.offset
        batch.letters.append(dead_letter(line.raw, error.code, line.source, line.offset, size, terms.around.now))
        return
    if sighting is None:
        batch.private += 1
        return
    if sighting.overflow and sighting.payload:
        batch.payloads.append((sighting.payload, sighting.overflow))
    batch.misplaced += sighting.misplaced
    grade = _grade(batch, sighting, terms.grader)
    batch.observations.append(_observation(sighting, line, grade, terms.grader))


def _grade(batch: Batch, sighting: Sighting, grader: Grader | None) -> Grade | None:
    if grader is None or sighting.importance is not None:
        return None
    grade = attempted(grader, graded_text(sighting.summary, sighting.text))
    batch.scorer_errors += grade is None
    return grade


def graded_text(summary: str, text: str) -> str:
    """Return what an observation is graded by: the beginning tells, and a long output mentions everything."""
    return text[:GRADED_CHARS] if text else summary


def _observation(sighting: Sighting, line: SpoolLine, grade: Grade | None, grader: Grader | None) -> Observation:
    importance = sighting.importance if grade is None else grade.score
    return Observation(
        id=observation_id(sighting.scope, sighting.key),
        key=sighting.key,
        scope=sighting.scope,
        kind=sighting.kind,
        at=sighting.ts,
        captured_at=sighting.captured_at,
        summary=sighting.summary,
        text=sighting.text,
        detail=sighting.detail,
        tool_name=sighting.tool_name,
        tool_call_id=sighting.tool_call_id,
        session=sighting.session_key,
        agent=sighting.agent_id,
        synthetic=sighting.is_synthetic,
        language=sighting.language,
        trust=Trust(sighting.trust),
        importance=importance,
        label=label_for(importance),
        grader=None if grade is None or grader is None else f"{grader.method}/{grader.version}",
        signals=() if grade is None else grade.signals,
        state=State.CAPTURED if importance is None else State.CATEGORIZED,
        payload=sighting.payload,
        payload_bytes=sighting.payload_bytes,
        source=line.source,
        offset=line.offset,
    )


def _is_whole(line: SpoolLine) -> bool:
    """Say whether a last line needs no more: an object that is closed says so itself."""
    try:
        read_object(line.raw)
    except InvalidRequest:
        return False
    return True


class Totals(Struct):
    """What a whole run has come to so far."""

    seen: int = 0
    inserted: int = 0
    existing: int = 0
    private: int = 0
    misplaced: int = 0
    waiting: int = 0
    graded: int = 0
    scorer_errors: int = 0
    archived: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, batch: Batch, inserted: Iterable[str]) -> None:
        """Count a batch, of which these observations were new."""
        new = {*inserted}
        fresh = [one for one in {one.id: one for one in reversed(batch.observations)}.values() if one.id in new]
        self.seen += batch.seen
        self.inserted += len(fresh)
        self.existing += len(batch.observations) - len(fresh)
        self.private += batch.private
        self.misplaced += batch.misplaced
        self.waiting += batch.waiting
        self.graded += sum(one.grader is not None for one in fresh)
        self.scorer_errors += batch.scorer_errors
        self.rejected.update(one.reason for one in batch.letters)
        self.labels.update(one.label for one in fresh)
