"""Working memory for the steps of an agent: packets by role, and what is learned on the way."""

from typing import Any

from msgspec.structs import replace

from satchel.attention.values import (
    Added,
    AttentionList,
    AttentionReady,
    Inspected,
    PacketList,
    Reflected,
    Refreshed,
    Routed,
)
from satchel.domain.attention import REFRESHED, MemoryType, Role, RoleScope
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.record import SourceKind, Trust
from satchel.interfaces.operations.operation import SCOPE, Operation, Parameter, flag, json_text, texts, words
from satchel.interfaces.shapes import FLAT, flat


def _if_made(answer: Ok[Any]) -> dict[str, Json]:
    """Leave out the procedure where none was made."""
    return {name: value for name, value in flat(answer).items() if value is not None}


_SESSION = Parameter("session_id", "session it belongs to", flag="session")
_TASK = Parameter("task_id", "task it belongs to", flag="task")
_SOURCE_KIND = Parameter(
    "source_kind",
    "channel it came through",
    default=SourceKind.OPERATOR.value,
    choices=words(SourceKind),
    operator_only=True,
)
_SOURCE_REF = Parameter("source_ref", "where exactly it came from: a tool, an address, a file", operator_only=True)
_SOURCE_REFS = texts("source_refs", "ref", "turn, message, run or address it is based on")

