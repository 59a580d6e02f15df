"""Evidence, as a person sees it."""

from collections.abc import Callable, Mapping
from typing import Any

from satchel.domain.evidence import (
    Captured,
    Drift,
    Excerpt,
    Graded,
    Ingested,
    LifecycleRun,
    LifecycleStatus,
    Observed,
    Revived,
    Searched,
    Shown,
    Sight,
    Timeline,
)
from satchel.domain.moment import iso
from satchel.interfaces.cli.shown.lines import Lines, one_line


def _captured(result: Captured) -> Lines:
    yield f"captured {result.captured}", "green"
    if result.private:
        yield f"  {result.private} asked not to be kept", "dim"
    if result.misplaced:
        yield f"  {result.misplaced} named no valid scope: they are in the default one", "yellow"
    if result.rejected:
        yield f"  {result.rejected} were no events: see dead-letters.jsonl", "red"


def _ingested(result: Ingested) -> Lines:
    yield f"{result.inserted} of {result.total_seen} events taken in", "green"
    notes = (
        (result.skipped_existing, "were there already"),
        (result.skipped_disabled, "asked not to be kept"),
        (result.misplaced, "named no valid scope, and are in the default one"),
        (result.waiting, "last line has no end yet, and waits"),
        (result.scorer_errors, "could not be graded"),
        (result.log_lines, "lines were added to the observational log"),
    )
    for count, said in notes:
        if count:
            yield f"  {count} {said}", "dim"
    if result.inserted:
        yield f"  importance: {_listed(result.label_counts)}", "dim"
    if result.rejected:
        yield f"  {result.rejected} were no events, see dead-letters.jsonl: {_listed(result.rejected_by)}", "red"


def _searched(result: Searched) -> Lines:
    if not result.hits:
        yield f"nothing found in scope {result.scope}", "dim"
    for hit in result.hits:
        yield f"{hit.rank:>2}. {one_line(hit.summary)}", "bold"
        yield f"    {iso(hit.at)[:16]} · {hit.tool_name or hit.kind} · {hit.label} · {hit.trust} · {hit.id}", "dim"


def _timeline(result: Timeline) -> Lines:
    for one in result.before:
        yield _sight(one), ""
    yield (_sight(result.here) if result.here else f"{iso(result.at)[:16]}  {result.around}"), "bold"
    for one in result.after:
        yield _sight(one), ""


def _sight(one: Sight) -> str:
    return f"{iso(one.at)[:16]}  {one.id}  {one.tool_name or one.kind}: {one_line(one.summary, 100)}"


def _observed(result: Observed) -> Lines:
    one = result.observation
    yield one.summary, "bold"
    yield f"{one.kind} · {one.label} · {one.trust} · {one.state} · {one.scope} · {iso(one.at)}", "dim"
    if one.text and one.text != one.summary:
        yield one.text, ""
    if one.detail:
        yield f"  detail: {one.detail}", ""
    told = {
        "tool": one.tool_name,
        "session": one.session,
        "agent": one.agent,
        "read from": f"{one.source}:{one.offset}",
    }
    for name, value in told.items():
        if value:
            yield f"  {name}: {value}", ""
    if one.signals:
        yield f"  importance: {one.importance} by {one.grader}: {', '.join(one.signals)}", ""
    if one.payload:
        yield f"  {one.payload_bytes:,} bytes put aside as {one.payload}: 'satchel artifacts show {one.id}'", "yellow"
    if result.last_used_at:
        yield f"  last used {iso(result.last_used_at)}", "dim"
    for event in result.history:
        yield f"  {iso(event.at)}  {event.operation} by {event.actor}: {event.reason or ''}", "dim"


def _excerpt(result: Excerpt) -> Lines:
    yield f"{result.name}, {result.bytes:,} bytes, {result.part}:", "dim"
    yield result.text, ""


