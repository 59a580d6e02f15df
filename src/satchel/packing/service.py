"""Packing: a small, cited bundle for one request, from the lanes of several features."""

from collections.abc import Sequence
from typing import Annotated, Any

from satchel.core.audience import hides_paths
from satchel.core.operations import Param, Scope, operation
from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.arguments import check_range
from satchel.domain.envelope import Ok
from satchel.domain.masking import masked
from satchel.domain.record import MemoryId
from satchel.domain.scope import resolve_scope
from satchel.domain.tokens import estimate_tokens, token_share
from satchel.packing import bundle
from satchel.packing.choose import PackLimits, choose
from satchel.packing.lanes import OfferSearch, PackLanes, PackRequest, ms_since
from satchel.packing.receipt import describe_pack
from satchel.packing.shape import context_pack, trace_object
from satchel.packing.values import ContextPack, OfferSource, Packed
from satchel.recall.recaller import Recaller
from satchel.recall.request import MAX_LIMIT, Mode, parse_question

MAX_BUDGET = 200_000
MAX_ITEMS = 500
# Estimated tokens of an item, which gives the number of items for a budget.
TOKENS_PER_ITEM = 25
MIN_ITEMS = 15
# Number of offers requested from a lane per item of the pack, with lower and upper bounds.
POOL_PER_ITEM, MIN_POOL, MAX_POOL = 2, 30, 120
# Lanes whose records count as used once they are in a pack.
COUNTED = (OfferSource.MEMORIES, OfferSource.OBSERVATIONS)


class Packing(Service):
    """Makes packs. Memories and observations in a pack count as used."""

    def __init__(self, parts: Parts, recaller: Recaller, lanes: PackLanes) -> None:
        super().__init__(parts)
        self._lanes = OfferSearch(parts, recaller, lanes)

    @operation(
        "pack",
        touches=True,
        operator_only=True,
        served=True,
        examples=(
            'satchel pack --query "prepare the release" --budget-tokens 800',
            'satchel pack --query "prepare the release" --json --trace',
        ),
    )
    def pack(
        self,
        query: Annotated[str, Param("what the next step is about", stdin=True)],
        *,
        budget_tokens: Annotated[int | None, Param("maximum size in tokens; as configured if omitted")] = None,
        scope: Scope = None,
        max_items: Annotated[int | None, Param("maximum number of items; by the budget if omitted")] = None,
        tail: Annotated[
            Sequence[Any], Param("the newest turns of the conversation, which are included first", in_file=True)
        ] = (),
        tail_budget_tokens: Annotated[
            int | None, Param("tokens reserved for them; a share of the budget if omitted")
        ] = None,
        mode: Annotated[str, Param("how to search", choices=Mode)] = "hybrid",
        trace: Annotated[bool, Param("say for every candidate why it is included or excluded")] = False,
        touch: Annotated[
            bool, Param("count the contents of the pack as used", off="do not count the contents of the pack as used")
        ] = True,
        fallback: Annotated[
            bool, Param("look in the fallback scopes too", off="do not look in the fallback scopes")
        ] = True,
    ) -> Ok[ContextPack]:
        """Make a small, cited bundle for a request.

        Memories, facts and relations come first, then documents, observations and episodes, then the newest turns. The
        bundle never exceeds its budget, and every line cites its record.
        """
        with self._run("pack", for_prompt=True) as run:
            policy = self._policies.pack
            budget = _limit(budget_tokens, "budget_tokens", policy.budget_tokens, MAX_BUDGET)
            items = _limit(max_items, "max_items", max(MIN_ITEMS, budget // TOKENS_PER_ITEM), MAX_ITEMS)
            limits = PackLimits(budget, items, self._tail_tokens(tail_budget_tokens, budget), policy)
            pool = min(MAX_POOL, max(MIN_POOL, POOL_PER_ITEM * items))
            request = self._request(query, mode, scope, pool=pool, fallback=fallback)
            question = request.question
            gathered = self._lanes.gather(request, tail)
            choosing_from = self._clock.ticks()
            decisions = choose(gathered.offers, frozenset(question.terms), limits, token_share, self._for_prompt)
            stages = {**gathered.stages, "choose": ms_since(self._clock, choosing_from)}
            text = bundle.render_bundle([one for one in decisions if one.included])
            used = [one.offer for one in decisions if one.included and one.offer.source in COUNTED]
            touched = touch and not self._ledger.read_only
            packed = Packed(
                query=question.said,
                scope=request.scope,
                at=self._clock.now(),
                budget_tokens=budget,
                max_items=items,
                max_l2_items=policy.max_l2_items,
                nice_cap=policy.nice_cap,
                bundle_text=text,
                bundle_tokens=estimate_tokens(text),
                decisions=tuple(decisions),
                lanes=gathered.lanes,
                refreshed=tuple(one.ref for one in used) if touched else (),
                stages=stages,
            )
            describe_pack(run, packed, request)
            pack = context_pack(packed, trace_object(packed, run.elapsed_ms()) if trace else None)
            if touched:
                self._mark_selected([one.id for one in used])
            memories = [MemoryId(one.id) for one in used if one.source is OfferSource.MEMORIES]
            return run.keep_if_enabled(pack, memories) if touch else run.done(pack)

    def _request(self, query: str, mode: str, scope: str | None, *, pool: int, fallback: bool) -> PackRequest:
        question = parse_question(query, mode, min(pool, MAX_LIMIT))
        placement = resolve_scope(scope, question.said, self._policies.scope, strict=True)
        return PackRequest(question, placement, pool, fallback)

    def _tail_tokens(self, given: int | None, budget: int) -> int:
        if given is None:
            return int(budget * self._policies.pack.tail_share)
        return min(check_range(given, "tail_budget_tokens", 0, MAX_BUDGET), budget)

    def _for_prompt(self, text: str) -> str:
        """Return a text as it may leave in a pack: without secrets and home folders."""
        return masked(text, paths=hides_paths(self._parts))


def _limit(given: int | None, name: str, default: int, most: int) -> int:
    return default if given is None else check_range(given, name, 1, most)
