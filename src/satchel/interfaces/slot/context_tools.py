"""The tools that put records before a model: one record in full, and a bundle for a request."""

from typing import Annotated

from satchel.app import Satchel
from satchel.core.operations import Param, Scope, operation
from satchel.domain.envelope import Ok
from satchel.domain.scope import fallback_scopes, resolve_scope
from satchel.errors import NotFound
from satchel.interfaces.slot import context_shapes
from satchel.interfaces.slot.text import lines_of_record, text_of, text_of_pack
from satchel.interfaces.slot.tools import ToolResult
from satchel.memories.values import MemoryShown
from satchel.observations.values import Observed

_Fallback = Annotated[
    bool, Param("look in the fallback scopes too", off="do not look in the fallback scopes", operator_only=True)
]


class ContextTools:
    """`memory_get` and `memory_pack` over a store."""

    def __init__(self, store: Satchel) -> None:
        self._store = store

    @operation("memory_get", agents_only=True, takes_object=True, examples=("satchel tool memory_get --memory-id ID",))
    def memory_get(
        self,
        memory_id: Annotated[str, Param("its id, or the first four characters or more")],
        *,
        scope: Scope = None,
        fallback: _Fallback = True,
    ) -> Ok[ToolResult[context_shapes.GetDetails]]:
        """Show one memory or observation in full, with its source and history."""
        answer = self._find(memory_id, scope, fallback)
        text = text_of(lines_of_record(answer.result), answer.receipt.warnings)
        return Ok(ToolResult(text, context_shapes.shown(answer)), answer.receipt)

    def _find(self, id: str, scope: str | None, fallback: bool) -> Ok[MemoryShown | Observed]:
        """Return the record, also from a scope that a recall falls back to: what a recall returned can be looked up."""
        policy = self._store.parts.policies.scope
        try:
            return self._store.get(id, scope=scope, quarantined=False)
        except NotFound:
            for other in fallback_scopes(resolve_scope(scope, "", policy), policy) if fallback else ():
                try:
                    return self._store.get(id, scope=other, quarantined=False)
                except NotFound:
                    continue
            raise

    @operation(
        "memory_pack",
        touches=True,
        agents_only=True,
        takes_object=True,
        examples=('satchel tool memory_pack --query "prepare the release" --budget-tokens 800',),
    )
    def memory_pack(
        self,
        query: Annotated[str, Param("what the next step is about")],
        *,
        budget_tokens: Annotated[int | None, Param("maximum size; as configured if omitted")] = None,
        scope: Scope = None,
        fallback: _Fallback = True,
    ) -> Ok[ToolResult[context_shapes.PackDetails]]:
        """Gather what a step needs: a small bundle of memories, facts and evidence, each line with its citation.

        Use it before a task; memory_recall answers one question.
        """
        answer = self._store.packing.pack(query, budget_tokens=budget_tokens, scope=scope, fallback=fallback)
        return Ok(
            ToolResult(text_of_pack(answer.result, answer.receipt.warnings), context_shapes.packed(answer)),
            answer.receipt,
        )
