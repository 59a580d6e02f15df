"""What one does with temporal facts: assert them, ask what is true, and keep them honest."""

from satchel.domain.facts import Confidence, ObjectType
from satchel.domain.lane import LaneAnswer
from satchel.facts.service import DEFAULT_BUDGET_TOKENS, DEFAULT_MAX_ITEMS, MAX_BUDGET_TOKENS, MAX_ITEMS
from satchel.facts.values import (
    Asserted,
    CurrentFacts,
    Ended,
    FactPack,
    FactTimeline,
    Linted,
    Proposed,
    RebuiltFacts,
    Registry,
    StaleFacts,
)
from satchel.interfaces.operations.operation import ALL_SCOPES, SCOPE, Operation, Parameter, flag, words

_SUBJECT = Parameter("subject", "what it is about, letter for letter", required=True, positional=True)
_PREDICATE = Parameter("predicate", "only this predicate, or an alias of it")
_AS_OF = Parameter("as_of", "when it is to be true: 2026-12-31, or with a time; now if left out")
_DRY_RUN = flag("dry_run", "write nothing, and say what would be done")

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "fact assert",
        "assert a fact about a subject",
        lambda session, given: session.memory.facts.assert_(**given),
        result=Asserted,
        writes=True,
        operator_only=True,
        idempotent=True,
        parameters=(
            _SUBJECT,
            Parameter("predicate", "what is said of it: see 'fact registry'", required=True, positional=True),
            Parameter("object", "what it is said to be", required=True, positional=True),
            Parameter(
                "sources",
                "what it rests on: the id of a memory, observation, message or receipt, or KIND:ID#PLACE",
                flag="source",
                repeated=True,
                default=(),
            ),
            Parameter("object_type", "what the object is", flag="type", choices=words(ObjectType)),
            Parameter("label", "a name of the subject to show"),
            Parameter("valid_from", "when it became true; now if left out", flag="from"),
            Parameter("valid_to", "when it stopped being true", flag="to"),
            Parameter("confidence", "how sure it is, at most what its sources allow", choices=words(Confidence)),
            Parameter("supersedes", "the id of a fact that ends by it", repeated=True, default=()),
            Parameter("assertion_ref", "what made the assertion; whoever runs this if left out"),
            SCOPE,
            _DRY_RUN,
        ),
        details="Every fact needs a source in its scope. Of a single-valued predicate, a new fact ends the one before at "
        "the moment from which it is true.",
        examples=("satchel fact assert payments status live --source 6f1c2d34 --from 2026-03-01",),
    ),
    Operation(
        "fact current",
        "say what is true of a subject, now or at another moment",
        lambda session, given: session.memory.facts.current(**given),
        result=CurrentFacts,
        writes=False,
        parameters=(
            _SUBJECT,
            _PREDICATE,
            _AS_OF,
            Parameter("known_at", "as it was known at this moment; as it is known now if left out"),
            flag("include_stale", "also what rests on sources that are gone or changed"),
            SCOPE,
        ),
        examples=("satchel fact current payments --as-of 2026-02-01 --known-at 2026-02-15",),
    ),
    Operation(
        "fact timeline",
        "show everything that was said of a subject, by when it was true",
        lambda session, given: session.memory.facts.timeline(**given),
        result=FactTimeline,
        writes=False,
        parameters=(_SUBJECT, _PREDICATE, SCOPE),
    ),
    Operation(
        "fact invalidate",
        "end a fact: it stopped being true, or never was",
        lambda session, given: session.memory.facts.invalidate(**given),
        result=Ended,
        writes=True,
        operator_only=True,
        parameters=(
            Parameter("id", "id of the fact", required=True, positional=True),
            Parameter("at", "when it stopped being true; now if left out"),
            flag("retract", "it never was true"),
            Parameter("reason", "why"),
            SCOPE,
            _DRY_RUN,
        ),
    ),
    Operation(
        "fact lint",
        "examine facts: words, intervals, sources, contradictions",
        lambda session, given: session.memory.facts.lint(**given),
        result=Linted,
        writes=False,
        operator_only=True,
        parameters=(SCOPE, ALL_SCOPES),
    ),
    Operation(
        "fact stale",
        "list the facts whose sources are gone or changed",
        lambda session, given: session.memory.facts.stale(**given),
        result=StaleFacts,
        writes=True,
        operator_only=True,
        idempotent=True,
        parameters=(SCOPE, ALL_SCOPES, flag("apply", "say so in the view for good")),
        details="A stale fact counts for nothing, applied or not. Reading or packing a source makes no fact stale.",
    ),
    Operation(
        "fact pack",
        "pack what is true of a subject for a prompt, every fact cited",
        lambda session, given: session.memory.facts.pack(**given),
        result=FactPack,
        writes=False,
        parameters=(
            _SUBJECT,
            Parameter(
                "budget_tokens",
                f"how many tokens it may take, 1 to {MAX_BUDGET_TOKENS}",
                type=int,
                default=DEFAULT_BUDGET_TOKENS,
            ),
            Parameter("max_items", f"how many facts, 1 to {MAX_ITEMS}", type=int, default=DEFAULT_MAX_ITEMS),
            _AS_OF,
            SCOPE,
        ),
        details="A ContextPack (openclaw-mem.context-pack.v1) with its trace.",
    ),
    Operation(
        "fact search",
        "find what is true by its words",
        lambda session, given: session.memory.facts.search(**given),
        result=LaneAnswer,
        writes=False,
        parameters=(
            Parameter("query", "what to look for", required=True, positional=True, from_stdin=True),
            SCOPE,
            Parameter("limit", "how many to return, 1 to 50", type=int, default=8),
        ),
    ),
    Operation(
        "fact rebuild",
        "make the view of facts anew from what was asserted",
        lambda session, given: session.memory.facts.rebuild(**given),
        result=RebuiltFacts,
        writes=True,
        operator_only=True,
        idempotent=True,
    ),
    Operation(
        "fact propose",
        "say which facts a source seems to state, and assert none",
        lambda session, given: session.memory.facts.propose(**given),
        result=Proposed,
        writes=False,
        operator_only=True,
        parameters=(
            Parameter("source", "id of a memory, observation or message", required=True, positional=True),
            SCOPE,
        ),
    ),
    Operation(
        "fact registry",
        "list what may be said of a subject",
        lambda session, given: session.memory.facts.registry(**given),
        result=Registry,
        writes=False,
    ),
)
