"""Entities and relations: read from files and memories, and asked."""

from satchel.domain.graph import TYPES, Relation
from satchel.domain.graph_answers import (
    Asked,
    EntityList,
    Extracted,
    GraphExport,
    GraphForgotten,
    GraphSummary,
    Matched,
    Neighbors,
    PathFound,
    RelationAdded,
    Shown,
)
from satchel.domain.record import SourceKind, Trust
from satchel.graph.service import DIRECTIONS, FORMATS, MAX_HOPS
from satchel.graph.statements import STATABLE
from satchel.interfaces.operations.operation import ALL_SCOPES, SCOPE, Operation, Parameter, flag, words

_NAMES = tuple(one.value for one in TYPES)
_STATABLE = tuple(one.value for one in STATABLE)
_NAME = Parameter("name", "name, path or id of the entity", required=True, positional=True)
_TYPE = Parameter("type", "sort of entity, where a name has several", choices=_NAMES)
_TRUSTED = flag("trusted", "look only at what rests on trusted sources")
_TRUST = Parameter(
    "trust", "lower the trust that its channel gives; never raises it", choices=words(Trust), operator_only=True
)


def _hops(default: int) -> Parameter:
    return Parameter("hops", f"how many steps to go, 1 to {MAX_HOPS}", type=int, default=default)


