"""Views of packs."""

from typing import Any

from satchel.interfaces.cli.views.lines import Lines, Views, count
from satchel.packing.values import ContextPack, Meta


def _packed(result: ContextPack) -> Lines:
    meta = result.meta
    if not result.bundle_text:
        yield _empty_pack(meta), "dim"
    for line in result.bundle_text.splitlines():
        yield line, ""
    yield f"{meta['tokens']} of {meta['budgetTokens']} tokens, {count(len(result.items), 'item')}", "dim"
    if result.trace is not None:
        yield from _trace(result.trace)


def _empty_pack(meta: Meta) -> str:
    """Return why a pack is empty."""
    over = meta.get("overBudget", 0)
    if not over:
        return f"nothing to pack in scope {meta['scope']}"
    return f"{count(over, 'item')} found in scope {meta['scope']}, but none fits into {count(meta['budgetTokens'], 'token')}"


def _trace(trace: Any) -> Lines:
    for lane in trace["lanes"]:
        state = f"{lane['found']} found" if lane["searched"] else "not searched"
        yield f"lane {lane['source']}: {state}" + (f" ({lane['problem']})" if lane["problem"] else ""), "dim"
    for one in trace["candidates"]:
        decision = one["decision"]
        mark, style = ("+", "green") if decision["included"] else ("-", "yellow")
        why = "; ".join(decision["rationale"])
        yield f"{mark} {one['citations']['recordRef']}  {', '.join(decision['reason'])}: {why}", style


VIEWS: Views = {
    "pack": _packed,
}
