"""Evidence, as a person sees it."""

from collections.abc import Callable

from satchel.domain.moment import iso
from satchel.interfaces.cli.views.lines import Lines, counts_of, one_line
from satchel.observations.values import (
    CaptureResult,
    Excerpt,
    FoundObservations,
    Ingested,
    LogContents,
    ObservationLine,
    Observed,
    Timeline,
)


def _captured(result: CaptureResult) -> Lines:
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
        yield f"  importance: {counts_of(result.label_counts)}", "dim"
    if result.rejected:
        yield f"  {result.rejected} were no events, see dead-letters.jsonl: {counts_of(result.rejected_by)}", "red"


def _searched(result: FoundObservations) -> Lines:
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


def _sight(one: ObservationLine) -> str:
    return f"{iso(one.at)[:16]}  {one.id}  {one.tool_name or one.kind}: {one_line(one.summary, 100)}"


def observed(result: Observed) -> Lines:
    """Yield an observation with its history."""
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


def _shown(result: LogContents) -> Lines:
    yield "OBSERVATIONS", "bold"
    for line in result.observations:
        yield line.text, "" if line.level != "DEBUG" else "dim"
    yield f"RAW BUFFER ({len(result.raw_buffer)} of {result.raw_total})", "bold"
    for one in result.raw_buffer:
        yield _sight(one), ""


VIEWS: dict[str, Callable[..., Lines]] = {
    "capture": _captured,
    "ingest": _ingested,
    "search": _searched,
    "timeline": _timeline,
    "artifacts show": _excerpt,
    "observations show": _shown,
}