def _limit(default: int) -> Parameter:
    return Parameter("limit", "how many to return", type=int, default=default)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "graph extract",
        "read entities and relations out of a folder, or out of the memories of a scope",
        lambda session, given: session.memory.graph.extract(**given),
        result=Extracted,
        writes=True,
        idempotent=True,
        long=True,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter("path", "folder or file to read", positional=True),
            flag("memories", "read the memories of the scope instead"),
            Parameter("project", "what the folder's project is called; the folder's own name if left out"),
            SCOPE,
            _TRUST,
            flag("again", "read everything, also what has not changed"),
        ),
        details="Code is read by its syntax; Markdown, text and manifests by their structure and by what their sentences "
        "say. What version control ignores is left out. Nothing is run, and no model is asked.",
        examples=("satchel graph extract .", "satchel graph extract --memories --scope project/shop"),
    ),
    Operation(
        "graph ask",
        "answer a question about entities: what depends on what, how two are connected, who decided",
        lambda session, given: session.memory.graph.ask(**given),
        result=Asked,
        writes=False,
        served=True,
        parameters=(
            Parameter("query", "the question, in English or Chinese", required=True, positional=True, from_stdin=True),
            _limit(10),
            _TRUSTED,
            SCOPE,
            ALL_SCOPES,
        ),
        details="A question that names nothing that is known is not answered.",
        examples=('satchel graph ask "what depends on SessionStore"', 'satchel graph ask "谁调用 parse_token"'),
    ),
    Operation(
        "graph show",
        "show an entity: where it is named, and what it has to do with others",
        lambda session, given: session.memory.graph.show(**given),
        result=Shown,
        writes=False,
        served=True,
        parameters=(_NAME, _TYPE, SCOPE, ALL_SCOPES, _limit(50)),
        examples=("satchel graph show SessionStore",),
    ),
    Operation(
        "graph neighbors",
        "show what an entity is connected with, the nearest first",
        lambda session, given: session.memory.graph.neighbors(**given),
        result=Neighbors,
        writes=False,
        served=True,
        parameters=(
            _NAME,
            _TYPE,
            Parameter(
                "relations",
                "only along this relation",
                flag="relation",
                repeated=True,
                default=(),
                choices=words(Relation),
            ),
            Parameter("direction", "which way relations are followed", default="both", choices=DIRECTIONS),
            _hops(1),
            _limit(20),
            _TRUSTED,
            SCOPE,
            ALL_SCOPES,
        ),
        examples=("satchel graph neighbors SessionStore --direction in --hops 2",),
    ),
    Operation(
        "graph path",
        "say how two entities are connected, step by step",
        lambda session, given: session.memory.graph.path(**given),
        result=PathFound,
        writes=False,
        served=True,
        parameters=(
            Parameter("start", "name, path or id of the one", required=True, positional=True),
            Parameter("goal", "name, path or id of the other", required=True, positional=True),
            _hops(MAX_HOPS),
            flag("directed", "only along the relations, from the one to the other"),
            _TRUSTED,
            SCOPE,
            ALL_SCOPES,
        ),
        examples=("satchel graph path AuthMiddleware SessionStore",),
    ),
    Operation(
        "graph match",
        "find the projects that an idea has to do with, and say why",
        lambda session, given: session.memory.graph.match(**given),
        result=Matched,
        writes=False,
        served=True,
        parameters=(
            Parameter("idea", "the idea, in a few sentences", required=True, positional=True, from_stdin=True),
            _hops(3),
            _limit(5),
            _TRUSTED,
            SCOPE,
            ALL_SCOPES,
        ),
        examples=('satchel graph match "cache sessions in Redis"',),
    ),
    Operation(
        "graph list",
        "list entities by type and name",
        lambda session, given: session.memory.graph.list(**given),
        result=EntityList,
        writes=False,
        served=True,
        parameters=(
            Parameter("type", "only entities of this sort", choices=_NAMES),
            SCOPE,
            ALL_SCOPES,
            _limit(50),
            Parameter("after", "go on after this page: its 'next'"),
        ),
    ),
    Operation(
        "graph status",
        "say how much is known, and from which sources",
        lambda session, given: session.memory.graph.status(**given),
        result=GraphSummary,
        writes=False,
        served=True,
        operator_only=True,
        parameters=(SCOPE, ALL_SCOPES),
    ),
    Operation(
        "graph export",
        "write a part of the graph as Markdown or Mermaid",
        lambda session, given: session.memory.graph.export(**given),
        result=GraphExport,
        writes=False,
        served=True,
        parameters=(
            Parameter("name", "name, path or id of the entity in the middle; everything if left out", positional=True),
            Parameter("format", "how to write it", default="markdown", choices=FORMATS),
            _hops(2),
            Parameter("limit", "how many relations at most", type=int, default=100),
            _TRUSTED,
            SCOPE,
            ALL_SCOPES,
        ),
        examples=("satchel graph export SessionStore --format mermaid",),
    ),
    Operation(
        "graph add",
        "state a relation yourself",
        lambda session, given: session.memory.graph.add(**given),
        result=RelationAdded,
        writes=True,
        idempotent=True,
        parameters=(
            Parameter("tail", "name of the one", required=True, positional=True),
            Parameter(
                "relation", f"what it has to do with the other: {', '.join(Relation)}", required=True, positional=True
            ),
            Parameter("head", "name of the other", required=True, positional=True),
            Parameter("tail_type", "sort of the first; whatever is known by its name if left out", choices=_STATABLE),
            Parameter("head_type", "sort of the second; whatever is known by its name if left out", choices=_STATABLE),
            SCOPE,
            Parameter(
                "source_kind",
                "channel it came through",
                default=SourceKind.OPERATOR.value,
                choices=words(SourceKind),
                operator_only=True,
            ),
            _TRUST,
        ),
        examples=("satchel graph add Checkout DEPENDS_ON Ledger --tail-type Project",),
    ),
    Operation(
        "graph forget",
        "erase what rests on a source",
        lambda session, given: session.memory.graph.forget(**given),
        result=GraphForgotten,
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        parameters=(
            Parameter("source", "id or path of the source, or id of the memory", positional=True),
            Parameter("project", "all files of this project instead"),
            SCOPE,
            flag("verify", "search every file of the store to prove that it is gone"),
        ),
        details="What other sources say as well stays. A file or memory that is still there can be read again.",
        examples=("satchel graph forget --project shop",),
    ),
    Operation(
        "graph rebuild",
        "read every source of a scope anew",
        lambda session, given: session.memory.graph.rebuild(**given),
        result=Extracted,
        writes=True,
        idempotent=True,
        long=True,
        operator_only=True,
        terminal_only=True,
        parameters=(SCOPE,),
        details="Ids stay the same. Sources that are no longer there are dropped; what was stated stays.",
    ),
)
