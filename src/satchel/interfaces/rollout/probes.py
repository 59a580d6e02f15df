"""Recall from the store as OpenClaw does, and look at what its agents recalled since a moment."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.canonical import Json
from satchel.errors import SatchelError
from satchel.interfaces.evaluation.metrics import percentile
from satchel.interfaces.rollout.values import ProbeFigures
from satchel.interfaces.slot.tools import MemoryTools
from satchel.ports import ReceiptStore, StoredReceipt

MAX_PROBES = 20
MAX_LIVE = 500
# Fewer recalls of agents say nothing about a share.
MIN_LIVE = 20
_EXPECTED = ("policyTier", "tierCounts", "ftsTop", "vecTop", "fusedTop")
_LIVE_OPERATIONS = ("recall", "turn before")
# The search was by words alone because something failed.
DEGRADED = frozenset(
    {
        "bad_answer",
        "http_error",
        "index_unusable",
        "model_broken",
        "model_missing",
        "runtime_missing",
        "timeout",
        "unreachable",
    }
)


def probe(settings: Settings, queries: Sequence[str]) -> ProbeFigures:
    """Ask the store some questions through the tool of the memory slot. Nothing is written, not even receipts."""
    asked = queries[:MAX_PROBES]
    failed, incomplete, durations = 0, 0, []
    with Satchel.open(settings=replace(settings, read_only=True), actor="rollout") as store:
        tools = MemoryTools(store)
        # The first question is asked once more beforehand, so that loading the model is not timed.
        for number, query in enumerate((*asked[:1], *asked)):
            try:
                found = tools.memory_recall(query)
            except SatchelError:
                failed += number > 0
                continue
            if number:
                durations.append(found.receipt.duration_ms)
                failed += is_degraded(found.receipt.warnings)
                incomplete += not _is_complete(found.result.details["receipt"].get("lifecycle"))
    return ProbeFigures(len(asked), failed, incomplete, round(percentile(durations, 0.95), 1) if durations else 0.0)


def _is_complete(lifecycle: Mapping[str, Json] | None) -> bool:
    return lifecycle is not None and all(lifecycle.get(name) is not None for name in _EXPECTED)


def with_live(probes: ProbeFigures, receipts: ReceiptStore, since: int) -> ProbeFigures:
    """Return the figures with those of the recalls since a moment, if there were enough."""
    live = [one for name in _LIVE_OPERATIONS for one in receipts.recent(MAX_LIVE, name) if one.at >= since]
    if len(live) < MIN_LIVE:
        return probes
    return replace(
        probes,
        live=len(live),
        failed=probes.failed + sum(is_degraded(_warnings(one)) for one in live),
        p95_ms=max(probes.p95_ms, round(percentile([one.duration_ms for one in live], 0.95), 1)),
    )


def is_degraded(warnings: Sequence[str]) -> bool:
    """Return whether warnings say that a part of the search failed."""
    return any(one.partition(":")[0] in DEGRADED for one in warnings)


def _warnings(receipt: StoredReceipt) -> Sequence[str]:
    found = receipt.body.get("warnings")
    return [str(one) for one in found] if isinstance(found, (list, tuple)) else ()
