"""What one does with conversations: add to them, read them at any length, and ask why."""

from satchel.conversations.messages import MAX_MESSAGES
from satchel.conversations.service import DEFAULT_NAME
from satchel.conversations.values import ConversationList, Decided, Expanded, Said, Transcript, Unsaid, Why
from satchel.domain.conversation import Speaker
from satchel.domain.lane import LaneAnswer
from satchel.domain.record import SourceKind
from satchel.interfaces.operations.operation import SCOPE, Operation, Parameter, flag, texts, words

_CONVERSATION = Parameter("conversation", "name of the conversation", default=DEFAULT_NAME)
_LOSSLESS = Parameter(
    "lossless", "read this database of lossless-claw instead, and write nothing to it", operator_only=True, file=True
)
_SOURCE_KIND = Parameter(
    "source_kind",
    "channel it came through",
    default=SourceKind.OPERATOR.value,
    choices=words(SourceKind),
    operator_only=True,
)
_AT = Parameter("at", "when it was said; now if left out")


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "conversation add",
        "add a message at the end of a conversation",
        lambda session, given: session.memory.conversations.add(**given),
        result=Said,
        writes=True,
        operator_only=True,
        parameters=(
            Parameter("text", "what was said", required=True, positional=True, from_stdin=True),
            _CONVERSATION,
            Parameter("role", "who said it", default=Speaker.USER.value, choices=words(Speaker)),
            flag("jsonl", f"the text is JSON, one message to a line: role, content, at; at most {MAX_MESSAGES}"),
            _AT,
            Parameter("title", "what the conversation is about"),
            _SOURCE_KIND,
            SCOPE,
        ),
        details="Secrets are masked. Decisions are recognised by rules, in English and Chinese; every eight messages get a "
        "summary in their own words.",
        examples=('satchel conversation add "We decided to use Postgres because it handles JSON" --conversation api',),
    ),
    Operation(
        "conversation decide",
        "add a decision by hand",
        lambda session, given: session.memory.conversations.decide(**given),
        result=Decided,
        writes=True,
        operator_only=True,
        parameters=(
            Parameter("choice", "what was decided", required=True, positional=True),
            _CONVERSATION,
            Parameter("topic", "what it was decided for"),
            texts("because", "because", "a reason"),
            texts("alternatives", "alternative", "what else there was"),
            texts("evidence", "evidence", "what speaks for it"),
            texts("effects", "effect", "what follows from it"),
            Parameter("replaces", "id of the decision it replaces"),
            texts("caused_by", "caused-by", "id of a decision it follows from"),
            _AT,
            _SOURCE_KIND,
            SCOPE,
        ),
        details="A decision that would, over others, be a reason for itself is refused.",
    ),
    Operation(
        "conversation show",
        "show a conversation: summaries, then what is not summed up yet, and its decisions",
        lambda session, given: session.memory.conversations.show(**given),
        result=Transcript,
        writes=False,
        parameters=(
            Parameter("conversation", f"name of the conversation; {DEFAULT_NAME} if left out", positional=True),
            SCOPE,
            _LOSSLESS,
        ),
    ),
    Operation(
        "conversation expand",
        "show exactly what a summary was made of",
        lambda session, given: session.memory.conversations.expand(**given),
        result=Expanded,
        writes=False,
        parameters=(Parameter("id", "id of the summary", required=True, positional=True), SCOPE, _LOSSLESS),
    ),
    Operation(
        "conversation why",
        "say why something was decided, and what it replaced",
        lambda session, given: session.memory.conversations.why(**given),
        result=Why,
        writes=False,
        parameters=(
            Parameter(
                "question", "such as: why did we choose Postgres?", required=True, positional=True, from_stdin=True
            ),
            SCOPE,
            _LOSSLESS,
        ),
        details="Where no decision is recorded it says so.",
        examples=('satchel conversation why "why did we choose Postgres?"',),
    ),
    Operation(
        "conversation list",
        "list conversations, newest first",
        lambda session, given: session.memory.conversations.list(**given),
        result=ConversationList,
        writes=False,
        parameters=(SCOPE, Parameter("limit", "how many to list", type=int, default=50), _LOSSLESS),
    ),
    Operation(
        "conversation search",
        "find what was decided and said by its words",
        lambda session, given: session.memory.conversations.search(**given),
        result=LaneAnswer,
        writes=False,
        parameters=(
            Parameter("query", "what to look for", required=True, positional=True, from_stdin=True),
            SCOPE,
            Parameter("limit", "how many to return, 1 to 50", type=int, default=8),
        ),
    ),
    Operation(
        "conversation forget",
        "forget a message or a whole conversation, with what rests on it",
        lambda session, given: session.memory.conversations.forget(**given),
        result=Unsaid,
        writes=True,
        operator_only=True,
        destructive=True,
        parameters=(
            Parameter("id", "id of the message, or name of the conversation", required=True, positional=True),
            SCOPE,
        ),
        details="The places of the messages stay, without their words. Summaries are told anew; decisions and facts that "
        "rest on them go, or are stale.",
    ),
)
