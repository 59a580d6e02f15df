"""Describe a pack on its receipt: its lanes, and every decision with the rule behind it, without any text."""

from satchel.core.run import OperationRun
from satchel.domain.canonical import digest
from satchel.domain.receipt_sections import PackAsked, PackConsidered, PackDecided, PackEntry, PackLane
from satchel.packing.lanes import PackRequest
from satchel.packing.values import PackDecision, Packed

# Maximum number of excluded offers named on the receipt.
MAX_EXCLUDED_NAMED = 40


def describe_pack(run: OperationRun, packed: Packed, request: PackRequest) -> None:
    """Fill the receipt of a pack, and add its warnings."""
    excluded = [one for one in packed.decisions if not one.included]
    run.asked = PackAsked(
        query_digest=digest(request.question.said),
        query_chars=len(request.question.said),
        scope=packed.scope,
        scope_mode=request.placement.mode,
        mode=request.question.mode,
        budget_tokens=packed.budget_tokens,
        max_items=packed.max_items,
    )
    run.considered = PackConsidered(
        {lane.source: PackLane(lane.searched, lane.found, lane.problem or None) for lane in packed.lanes}
    )
    run.decided = PackDecided(
        tokens=packed.bundle_tokens,
        included=[_entry(one) for one in packed.items],
        excluded=[_entry(one) for one in excluded[:MAX_EXCLUDED_NAMED]],
        excluded_unlisted=max(0, len(excluded) - MAX_EXCLUDED_NAMED),
        refreshed=list(packed.refreshed),
    )
    run.warn(*(f"lane_{lane.source}: {lane.problem}" for lane in packed.lanes if lane.problem))
    run.warn(
        *(
            f"contradicts: {one.offer.earlier_than} contradicts {one.offer.id}; 'satchel conflicts' says how to resolve it"
            for one in packed.items
            if one.offer.earlier_than
        )
    )


def _entry(one: PackDecision) -> PackEntry:
    """Describe a decision without its text."""
    return PackEntry(
        id=one.offer.id,
        lane=one.offer.source,
        relevance=one.offer.relevance,
        layer=one.layer if one.included else None,
        rules=list(one.reasons),
    )
