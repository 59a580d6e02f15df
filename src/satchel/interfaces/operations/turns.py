"""The hooks around a turn, as a host calls them."""

from satchel.interfaces.operations.operation import Operation, Parameter, json_list, words
from satchel.recall.question import Mode
from satchel.turns.values import TurnAfter, TurnBefore

_SCOPE = Parameter("scope", "scope of the turn; a tag in the text, or the default, if left out")
_MESSAGES = Parameter(
    "messages", "the conversation so far: a list of {role, content}, oldest first", type=json_list, default=()
)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "turn before",
        "return what goes in front of a prompt",
        lambda session, given: session.memory.turns.before(**given),
        result=TurnBefore,
        writes=False,
        operator_only=True,
        own_command=True,
        parameters=(
            Parameter("prompt", "what the user asks", required=True),
            _SCOPE,
            _MESSAGES,
            Parameter("mode", "by words, by meaning, or both", default=Mode.HYBRID.value, choices=words(Mode)),
        ),
        details="Nothing that goes wrong stands in the way of the turn: the block is then empty, and the answer says why.",
    ),
    Operation(
        "turn after",
        "keep what a turn says of preferences and decisions",
        lambda session, given: session.memory.turns.after(**given),
        result=TurnAfter,
        writes=True,
        operator_only=True,
        own_command=True,
        parameters=(
            Parameter("messages", _MESSAGES.help, type=json_list, required=True),
            _SCOPE,
            Parameter("session", "session the turn belongs to"),
        ),
        details="Only what the user wrote is looked at; secrets, tool output and what was shown from memory are left out.",
    ),
)
