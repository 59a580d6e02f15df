"""What one does with evidence: capture it, take it in, find it step by step, grade it, let it age."""

from satchel.domain.evidence import (
    Captured,
    Drift,
    Excerpt,
    Graded,
    Ingested,
    LifecycleRun,
    LifecycleStatus,
    Revived,
    Searched,
    Shown,
    Timeline,
)
from satchel.interfaces.operations.operation import ALL_SCOPES, ID, SCOPE, Operation, Parameter, flag
from satchel.recall.question import MAX_LIMIT

ARCHIVED = flag("archived", "look at what was archived or retired as well")
DRY_RUN = flag("dry_run", "write nothing, and say what would be done")

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "capture",
        "write events to the spool: one JSON object, or one to a line",
        lambda session, given: session.memory.capture(**given),
        result=Captured,
        writes=True,
        operator_only=True,
        parameters=(
            Parameter("events", "the events; standard input if left out or '-'", positional=True, from_stdin=True),
            Parameter("scope", "put every event into this scope, whatever it says itself"),
        ),
        details="Made for hooks: it starts in a moment, masks secrets before anything is written, puts long payloads "
        "aside, and returns when the event is on disk. What is no event goes to dead-letters.jsonl.",
        examples=("""echo '{"tool_name": "bash", "text": "12 tests passed"}' | satchel capture""",),
    ),
    Operation(
        "ingest",
        "take the spool into the ledger",
        lambda session, given: session.memory.ingest(progress=session.progress, **given),
        result=Ingested,
        writes=True,
        operator_only=True,
        idempotent=True,
        parameters=(
            Parameter("file", "take in this file of events instead of the spool"),
            flag("follow", "go on as events come, until stopped"),
        ),
        details="Each event comes in once, however often this runs and however it is stopped. Lines that are no events "
        "go to dead-letters.jsonl with the reason; the others come in.",
        examples=("satchel ingest", "satchel ingest --follow"),
    ),
    Operation(
        "search",
        "find observations by their words, one line each",
        lambda session, given: session.memory.search(**given),
        result=Searched,
        writes=False,
        parameters=(
            Parameter("query", "what to look for", required=True, positional=True, from_stdin=True),
            SCOPE,
            Parameter("limit", f"how many to return, 1 to {MAX_LIMIT}", type=int, default=20),
            ARCHIVED,
        ),
        details="The first of three steps: search, then timeline for what happened around a hit, then get for all of it.",
        examples=('satchel search "timeout" --scope repo/api',),
    ),
    Operation(
        "timeline",
        "show what happened around a record, one line each",
        lambda session, given: session.memory.timeline(**given),
        result=Timeline,
        writes=False,
        parameters=(
            ID,
            SCOPE,
            Parameter("window", "how many neighbours on each side, 1 to 50", type=int, default=4),
            ARCHIVED,
        ),
    ),
    Operation(
        "artifacts show",
        "show a piece of what was too long for an observation",
        lambda session, given: session.memory.artifacts_show(**given),
        result=Excerpt,
        writes=False,
        operator_only=True,
        parameters=(
            Parameter("id", "id of the observation", required=True, positional=True),
            SCOPE,
            ALL_SCOPES,
            Parameter("part", "which end of it", default="head", choices=("head", "tail", "both")),
            Parameter("max_chars", "how many characters, 1 to 8000", type=int, default=8_000),
        ),
    ),
    Operation(
        "observations show",
        "show the observational log of a scope, and what is not in it yet",
        lambda session, given: session.memory.observations_show(**given),
        result=Shown,
        writes=False,
        operator_only=True,
        parameters=(
            SCOPE,
            Parameter("raw", "how many uncompressed observations to show, 0 to 1000", type=int, default=20),
        ),
        details="The log only grows at its end until the lifecycle prunes it, so that it can stand at the beginning of a "
        "prompt and be cached.",
    ),
    Operation(
        "grade",
        "grade what has no importance yet, with the reason for each grade",
        lambda session, given: session.memory.lifecycle.grade(progress=session.progress, **given),
        result=Graded,
        writes=True,
        operator_only=True,
        idempotent=True,
        parameters=(SCOPE, ALL_SCOPES, DRY_RUN),
        details="Observations and memories, by the rules of heuristic-v1. An importance that somebody gave is never "
        "replaced. Ingest grades what it takes in.",
        examples=("satchel grade --dry-run", "satchel grade --all-scopes"),
    ),
    Operation(
        "lifecycle run",
        "mark what nobody uses as stale, and archive it past its horizon",
        lambda session, given: session.memory.lifecycle.run(progress=session.progress, **given),
        result=LifecycleRun,
        writes=True,
        operator_only=True,
        parameters=(SCOPE, ALL_SCOPES, DRY_RUN),
        details="Nothing is deleted: an archived record leaves ordinary answers, and 'lifecycle revive' brings it back. "
        "Only being selected into a final bundle counts as use.",
        examples=("satchel lifecycle run --dry-run", "satchel lifecycle run --all-scopes"),
    ),
    Operation(
        "lifecycle status",
        "say how records stand, and what a run would do now",
        lambda session, given: session.memory.lifecycle.status(**given),
        result=LifecycleStatus,
        writes=False,
        operator_only=True,
        parameters=(SCOPE, ALL_SCOPES),
    ),
    Operation(
        "lifecycle revive",
        "bring an archived or stale record back",
        lambda session, given: session.memory.lifecycle.revive(**given),
        result=Revived,
        writes=True,
        operator_only=True,
        parameters=(ID, SCOPE, ALL_SCOPES),
    ),
    Operation(
        "drift",
        "show how labels, captures and archiving move over time",
        lambda session, given: session.memory.lifecycle.drift(**given),
        result=Drift,
        writes=False,
        operator_only=True,
        parameters=(
            SCOPE,
            ALL_SCOPES,
            Parameter("days", "how many days back", type=int, default=30),
            Parameter("svg", "draw it into this file as well"),
            flag("force", "replace a file that is there already"),
        ),
        examples=("satchel drift --days 90 --svg drift.svg",),
    ),
)
