"""Home: recent activity, what waits for review, what the store contains, and whether it is healthy."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.record import Label
from satchel.interfaces.inspector.charts import Bar, ColumnChart, bars, column_chart
from satchel.interfaces.inspector.formatting import address, address_before, receipt_path
from satchel.interfaces.inspector.visit import Page, Visit
from satchel.maintenance.values import CheckUp, Stats
from satchel.memories.values import ReviewPage
from satchel.observations.drift import unknown_share
from satchel.observations.lifecycle_values import Drift
from satchel.ports import StoredReceipt

DAYS = 30
SHOWN_RECEIPTS = 10
SHOWN_WAITING = 3
# How many of the newest receipts are counted.
COUNTED_RECEIPTS = 500
_LABELS = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE, Label.IGNORE, Label.UNKNOWN)
_ACTIVITIES: Mapping[str, tuple[str, ...]] = {
    "Added to prompts": ("turn before", "turn start"),
    "Recalled": ("recall", "episodes search", "docs search"),
    "Packed": ("pack", "attention route"),
    "Routed": ("route",),
    "Captured from turns": ("turn after",),
    "Stored": ("store", "attention add", "import"),
    "Forgotten": ("forget",),
}
_LISTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Added to prompts": ("/turns", {}),
    "Recalled": ("/receipts", {"operation": "recall"}),
    "Packed": ("/packs", {}),
    "Routed": ("/routes", {}),
    "Captured from turns": ("/turns", {"operation": "turn after"}),
    "Stored": ("/memories", {}),
    "Forgotten": ("/receipts", {"operation": "forget"}),
    "Quarantined": ("/memories", {"trust": "quarantined"}),
    "Filtered by a capture rule": ("/turns", {"operation": "turn after"}),
}
"""Where an activity is listed."""
_REFUSED = "Quarantined"
_FILTERED = "Filtered by a capture rule"


class Activity(Struct, frozen=True):
    """One kind of work, and how often it was done lately."""

    name: str
    count: int
    last_at: int
    href: str = ""
    """Its newest receipt."""
    all: str = ""
    """Where it is listed."""


class HomeView(Struct, frozen=True):
    """What the home page shows."""

    scope: str
    """The scope that was asked for; empty for all."""
    stats: Stats
    ungraded: float | None
    """The share of memories that were never graded."""
    scopes: tuple[Bar, ...]
    kinds: tuple[Bar, ...]
    labels: tuple[Bar, ...]
    trusts: tuple[Bar, ...]
    growth: ColumnChart
    drift: Drift
    waiting: ReviewPage
    health: CheckUp
    activities: tuple[Activity, ...]
    counted: int
    since: int | None
    """The time of the oldest counted receipt."""
    recent: tuple[StoredReceipt, ...]


async def show(visit: Visit) -> Page:
    """Show the store as a whole, or one scope of it."""
    scope = visit.query.get("scope")
    place = {"scope": scope} if scope else {"all_scopes": True}
    stats: Stats = (await visit.ask("stats", **place)).result
    drift: Drift = (await visit.ask("drift", days=DAYS, **place)).result
    waiting: ReviewPage = (await visit.ask("review", limit=SHOWN_WAITING, **place)).result
    receipts: Sequence[StoredReceipt] = (await visit.ask("receipts list", limit=COUNTED_RECEIPTS)).result
    health: CheckUp = (await visit.ask("check")).result
    ours = [one for one in receipts if not scope or _scope_of(one) == scope]
    tally = stats.tally
    view = HomeView(
        scope=scope or "",
        stats=stats,
        ungraded=unknown_share(tally.by_label),
        scopes=bars(tally.by_scope, "/?scope="),
        kinds=bars(tally.by_kind, address_before("/memories", "kind", scope=scope)),
        labels=bars(tally.by_label, address_before("/memories", "label", scope=scope)),
        trusts=bars(tally.by_trust, address_before("/memories", "trust", scope=scope)),
        growth=column_chart([(day.date, day.labels) for day in drift.days], _LABELS),
        drift=drift,
        waiting=waiting,
        health=health,
        activities=tuple(replace(one, all=_listed(one.name, scope)) for one in _activities(ours)),
        counted=len(ours),
        since=receipts[-1].at if receipts else None,
        recent=tuple(ours[:SHOWN_RECEIPTS]),
    )
    return Page("home.html", view)


def _listed(name: str, scope: str | None) -> str:
    path, filters = _LISTS.get(name, ("", {}))
    return address(path, scope=scope, **filters) if path else ""


def _scope_of(receipt: StoredReceipt) -> str | None:
    asked = receipt.body.get("asked")
    scope = asked.get("scope") if isinstance(asked, dict) else None
    return scope if isinstance(scope, str) else None


def _activities(receipts: Sequence[StoredReceipt]) -> Iterable[Activity]:
    for name, operations in _ACTIVITIES.items():
        done = [one for one in receipts if one.operation in operations]
        if done:
            yield Activity(name, len(done), done[0].at, receipt_path(done[0].operation, done[0].digest))
    for name, amounts in (
        (_REFUSED, [(one, int(_decided(one).get("trust") == "quarantined")) for one in receipts]),
        (_FILTERED, [(one, _filtered(one)) for one in receipts]),
    ):
        some = [(one, amount) for one, amount in amounts if amount]
        if some:
            newest = some[0][0]
            path = receipt_path(newest.operation, newest.digest)
            yield Activity(name, sum(amount for _, amount in some), newest.at, path)


def _decided(receipt: StoredReceipt) -> Mapping[str, object]:
    decided = receipt.body.get("decided")
    return decided if isinstance(decided, dict) else {}


def _filtered(receipt: StoredReceipt) -> int:
    """Return how many candidates of a turn the capture rules kept out."""
    capture = _decided(receipt).get("autoCapture")
    filtered = capture.get("filteredOut") if isinstance(capture, dict) else None
    return sum(one for one in filtered.values() if isinstance(one, int)) if isinstance(filtered, dict) else 0
