"""Whether a store holds any record in reach of a view."""

from satchel.domain.passage import EvidenceLane, PassageView
from satchel.domain.view import View
from satchel.ports import Ledger


def holds_anything(ledger: Ledger, view: View) -> bool:
    """Return whether the store has a memory, observation, passage or source of the graph in the reach of a view."""
    return bool(
        ledger.memories.tiers(view.reach)
        or ledger.graph.sources(view.reach)
        or any(ledger.observations.around(view.now + 1, "", view, 1))
        or any(ledger.passages.count(PassageView(lane, view.reach)) for lane in EvidenceLane)
    )
