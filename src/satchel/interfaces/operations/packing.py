"""Packs: a small, cited bundle for one request."""

from typing import Any

from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.interfaces.encode import encoded, envelope
from satchel.interfaces.operations.operation import SCOPE, Operation, Parameter, flag, json_list, words
from satchel.interfaces.shapes import Shape
from satchel.packing.values import ContextPack
from satchel.recall.question import Mode


def _shaped(answer: Ok[Any]) -> dict[str, Json]:
    """Return the ContextPack as it is; without a trace it has no place for one."""
    return {name: value for name, value in dict(encoded(answer.result)).items() if value is not None}  # type: ignore[arg-type]


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "pack",
        "make a small, cited bundle of what bears on a request",
        lambda session, given: session.memory.packing.pack(**given),
        result=ContextPack,
        writes=False,
        touches=True,
        served=True,
        shape=Shape(_shaped, envelope),
        parameters=(
            Parameter("query", "what the next step is about", required=True, from_stdin=True),
            Parameter("budget_tokens", "longest bundle, in tokens; as the settings say if left out", type=int),
            SCOPE,
            Parameter("max_items", "how many items; as many as the budget is good for if left out", type=int),
            Parameter(
                "tail",
                "the newest turns of the conversation, which are kept before anything else",
                type=json_list,
                default=(),
                in_file=True,
            ),
            Parameter("tail_budget_tokens", "tokens kept for them; a share of the budget if left out", type=int),
            Parameter("mode", "how to search", default=Mode.HYBRID.value, choices=words(Mode)),
            flag("trace", "say of every candidate why it is in or out"),
            Parameter("touch", "look only: nothing in the pack counts as used", type=bool, default=True),
        ),
        details="Memories, facts and relations come first, then what was said and written, then the newest turns. The "
        "bundle never exceeds its budget, and every line cites the record it is from.",
        examples=(
            'satchel pack --query "prepare the release" --budget-tokens 800',
            'satchel pack --query "prepare the release" --json --trace',
        ),
    ),
)
