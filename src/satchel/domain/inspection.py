"""Inspect what arrives through an untrusted channel: a text that reads as an order to the agent is quarantined.

Channels that grant trust are not inspected: what the operator says may be an order.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.record import Memory, SourceKind, Trust
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.domain.trust import CEILING

# Code of the warning, and of the trust rule in a receipt.
AGENT_ORDER = "agent_order"


def is_inspected(channel: SourceKind) -> bool:
    """Return whether texts of a channel are inspected."""
    return CEILING[channel] is not Trust.TRUSTED


def orders_in(texts: Sequence[str | None]) -> tuple[str, ...]:
    """Return the reasons why a record with these texts reads as an order to the agent; none if it does not."""
    return agent_orders("\n".join(filter(None, texts)))


def inspect_memory(memory: Memory, *more: str) -> tuple[Memory, tuple[str, ...]]:
    """Return a memory, quarantined if its text, title, tags, media or details read as an order, and the reasons."""
    if not is_inspected(memory.source_kind):
        return memory, ()
    reasons = orders_in((memory.title, memory.text, *memory.keywords, *memory.tags, *memory.media_refs, *more))
    return (replace(memory, trust=Trust.QUARANTINED), reasons) if reasons else (memory, ())


def trust_rule(memory: Memory, reasons: Sequence[str]) -> str:
    """Return what decided the trust of a new memory, as a receipt names it."""
    return AGENT_ORDER if reasons else f"channel:{memory.source_kind}"


def order_warnings(count: int, reasons: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the warning about records that were quarantined, if there are any."""
    if not count:
        return ()
    why = f" ({', '.join(reasons)})" if reasons else ""
    what = "it reads as an order to the agent" if count == 1 else f"{count:,} records read as an order to the agent"
    return (f"{AGENT_ORDER}: {what}{why} and {'was' if count == 1 else 'were'} quarantined; see 'satchel review'",)