_ROWS: tuple[Operation, ...] = (
    Operation(
        "attention init",
        "make sure that there is a store",
        lambda session, given: session.memory.attention.init(**given),
        result=AttentionReady,
        writes=False,
        operator_only=True,
    ),
    Operation(
        "attention add",
        "keep a memory for later steps",
        lambda session, given: session.memory.attention.add(**given),
        result=Added,
        writes=True,
        takes_object=True,
        parameters=(
            Parameter(
                "memory_type", "what sort of memory it is", required=True, choices=words(MemoryType), flag="type"
            ),
            Parameter("title", "a short title", required=True),
            Parameter("summary", "the memory itself", required=True, from_stdin=True),
            Parameter("abstraction_level", "0 raw, 1 session, 2 task, 3 long-term", type=int, default=0, flag="level"),
            Parameter(
                "role_scope",
                "the role it is for, or global",
                default=RoleScope.GLOBAL.value,
                choices=words(RoleScope),
                flag="role",
            ),
            _SESSION,
            _TASK,
            Parameter("details", "more about it; hard_constraint, constraint and must are rules", type=json_text),
            texts("keywords", "keyword", "a further word to find it by"),
            texts("tags", "tag", "a tag; failure, pitfall and warning make it a pitfall"),
            _SOURCE_REFS,
            Parameter("importance", "from 0 to 1; 0.5 counts if left out", type=float),
            Parameter("confidence", "from 0 to 1; 0.5 counts if left out", type=float),
            Parameter("success_score", "from 0 to 1; 0.5 counts if left out", type=float, flag="success"),
            Parameter("recency_ts", "when it happened; now if left out", flag="recency"),
            Parameter("valid_from_ts", "date or time from which it holds", flag="valid-from"),
            Parameter("valid_to_ts", "date or time until which it holds", flag="valid-to"),
            Parameter("id", "an id of its own; made if left out"),
            Parameter("replaces_memory_id", "id of the memory that this one replaces; it is retired", flag="replaces"),
            Parameter(
                "edges",
                "an object with to_memory_id, edge_type (similar, supports, contradicts, extends, derived_from) and weight",
                flag="edge",
                type=json_text,
                repeated=True,
                default=(),
            ),
            SCOPE,
            Parameter(
                "trust",
                "lower the trust that its channel gives; never raises it",
                choices=words(Trust),
                operator_only=True,
            ),
            _SOURCE_KIND,
            _SOURCE_REF,
        ),
        details="Preferences become hard constraints, procedures steps to follow, reflections pitfalls, summaries and "
        "episodes facts.",
        examples=(
            'satchel attention add --type preference --title "Bullets" --summary "At most three bullets" --level 3',
            """satchel attention add --input-json '{"memory_type": "procedure", "title": "Release", "summary": "Test, then tag"}'""",
        ),
    ),
    Operation(
        "attention route",
        "make the packet of working memory for one step",
        lambda session, given: session.memory.attention.route(**given),
        result=Routed,
        writes=False,
        takes_object=True,
        parameters=(
            Parameter("goal", "what the step is to achieve", required=True, from_stdin=True),
            Parameter("step_role", "role of the step", default=Role.PLANNER.value, choices=words(Role), flag="role"),
            replace(_SESSION, help="session the step belongs to"),
            replace(_TASK, help="task the step belongs to"),
            texts("user_constraints", "constraint", "constraint of the request itself"),
            texts("recent_failures", "failure", "failure that has just happened"),
            texts("unresolved_questions", "question", "question that is still open"),
            flag("meaning", "rank by meaning as well, which loads the embedding model"),
            SCOPE,
        ),
        details="A packet is small: at most 5 memories, 4 hard constraints, 3 facts, 3 procedures, 3 pitfalls, 5 open "
        "questions. It says which memories it was made of, and why.",
        examples=(
            'satchel attention route --goal "ship the release" --role executor --task release-4',
            """satchel attention route --input-json '{"goal": "ship the release", "step_role": "critic"}'""",
        ),
    ),
    Operation(
        "attention reflect",
        "keep what a piece of work taught",
        lambda session, given: session.memory.attention.reflect(**given),
        result=Reflected,
        writes=True,
        takes_object=True,
        parameters=(
            Parameter("goal", "what was to be achieved"),
            Parameter("outcome", "how it ended: completed, failed, …", default="unknown"),
            texts("what_worked", "worked", "thing that worked"),
            texts("what_failed", "failed", "thing that failed"),
            texts("lessons", "lesson", "lesson learned"),
            texts("next_time", "next", "thing to do next time"),
            _SESSION,
            _TASK,
            flag("create_procedure", "also keep what worked as steps to follow"),
            Parameter("reflection_title", "title of the reflection"),
            Parameter("procedure_title", "title of the procedure"),
            _SOURCE_REFS,
            Parameter("importance", "of the reflection, from 0 to 1", type=float, default=0.8),
            Parameter("confidence", "in the reflection, from 0 to 1", type=float, default=0.8),
            Parameter("procedure_importance", "of the procedure, from 0 to 1", type=float, default=0.82),
            Parameter("procedure_confidence", "in the procedure, from 0 to 1", type=float, default=0.78),
            SCOPE,
            _SOURCE_KIND,
            _SOURCE_REF,
        ),
        examples=(
            'satchel attention reflect --goal "ship 4.2" --outcome completed --worked "smoke tests first" --create-procedure',
        ),
    ),
    Operation(
        "attention refresh",
        "retire memories that no longer hold",
        lambda session, given: session.memory.attention.refresh(**given),
        result=Refreshed,
        writes=True,
        destructive=True,
        idempotent=True,
        takes_object=True,
        parameters=(
            Parameter(
                "stale_memory_ids", "id of a memory to retire", flag="stale", repeated=True, required=True, default=()
            ),
            Parameter("replacement_memory_id", "id of the memory that holds instead", flag="replacement"),
            Parameter("refresh_reason", "why they are retired", default=REFRESHED, flag="reason"),
            SCOPE,
            _SOURCE_KIND,
        ),
        details="A retired memory is never routed again; it can still be inspected, with the reason and what replaced it.",
        examples=('satchel attention refresh --stale ID --replacement ID --reason "the rule was changed"',),
    ),
    Operation(
        "attention list",
        "list memories, the one changed last first",
        lambda session, given: session.memory.attention.list(**given),
        result=AttentionList,
        writes=False,
        operator_only=True,
        parameters=(Parameter("limit", "how many to return, 1 to 1000", type=int, default=20), SCOPE),
    ),
    Operation(
        "attention inspect",
        "show one memory with its details and edges",
        lambda session, given: session.memory.attention.inspect(**given),
        result=Inspected,
        writes=False,
        parameters=(Parameter("memory_id", "id of the memory", required=True), SCOPE),
        examples=("satchel attention inspect --memory-id ID",),
    ),
    Operation(
        "attention packets",
        "list the packets that were made, newest first",
        lambda session, given: session.memory.attention.packets(**given),
        result=PacketList,
        writes=False,
        operator_only=True,
        parameters=(Parameter("limit", "how many to return, 1 to 1000", type=int, default=10), SCOPE),
    ),
)

OPERATIONS: tuple[Operation, ...] = tuple(
    replace(one, shape=replace(FLAT, answer=_if_made) if one.name == "attention reflect" else FLAT, own_database=True)
    for one in _ROWS
)
