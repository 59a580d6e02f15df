"""Views of routed answers."""

from satchel.domain.receipt_sections import RouteAttemptEntry
from satchel.domain.routing import Attempt, ChainStep, RouteItem, RouterEnvelope, RouteStatus, RouteTrace
from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line, tally
from satchel.interfaces.local_time import local_time
from satchel.routing.values import PastRoutes, RouteStats


def _envelope(result: RouterEnvelope, explain: bool = False) -> Lines:
    for rank, item in enumerate(result.results, start=1):
        yield f"{rank:>2}. {one_line(item.content)}", "bold"
        yield f"    {_attributes(item)}", "dim"
    if result.status is RouteStatus.ERROR:
        yield f"{result.error_code}: {result.error_message}", "red"
    elif not result.results:
        yield "nothing found", "dim"
    for advice in result.trace.advice if result.trace else ():
        yield advice, "yellow"
    yield _summary(result), "dim"
    if result.trace and explain:
        yield from _trace(result.trace)


def _attributes(item: RouteItem) -> str:
    place = item.path and (f"{item.path}:{item.line}" if item.line else item.path)
    parts = (f"{item.relevance:.2f}", item.source, item.timestamp[:10], place, item.id)
    return " · ".join(part for part in parts if part)


def _summary(result: RouterEnvelope) -> str:
    chain = " → ".join(result.fallback_chain) or "empty"
    if result.routed_to is None:
        outcome = "no backend answered" if result.status is RouteStatus.ERROR else result.status.value
        return f"{outcome} · chain {chain} · {result.router_duration_ms} ms"
    by = ChainStep(result.routed_to, result.routed_mode)
    return f"{result.status.value} from {by} · chain {chain} · {count(result.fallbacks_used, 'fallback')} · {result.router_duration_ms} ms"


def _trace(trace: RouteTrace) -> Lines:
    signals = ", ".join(trace.signals) or "no signals"
    yield f"rule {trace.rule.number} {trace.rule.id}, by {trace.stage.value}: {signals}", ""
    for one in trace.attempts:
        yield f"  {_attempt(one)}", "green" if one.outcome.value == "accepted" else "yellow"
    for skipped in trace.skipped:
        yield f"  {ChainStep(skipped.backend, skipped.mode)} skipped: {skipped.reason}", "dim"
    for note in trace.notes:
        yield f"  {note}", "dim"


def _attempt(one: Attempt) -> str:
    note = f": {one_line(one.error_message)}" if one.error_message else f", {one.note}" if one.note else ""
    found = f"{one.result_count} found, best {one.normalized_relevance:.2f}, " if one.result_count else ""
    return f"{ChainStep(one.backend, one.mode)} {one.outcome.value}, {found}{one.duration_ms} ms{note}"


def _past(result: PastRoutes) -> Lines:
    for one in result.routes:
        by = "no backend" if one.routed_to is None else str(ChainStep(one.routed_to, one.routed_mode))
        found = f"{one.status} from {by}, {count(one.results, 'result')}, relevance {one.relevance:.2f}"
        yield f"{local_time(one.at)}  {one.rule}: {found}, {one.duration_ms:.1f} ms", ""
        yield f"    {one.receipt[:19]} · {' → '.join(map(_past_attempt, one.attempts)) or 'nothing was asked'}", "dim"
    if not result.routes:
        yield "no routed questions", "dim"
    if result.next is not None:
        yield f"more: --before {result.next}", "dim"


def _past_attempt(one: RouteAttemptEntry) -> str:
    return f"{ChainStep(one.backend, one.mode)} {one.outcome}" + (f" ({one.error_code})" if one.error_code else "")


def _stats(result: RouteStats) -> Lines:
    yield f"{'rule':18}{'routed':>8}{'at once':>9}{'fallbacks':>11}{'relevance':>11}{'ms':>8}", "bold"
    for rule in result.rules:
        yield (
            f"{rule.rule:18}{rule.routed:>8}{rule.accepted_first:>9}{rule.fallbacks:>11}{rule.mean_relevance:>11.2f}{rule.mean_ms:>8.1f}",
            "",
        )
        yield f"    {tally(rule.statuses)}; answered by {tally(rule.routed_to)}", "dim"
    for backend in result.backends:
        yield f"{backend.backend:18}{backend.asked:>8} asked: {tally(backend.outcomes)}", ""
    yield f"from {count(result.receipts, 'receipt')}", "dim"


VIEWS: Views = {"route": _envelope, "route list": _past, "route stats": _stats}
