"""What one does with memories."""

from satchel.domain.answers import Forgotten, Found, Listed, Recalled, Stored
from satchel.domain.evidence import Observed
from satchel.domain.record import Kind, SourceKind, Trust
from satchel.interfaces.operations.operation import (
    ALL_SCOPES,
    ID,
    KINDS,
    QUARANTINED,
    SCOPE,
    Operation,
    Parameter,
    flag,
    words,
)
from satchel.recall.question import MAX_LIMIT, Mode

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "store",
        "keep a memory",
        lambda session, given: session.memory.store(**given),
        result=Stored,
        writes=True,
        operator_only=True,
        parameters=(
            Parameter("text", "the memory", required=True, positional=True, from_stdin=True),
            SCOPE,
            Parameter("kind", "what sort of memory it is", default=Kind.OTHER.value, choices=words(Kind)),
            Parameter("importance", "from 0 to 1; 0.8 and above must be remembered", type=float),
            Parameter(
                "trust",
                "lower the trust that its channel gives; never raises it",
                choices=words(Trust),
                operator_only=True,
            ),
            Parameter(
                "source_kind",
                "channel it came through",
                default=SourceKind.OPERATOR.value,
                choices=words(SourceKind),
                operator_only=True,
            ),
            Parameter("source_ref", "where exactly it came from: a tool, an address, a file", operator_only=True),
            Parameter("title", "a short title"),
            Parameter("session", "session it belongs to"),
            Parameter("task", "task it belongs to"),
            Parameter("language", "its language, such as en or zh"),
            Parameter("tags", flag="tag", help="a tag to file it under", repeated=True, default=()),
            Parameter(
                "keywords",
                flag="keyword",
                help="a further word to find it by",
                repeated=True,
                default=(),
            ),
            Parameter("valid_from", "date or time from which it holds"),
            Parameter("valid_to", "date or time until which it holds"),
            Parameter("replaces", "id of the memory that this one replaces; it is retired"),
        ),
        details="It is on disk when this returns; its embedding is made later, by the next recall.",
        examples=(
            'satchel store "We ship on Thursdays" --kind decision --importance 0.9',
            "git log -1 --format=%B | satchel store - --scope repo/api --source-kind tool --source-ref git",
        ),
    ),
    Operation(
        "recall",
        "find the memories that answer a question",
        lambda session, given: session.memory.recall(**given),
        result=Recalled,
        writes=False,
        operator_only=True,
        parameters=(
            Parameter(
                "query",
                "what to look for",
                required=True,
                positional=True,
                from_stdin=True,
            ),
            SCOPE,
            Parameter("limit", f"how many to return, 1 to {MAX_LIMIT}; 5 unless set otherwise", type=int),
            Parameter("mode", "by words, by meaning, or both", default=Mode.HYBRID.value, choices=words(Mode)),
            KINDS,
            Parameter("min_relevance", "leave out hits less relevant than this, from 0 to 1", type=float),
            flag("untrusted", "look at untrusted memories at once, not only when no trusted one answers"),
            Parameter("fallback", "look in no fallback scope", type=bool, default=True),
            Parameter(
                "explain",
                "show how each score came about, and what was left out",
                type=bool,
                default=False,
                only_shown=True,
            ),
        ),
        details="Nothing outside the scope is looked at. Without an embedding model the words decide, and a warning says so.",
        examples=('satchel recall "when do we release?"', 'satchel recall "release day" --mode lexical --explain'),
    ),
    Operation(
        "get",
        "show one memory or observation with its history",
        lambda session, given: session.memory.get(**given),
        result=Found | Observed,
        writes=False,
        parameters=(ID, SCOPE, ALL_SCOPES, QUARANTINED),
    ),
    Operation(
        "list",
        "list memories, newest first",
        lambda session, given: session.memory.list(**given),
        result=Listed,
        writes=False,
        operator_only=True,
        parameters=(
            SCOPE,
            ALL_SCOPES,
            KINDS,
            Parameter("limit", "how many to return, 1 to 5000", type=int, default=50),
            Parameter("after", "the 'next' of the page before"),
            Parameter("redact", "leave secrets such as keys and passwords unmasked", type=bool, default=True),
            QUARANTINED,
        ),
    ),
    Operation(
        "forget",
        "erase one memory or observation everywhere, by its id; a query only lists what it could mean",
        lambda session, given: session.memory.forget(**given),
        result=Forgotten,
        writes=True,
        operator_only=True,
        destructive=True,
        idempotent=True,
        parameters=(
            Parameter("id", "id of the memory or observation to erase", positional=True),
            Parameter("query", "list at most five candidates instead of erasing anything"),
            SCOPE,
            ALL_SCOPES,
            # It finds the text in every scope, so an agent could ask by it what another scope holds.
            flag(
                "verify", "prove it: search every file of the store for the text, before and after", operator_only=True
            ),
            QUARANTINED,
        ),
        details="Erases the text from the ledger, its full text, vectors, history and index, from spool, archive, dead letters, "
        "artifacts and log, with every observation of its scope that holds it, and leaves an empty tombstone. There is no undo.",
        examples=('satchel forget --query "release day"', "satchel forget ID --verify"),
    ),
)
