"""Home: what happened lately, what waits, what the store holds, and whether it is healthy."""

from msgspec import Struct

from satchel.interfaces.inspector.charts import CURVE_HEIGHT, CURVE_WIDTH, Bar, Column, bars, columns
from satchel.interfaces.inspector.formatting import address
from satchel.interfaces.inspector.visit import Page, Visit
from satchel.maintenance.values import Stats
from satchel.memories.values import ReviewPage
from satchel.observations.lifecycle_values import Drift
from satchel.ports import StoredReceipt

DAYS = 30
RECENT = 12


class HomeView(Struct, frozen=True):
    """What the home page shows."""

    scope: str
    """The scope that was asked for; empty for all."""
    stats: Stats
    scopes: tuple[Bar, ...]
    kinds: tuple[Bar, ...]
    labels: tuple[Bar, ...]
    trusts: tuple[Bar, ...]
    growth: tuple[Column, ...]
    growth_size: tuple[int, int]
    drift: Drift
    waiting: ReviewPage
    recent: tuple[StoredReceipt, ...]


async def show(visit: Visit) -> Page:
    """Show the store as a whole, or one scope of it."""
    scope = visit.query.get("scope")
    place = {"scope": scope} if scope else {"all_scopes": True}
    stats: Stats = (await visit.ask("stats", **place)).result
    drift: Drift = (await visit.ask("drift", days=DAYS, **place)).result
    waiting: ReviewPage = (await visit.ask("review", limit=1, **place)).result
    recent: tuple[StoredReceipt, ...] = (await visit.ask("receipts list", limit=RECENT)).result
    tally = stats.tally
    return Page(
        "home.html",
        HomeView(
            scope=scope or "",
            stats=stats,
            scopes=bars(tally.by_scope, "/?scope="),
            kinds=bars(tally.by_kind, address("/memories", scope=scope, kind="")),
            labels=bars(tally.by_label),
            trusts=bars(tally.by_trust),
            growth=columns((day.date, day.stored) for day in drift.days),
            growth_size=(CURVE_WIDTH, CURVE_HEIGHT),
            drift=drift,
            waiting=waiting,
            recent=recent,
        ),
    )