def _shown(result: Shown) -> Lines:
    yield "OBSERVATIONS", "bold"
    for line in result.observations:
        yield line.text, "" if line.level != "DEBUG" else "dim"
    yield f"RAW BUFFER ({len(result.raw_buffer)} of {result.raw_total})", "bold"
    for one in result.raw_buffer:
        yield _sight(one), ""


def _graded(result: Graded) -> Lines:
    done = (
        f"would be graded by {result.method}; nothing was written" if result.dry_run else f"graded by {result.method}"
    )
    yield f"{result.observations} observations and {result.memories} memories {done}", "green"
    if result.label_counts:
        yield f"  {_listed(result.label_counts)}", ""
    for one in result.examples:
        yield f"  {one.id}  {one.label} {one.score:.2f}: {', '.join(one.signals) or 'no signal'}", "dim"
    if result.scorer_errors:
        yield f"  {result.scorer_errors} could not be graded", "red"


def _run(result: LifecycleRun) -> Lines:
    done, end = ("would be archived", "; nothing was written") if result.dry_run else ("archived", "")
    yield f"{result.archived} of {result.looked_at} records {done}, {result.stale} marked stale{end}", "green"
    parts = {
        "tier": result.by_tier,
        "trust": result.by_trust,
        "importance": result.by_label,
        "reason": result.by_reason,
    }
    for name, counts in parts.items():
        if counts:
            yield f"  {name}: {_listed(counts)}", ""
    for one in result.examples:
        yield f"  {one.id}  {one.from_state} → {one.to_state}  {one.tier}, {one.reason}, {one.idle_days} days", "dim"
    if result.log_lines_pruned:
        yield f"  {result.log_lines_pruned} lines of the observational log pruned", "dim"


def _status(result: LifecycleStatus) -> Lines:
    yield f"P0 never, P1 after {result.p1_days} days, P2 after {result.p2_days} days without use", "bold"
    yield f"  tiers: {_listed(result.by_tier) or 'nothing yet'}", ""
    yield f"  states: {_listed(result.by_state) or 'nothing yet'}", ""
    yield f"  a run would archive {result.would_archive} and mark {result.would_mark_stale} as stale", ""
    yield f"  grading on ingest is {'on' if result.grade_on_ingest else 'off'}", "dim"
    yield f"  last run: {iso(result.last_run_at) if result.last_run_at else 'never'}", "dim"


def _revived(result: Revived) -> Lines:
    yield f"revived {result.id}: {result.from_state} → {result.to_state}", "green"


def _drift(result: Drift) -> Lines:
    yield (
        f"{'day':12}{'captured':>9}{'stored':>8}{'archived':>9}{'must':>7}{'nice':>7}{'ignore':>7}{'unknown':>8}",
        "bold",
    )
    for day in result.days:
        if day.captured or day.stored or day.archived:
            counts = [day.labels.get(name, 0) for name in ("must_remember", "nice_to_have", "ignore", "unknown")]
            yield (
                f"{day.date:12}{day.captured:>9}{day.stored:>8}{day.archived:>9}"
                f"{counts[0]:>7}{counts[1]:>7}{counts[2]:>7}{counts[3]:>8}",
                "",
            )
    share = "nothing yet" if result.unknown_share is None else f"{result.unknown_share:.1%} never graded"
    yield f"all records of scope {result.scope}: {_listed(result.labels) or 'none'}; {share}", ""
    yield f"  labels that do not fit their score: {result.mismatches}", "dim"
    yield f"  states: {_listed(result.by_state)}", "dim"
    if result.by_tool:
        yield f"  tools: {_listed(result.by_tool)}", "dim"
    if result.picture:
        yield f"drawn to {result.picture}", "green"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


SHOWN: dict[type, Callable[[Any], Lines]] = {
    Captured: _captured,
    Ingested: _ingested,
    Searched: _searched,
    Timeline: _timeline,
    Observed: _observed,
    Excerpt: _excerpt,
    Shown: _shown,
    Graded: _graded,
    LifecycleRun: _run,
    LifecycleStatus: _status,
    Revived: _revived,
    Drift: _drift,
}
