"""What one does with evidence: capture it, take it in, find it step by step."""

from satchel.interfaces.operations.operation import ALL_SCOPES, ID, SCOPE, Operation, Parameter, flag
from satchel.observations.values import Captured, Excerpt, Ingested, Searched, Shown, Timeline
from satchel.recall.question import MAX_LIMIT

ARCHIVED = flag("archived", "look at what was archived or retired as well")

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "capture",
        "write events to the spool: one JSON object, or one to a line",
        lambda session, given: session.memory.observations.capture(**given),
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
        lambda session, given: session.memory.observations.ingest(progress=session.progress, **given),
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
        lambda session, given: session.memory.observations.search(**given),
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
        lambda session, given: session.memory.observations.timeline(**given),
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
        lambda session, given: session.memory.observations.artifacts_show(**given),
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
        lambda session, given: session.memory.observations.observations_show(**given),
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
)
