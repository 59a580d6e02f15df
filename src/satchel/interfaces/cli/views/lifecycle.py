"""Views of grading, lifecycle runs and drift."""

from satchel.interfaces.cli.views.lines import Lines, Views, count, scopes_named, tally
from satchel.interfaces.local_time import local_time
from satchel.observations.lifecycle_values import Archived, Drift, Graded, LifecycleRun, LifecycleStatus, Revived


def _graded(result: Graded) -> Lines:
    done, end = ("would be graded", "; nothing was written") if result.dry_run else ("graded", "")
    records = f"{count(result.observations, 'observation')} and {count(result.memories, 'memory')}"
    yield f"{records} {done} by {result.method}{end}", "green"
    if result.label_counts:
        yield f"  {tally(result.label_counts)}", ""
    for one in result.examples:
        yield f"  {one.id}  {one.label} {one.score:.2f}: {', '.join(one.signals) or 'no signal'}", "dim"
    if result.scorer_errors:
        yield f"  {result.scorer_errors} could not be graded", "red"


def _run(result: LifecycleRun) -> Lines:
    done, end = ("would be archived", "; nothing was written") if result.dry_run else ("archived", "")
    yield (
        f"{result.archived:,} of {count(result.looked_at, 'record')} {done}, {result.stale} marked stale{end}",
        "green",
    )
    parts = {
        "tier": result.by_tier,
        "trust": result.by_trust,
        "importance": result.by_label,
        "reason": result.by_reason,
    }
    for name, counts in parts.items():
        if counts:
            yield f"  {name}: {tally(counts)}", ""
    for one in result.examples:
        yield f"  {one.id}  {one.from_state} → {one.to_state}  {one.tier}, {one.reason}, {one.idle_days} days", "dim"
    if result.log_lines_pruned:
        yield f"  {count(result.log_lines_pruned, 'line')} of the observational log pruned", "dim"


def _status(result: LifecycleStatus) -> Lines:
    yield f"archived after days without use: P0 never, P1 {result.p1_days}, P2 {result.p2_days}", "bold"
    yield f"  tiers: {tally(result.by_tier) or 'nothing yet'}", ""
    yield f"  states: {tally(result.by_state) or 'nothing yet'}", ""
    yield f"  a run would archive {result.would_archive} and mark {result.would_mark_stale} as stale", ""
    yield f"  grading on ingest is {'on' if result.grade_on_ingest else 'off'}", "dim"
    yield f"  last run: {local_time(result.last_run_at) if result.last_run_at else 'never'}", "dim"


def _archived(result: Archived) -> Lines:
    yield f"archived {result.id}: {result.from_state} → {result.to_state}", "green"
    yield "  'satchel lifecycle revive ID' brings it back", "dim"


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
    yield f"all records of {scopes_named(result.scope)}: {tally(result.labels) or 'none'}; {share}", ""
    yield f"  labels that do not match their score: {result.mismatches}", "dim"
    yield f"  states: {tally(result.by_state)}", "dim"
    if result.by_tool:
        yield f"  tools: {tally(result.by_tool)}", "dim"
    if result.picture:
        yield f"chart written to {result.picture}", "green"


VIEWS: Views = {
    "grade": _graded,
    "lifecycle run": _run,
    "lifecycle status": _status,
    "lifecycle archive": _archived,
    "lifecycle revive": _revived,
    "drift": _drift,
}
