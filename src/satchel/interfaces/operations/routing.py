"""Routing: one question to the backend that suits it, and the backends there are."""

from typing import Any

from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.routing import BACKENDS, RouterEnvelope, Strategy
from satchel.interfaces.encode import encoded, envelope
from satchel.interfaces.operations.operation import SCOPE, Operation, Parameter, flag, json_text, words
from satchel.interfaces.shapes import Shape
from satchel.routing.values import BackendList, Noted, Probes, RouteStats

_ONLY_WHERE_CALLED_FOR = ("error_code", "error_message", "trace")


def _as_specified(answer: Ok[Any]) -> dict[str, Json]:
    """Return the envelope of the specification: errors and trace only where there are any, items without empty fields."""
    fields: dict[str, Any] = dict(encoded(answer.result))  # type: ignore[arg-type]
    fields["results"] = [_without_nothing(one) for one in fields["results"]]
    return {name: value for name, value in fields.items() if name not in _ONLY_WHERE_CALLED_FOR or value is not None}


def _without_nothing(item: dict[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in item.items() if value is not None}


_NAME = Parameter("name", "the backend; all of them if left out", positional=True, choices=BACKENDS)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "route",
        "answer a question from the backend that suits it best",
        lambda session, given: session.memory.routing.route(**given),
        result=RouterEnvelope,
        writes=False,
        served=True,
        shape=Shape(_as_specified, envelope, exit_code=None),
        parameters=(
            Parameter("query", "the question", required=True, positional=True, from_stdin=True),
            Parameter("hint", "a rule to follow, or a backend to ask first, where you know better than the wording"),
            flag("trace", "say by which signs it was decided, and what was tried"),
            Parameter("limit", "how many results at most, 1 to 50; 20 unless the rules say otherwise", type=int),
            Parameter(
                "strategy",
                "sequential as specified; race asks the first two at once; merge makes one list of all",
                choices=words(Strategy),
            ),
            SCOPE,
        ),
        details="The wording decides where it goes: an exact name to a search by words, a relation to the graph, a decision "
        "to the conversations, a concept to a search by meaning. What is not good enough there is looked for in the next "
        "backend of the chain.",
        examples=(
            'satchel route "find the function parseAuthToken"',
            'satchel route "why did we choose SQLite" --trace',
        ),
    ),
    Operation(
        "route stats",
        "show how the rules and backends of the router have performed",
        lambda session, given: session.memory.routing.stats(**given),
        result=RouteStats,
        writes=False,
        operator_only=True,
        parameters=(Parameter("limit", "how many of the newest questions to count", type=int, default=1_000),),
        details="Counted from the receipts.",
    ),
    Operation(
        "backends list",
        "show the backends of the router and how they stand",
        lambda session, given: session.memory.backends.list(**given),
        result=BackendList,
        writes=False,
        operator_only=True,
    ),
    Operation(
        "backends probe",
        "try the backends of the router out",
        lambda session, given: session.memory.backends.probe(**given),
        result=Probes,
        writes=False,
        operator_only=True,
        long=True,
        parameters=(_NAME,),
        details="Asks each one small question. Nothing is written.",
    ),
    Operation(
        "backends write",
        "write a memory into Total Recall's own files",
        lambda session, given: session.memory.backends.write(**given),
        result=Noted,
        writes=True,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter("text", "the memory", required=True, positional=True, from_stdin=True),
            Parameter("key", "what it is about, as the name of its file on a branch", default="note"),
        ),
        details="For totalrecall with a folder of Markdown tiers, beside Satchel's own memories or instead of them, or "
        "with a git branch. Secrets are masked. Satchel's own memories are stored with 'satchel store'.",
    ),
    Operation(
        "backends install",
        "write a backend of the router into backends.json, as it stands when it is tried out",
        lambda session, given: session.memory.backends.install(**given),
        result=BackendList,
        writes=True,
        operator_only=True,
        terminal_only=True,
        idempotent=True,
        parameters=(
            _NAME,
            Parameter("adapter", "how it is reached: native, or another program, server or file", default="native"),
            Parameter("options", "what the adapter has to know, as a JSON object", type=json_text),
            Parameter("tier", "starter has qmd and totalrecall, pro has all four", choices=("starter", "pro")),
        ),
        details="Adapters: qmd-cli, qmd-http, cognee-http, lcm-sqlite, totalrecall-md, totalrecall-git. Without a name all "
        "of Satchel's own backends are written.",
        examples=(
            "satchel backends install --tier pro",
            """satchel backends install qmd --adapter qmd-cli --options '{"collection": "notes"}'""",
        ),
    ),
)
