"""What the router answers, and its backends, as a person sees them."""

from collections.abc import Callable, Mapping

from satchel.domain.routing import Attempt, Item, RouterEnvelope, RouteTrace, Status, Step
from satchel.interfaces.cli.views.lines import Lines, one_line
from satchel.routing.values import BackendList, Noted, Probes, RouteStats

_STYLES = {"ready": "green", "degraded": "yellow", "installed": "yellow"}


def _envelope(result: RouterEnvelope) -> Lines:
    for rank, item in enumerate(result.results, start=1):
        yield f"{rank:>2}. {one_line(item.content)}", "bold"
        yield f"    {_standing(item)}", "dim"
    if result.status is Status.ERROR:
        yield f"{result.error_code}: {result.error_message}", "red"
    elif not result.results:
        yield "nothing found", "dim"
    yield _summary(result), "dim"
    if result.trace:
        yield from _trace(result.trace)


def _standing(item: Item) -> str:
    place = item.path and (f"{item.path}:{item.line}" if item.line else item.path)
    parts = (f"{item.relevance:.2f}", item.source, item.timestamp[:10], place, item.id)
    return " · ".join(part for part in parts if part)


def _summary(result: RouterEnvelope) -> str:
    by = "nobody" if result.routed_to is None else str(Step(result.routed_to, result.routed_mode))
    chain = " → ".join(result.fallback_chain) or "no backend"
    return f"{result.status.value} from {by} · chain {chain} · {result.fallbacks_used} fallbacks · {result.router_duration_ms} ms"


def _trace(trace: RouteTrace) -> Lines:
    signs = ", ".join(trace.signals) or "no sign"
    yield f"rule {trace.rule.number} {trace.rule.id}, by {trace.stage.value}: {signs}", ""
    for one in trace.attempts:
        yield f"  {_attempt(one)}", "green" if one.outcome.value == "accepted" else "yellow"
    for skipped in trace.skipped:
        yield f"  {Step(skipped.backend, skipped.mode)} skipped: {skipped.reason}", "dim"
    for note in trace.notes:
        yield f"  {note}", "dim"


def _attempt(one: Attempt) -> str:
    said = f": {one_line(one.error_message)}" if one.error_message else f", {one.note}" if one.note else ""
    found = f"{one.result_count} found, best {one.normalized_relevance:.2f}, " if one.result_count else ""
    return f"{Step(one.backend, one.mode)} {one.outcome.value}, {found}{one.duration_ms} ms{said}"


def _stats(result: RouteStats) -> Lines:
    yield f"{'rule':18}{'routed':>8}{'at once':>9}{'fallbacks':>11}{'relevance':>11}{'ms':>8}", "bold"
    for rule in result.rules:
        yield (
            f"{rule.rule:18}{rule.routed:>8}{rule.accepted_first:>9}{rule.fallbacks:>11}{rule.mean_relevance:>11.2f}{rule.mean_ms:>8.1f}",
            "",
        )
        yield f"    {_listed(rule.statuses)}; answered by {_listed(rule.routed_to)}", "dim"
    for backend in result.backends:
        yield f"{backend.backend:18}{backend.asked:>8} asked: {_listed(backend.outcomes)}", ""
    yield f"counted from {result.receipts} receipts", "dim"


def _backends(result: BackendList) -> Lines:
    if result.written:
        yield f"wrote {result.state_file}", "green"
    elif not result.found:
        yield f"there is no {result.state_file}: Satchel's own backends are used", "dim"
    for one in result.backends:
        held = "" if one.in_tier else f", not part of the tier {result.tier}"
        modes = f" ({_listed(one.modes)})" if one.modes else ""
        yield f"{one.name:12} {one.status:12} {one.adapter}{modes}{held}", _STYLES.get(one.status, "red")
        if one.message:
            yield f"    {one_line(one.message)}", "dim"
    if result.tier:
        yield f"tier {result.tier}", "dim"


def _probes(result: Probes) -> Lines:
    for one in result.probes:
        modes = f" ({_listed(one.modes)})" if one.modes else ""
        yield f"{one.backend:12} {one.status:12} {one.adapter}{modes}", _STYLES.get(one.status, "red")
        if one.reason:
            yield f"    {one_line(one.reason)}", "dim"


def _noted(result: Noted) -> Lines:
    yield f"written to {result.file} by {result.adapter}", "green"


def _listed(counts: Mapping[str, int] | Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in counts.items())


VIEWS: dict[str, Callable[..., Lines]] = {
    "route": _envelope,
    "route stats": _stats,
    "backends list": _backends,
    "backends probe": _probes,
    "backends write": _noted,
    "backends install": _backends,
}
