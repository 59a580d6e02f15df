"""Why an answer was what it was, and why a record was not in it."""

from satchel.domain.explanation import Why, WhyNot
from satchel.interfaces.operations.operation import KINDS, SCOPE, Operation, Parameter, flag, words
from satchel.recall.question import MAX_LIMIT, Mode

_ELSEWHERE = Parameter(
    "elsewhere",
    "say nothing of what is in other scopes, as an agent is told",
    type=bool,
    default=True,
    operator_only=True,
)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "why",
        "say in words what a receipt tells: what was asked, searched, chosen and left out, and by which rule",
        lambda session, given: session.memory.explaining.why(**given),
        result=Why,
        writes=False,
        parameters=(
            Parameter("receipt", "its digest, or the beginning of it", positional=True),
            flag("last", "the newest receipt of a recall, a turn, a packet or a route"),
            Parameter("scope", "only receipts of this scope"),
            _ELSEWHERE,
        ),
        details="It reads the receipt alone. How a record begins is shown where it is still there; of a quarantined one, never.",
        examples=("satchel why --last", "satchel why sha256:3f0c"),
    ),
    Operation(
        "why-not",
        "say why a recall does not return a record, and what would have to change",
        lambda session, given: session.memory.explaining.why_not(**given),
        result=WhyNot,
        writes=False,
        served=True,
        parameters=(
            Parameter("query", "what was looked for", required=True, from_stdin=True),
            Parameter("expect", "id of the record that was expected", required=True),
            SCOPE,
            Parameter("mode", "by words, by meaning, or both", default=Mode.HYBRID.value, choices=words(Mode)),
            Parameter("limit", f"how many to return, 1 to {MAX_LIMIT}; 5 unless set otherwise", type=int),
            KINDS,
            Parameter("min_relevance", "leave out hits less relevant than this, from 0 to 1", type=float),
            flag("untrusted", "look at untrusted memories at once, not only when no trusted one answers"),
            Parameter("fallback", "look in no fallback scope", type=bool, default=True, operator_only=True),
            _ELSEWHERE,
        ),
        details="It is the recall itself that tells, with the same options; nothing is written and no use is counted. A change of "
        "the question is named only after it was tried.",
        examples=(
            'satchel why-not --query "release day" --expect ID',
            'satchel why-not --query "tea" --expect ID --mode lexical',
        ),
    ),
)
