"""What is worth keeping, and for how long: grade it, let it age, bring it back."""

from satchel.interfaces.operations.operation import ALL_SCOPES, ID, SCOPE, Operation, Parameter, flag
from satchel.observations.lifecycle_values import Drift, Graded, LifecycleRun, LifecycleStatus, Revived

DRY_RUN = flag("dry_run", "write nothing, and say what would be done")

OPERATIONS: tuple[Operation, ...] = (
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
