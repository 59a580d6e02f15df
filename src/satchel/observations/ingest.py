"""Ingest spool lines into the ledger, each exactly once, however often it runs and wherever it is interrupted.

A batch of rows and the read position are committed in one transaction. Everything before it is idempotent: a dead
letter is identified by its position, an artifact by its content.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import islice

from msgspec import Struct, field

from satchel.core.reach_limit import lifted
from satchel.domain.canonical import Json
from satchel.domain.observation import Grade, Grader, Observation, observation_id
from satchel.domain.policies import ScopePolicy
from satchel.domain.receipt import Receipt
from satchel.domain.record import Label, State, Trust, label_for
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.domain.scope import parse_scope
from satchel.domain.scope_name import AUTO_SCOPE, DEFAULT_SCOPE
from satchel.domain.spool import Cursor, DeadLetter, SpoolLine
from satchel.errors import InvalidRequest
from satchel.observations.event import CaptureContext, CapturedEvent, parse_event, read_object
from satchel.observations.grade import try_grade
from satchel.observations.intake import dead_letter, is_object
from satchel.observations.outcome import failed_exit, tool_text
from satchel.observations.values import Ingested
from satchel.ports import ObservationStore, Progress, Spool

LINES_PER_BATCH = 1_000
# The beginning and the end of an output say what it is; the rest of a long one matches every signal.
GRADED_CHARS = 1_000
GRADED_END_CHARS = 300
# What comes later is read only by who asks for the whole payload.
MAX_INSPECTED_CHARS = 8_192


def capture_context(
    now: int, policy: ScopePolicy, project_of: Callable[[str], str | None] = lambda folder: None
) -> CaptureContext:
    """Return the context in which a store parses events. `project_of` returns the project of a folder."""
    own = policy.project or DEFAULT_SCOPE
    return CaptureContext(
        now,
        AUTO_SCOPE if policy.follows_project else policy.default_scope,
        parse_scope_name=partial(parse_scope, policy=policy),
        project_scope=cache(lambda folder: own if folder is None else project_of(folder) or DEFAULT_SCOPE),
    )


class IngestOptions(Struct, frozen=True):
    """How lines are parsed and graded."""

    context: CaptureContext
    grader: Grader | None
    seed: Callable[[str], str]
    """Returns the seed of new ids of a scope."""


class Batch(Struct):
    """The result of parsing some lines of one file."""

    source: str
    start: int
    position: int
    """Offset up to which the file has been read."""
    seen: int = 0
    observations: list[Observation] = field(default_factory=list)
    payloads: list[tuple[str, str]] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    private: int = 0
    misplaced: int = 0
    quarantined: int = 0
    waiting: int = 0
    scorer_errors: int = 0


class Totals(Struct):
    """Counts over all batches of a run."""

    seen: int = 0
    inserted: int = 0
    existing: int = 0
    private: int = 0
    misplaced: int = 0
    quarantined: int = 0
    waiting: int = 0
    graded: int = 0
    scorer_errors: int = 0
    archived: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, batch: Batch, inserted: Iterable[str]) -> None:
        """Count a batch of which the given observations were new."""
        new_ids = {*inserted}
        new = [one for one in {one.id: one for one in reversed(batch.observations)}.values() if one.id in new_ids]
        self.seen += batch.seen
        self.inserted += len(new)
        self.existing += len(batch.observations) - len(new)
        self.private += batch.private
        self.misplaced += batch.misplaced
        self.quarantined += batch.quarantined
        self.waiting += batch.waiting
        self.graded += sum(one.grader is not None for one in new)
        self.scorer_errors += batch.scorer_errors
        self.rejected.update(one.reason for one in batch.letters)
        self.labels.update(one.label for one in new)

    def summary(self, log_lines: int) -> Ingested:
        """Return the result of the run, with the number of lines added to the log."""
        return Ingested(
            total_seen=self.seen,
            inserted=self.inserted,
            skipped_existing=self.existing,
            skipped_disabled=self.private,
            misplaced=self.misplaced,
            quarantined=self.quarantined,
            rejected=sum(self.rejected.values()),
            rejected_by=dict(sorted(self.rejected.items())),
            waiting=self.waiting,
            graded_filled=self.graded,
            scorer_errors=self.scorer_errors,
            label_counts={label.value: self.labels[label] for label in Label},
            archived_files=self.archived,
            log_lines=log_lines,
        )


class IngestRun(Struct, dict=True):
    """One run over the whole spool, or over one other file."""

    spool: Spool
    observations: ObservationStore
    options: IngestOptions
    file: str | None
    make_receipt: Callable[[dict[str, Json]], Receipt]
    """Makes the receipt of a batch from its facts."""
    progress: Progress | None
    totals: Totals = field(default_factory=Totals)

    @cached_property
    def buried(self) -> frozenset[tuple[str, int]]:
        """Lines that are dead letters already; read when there is a new one."""
        return self.spool.dead_letters()

    def run(self) -> Totals:
        """Read until nothing is new, including files that other processes start meanwhile."""
        while True:
            sources = self._sources()
            for source in sources:
                self._read(source, growing=source == sources[-1])
            if self._sources() in (sources, sources[-1:]):
                return self.totals

    def _sources(self) -> list[str]:
        return self.spool.sources() if self.file is None else [self.file]

    def _read(self, source: str, *, growing: bool) -> None:
        spool, cursor = self.spool, self.observations.cursors().get(source)
        self.totals.waiting = 0
        for batch in read_batches(spool, source, cursor, self.options, growing=growing):
            self._keep(batch)
            if self.progress is not None:
                self.progress(batch.position, max(batch.position, spool.size(source)), f"ingesting {source[-40:]}")
        if not growing and self.file is None and spool.archive(source):
            self.totals.archived += 1

    def _keep(self, batch: Batch) -> None:
        if batch.position == batch.start:
            self.totals.waiting += batch.waiting
            return
        for name, text in batch.payloads:
            self.spool.put(name, text)
        # Before the position is committed: after an interruption here the same letters come again and are recognized.
        self.spool.add_dead_letters([one for one in batch.letters if (one.source, one.offset) not in self.buried])
        receipt = self.make_receipt(
            {
                "source": batch.source,
                "position": batch.position,
                "seen": batch.seen,
                "rejected": len(batch.letters),
            }
        )
        cursor = self.spool.cursor(batch.source, batch.position)
        with lifted():
            new = self.observations.ingest(batch.observations, [cursor], receipt)
        self.totals.add(batch, new)


def ingest_facts(ingested: Ingested) -> dict[str, Json]:
    """Return the receipt facts of an ingest."""
    return {
        "total_seen": ingested.total_seen,
        "inserted": ingested.inserted,
        "skipped_existing": ingested.skipped_existing,
        "skipped_disabled": ingested.skipped_disabled,
        "misplaced": ingested.misplaced,
        "quarantined": ingested.quarantined,
        "rejected": dict(ingested.rejected_by),
        "waiting": ingested.waiting,
        "graded_filled": ingested.graded_filled,
        "scorer_errors": ingested.scorer_errors,
        "label_counts": dict(ingested.label_counts),
        "log_lines": ingested.log_lines,
    }


def read_batches(
    spool: Spool,
    source: str,
    cursor: Cursor | None,
    options: IngestOptions,
    *,
    growing: bool,
    size: int = LINES_PER_BATCH,
) -> Iterator[Batch]:
    """Read the new lines of a file. An incomplete last line of a growing file is left for later."""
    lines = iter(spool.lines(source, cursor))
    while chunk := list(islice(lines, size)):
        yield _batch(source, chunk, options, growing)


def _batch(source: str, lines: Sequence[SpoolLine], options: IngestOptions, growing: bool) -> Batch:
    batch = Batch(source, lines[0].offset, lines[0].offset)
    for line in lines:
        if line.problem or line.raw.strip():
            if not line.ended and growing and not is_object(line.raw):
                batch.waiting += 1
                break
            _add(batch, line, options)
        batch.position = line.end
    return batch


def _add(batch: Batch, line: SpoolLine, options: IngestOptions) -> None:
    batch.seen += 1
    try:
        if line.problem:
            raise InvalidRequest("the line is too long", code=line.problem)
        event = parse_event(read_object(line.raw), options.context)
    except InvalidRequest as error:
        size = line.end - line.offset
        batch.letters.append(dead_letter(line.raw, error.code, line.source, line.offset, size, options.context.now))
        return
    if event is None:
        batch.private += 1
        return
    if event.overflow and event.payload:
        batch.payloads.append((event.payload, event.overflow))
    batch.misplaced += event.misplaced
    if event.trust != Trust.QUARANTINED and agent_orders(_inspected_text(event)):
        event = event._replace(trust=Trust.QUARANTINED)
        batch.quarantined += 1
    grade = _grade(batch, event, options.grader)
    batch.observations.append(_observation(event, options.seed(event.scope), line, grade, options.grader))


def _inspected_text(event: CapturedEvent) -> str:
    """Return all text of an event that could reach a prompt."""
    # The summary is mostly the beginning of the text.
    summary = "" if event.text.startswith(event.summary) else event.summary
    return "\n".join(filter(None, (summary, event.text, tool_text(event.detail))))[:MAX_INSPECTED_CHARS]


def _grade(batch: Batch, event: CapturedEvent, grader: Grader | None) -> Grade | None:
    if grader is None or event.importance is not None:
        return None
    grade = try_grade(grader, text_to_grade(event.summary, event.text, event.detail))
    batch.scorer_errors += grade is None
    return grade


def text_to_grade(summary: str, text: str, detail: str | None) -> str:
    """Return the text by which an observation is graded: what was said or printed, and the exit code of a failure."""
    shown = text or tool_text(detail) or summary
    if len(shown) > GRADED_CHARS:
        # The end of an output says how it ended.
        shown = f"{shown[: GRADED_CHARS - GRADED_END_CHARS]}\n{shown[-GRADED_END_CHARS:]}"
    return f"{shown}\n{failed_exit(detail)}".rstrip("\n")


def _observation(
    event: CapturedEvent, seed: str, line: SpoolLine, grade: Grade | None, grader: Grader | None
) -> Observation:
    importance = event.importance if grade is None else grade.score
    return Observation(
        id=observation_id(seed, event.key),
        key=event.key,
        scope=event.scope,
        kind=event.kind,
        at=event.ts,
        captured_at=event.captured_at,
        summary=event.summary,
        text=event.text,
        detail=event.detail,
        tool_name=event.tool_name,
        tool_call_id=event.tool_call_id,
        session=event.session_key,
        agent=event.agent_id,
        synthetic=event.is_synthetic,
        language=event.language,
        trust=Trust(event.trust),
        importance=importance,
        label=label_for(importance),
        grader=None if grade is None or grader is None else f"{grader.method}/{grader.version}",
        signals=() if grade is None else grade.signals,
        state=State.CAPTURED if importance is None else State.CATEGORIZED,
        payload=event.payload,
        payload_bytes=event.payload_bytes,
        source=line.source,
        offset=line.offset,
    )
