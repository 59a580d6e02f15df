"""Views of observations."""

from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line, scopes_named, tally
from satchel.interfaces.local_time import local_time
from satchel.observations import values


def _captured(result: values.CaptureResult) -> Lines:
    yield f"captured {result.captured}", "green"
    if result.private:
        yield f"  {result.private} opted out", "dim"
    if result.misplaced:
        yield f"  {result.misplaced} without a valid scope: stored in the default scope", "yellow"
    if result.rejected:
        yield f"  {result.rejected} not valid events: see dead-letters.jsonl", "red"


def _ingested(result: values.Ingested) -> Lines:
    yield f"ingested {result.inserted:,} of {count(result.total_seen, 'event')}", "green"
    notes = (
        (result.skipped_existing, "already there"),
        (result.skipped_disabled, "opted out"),
        (result.misplaced, "without a valid scope: stored in the default scope"),
        (result.waiting, "unfinished last line, left for the next run"),
        (result.scorer_errors, "could not be graded"),
        (result.log_lines, "added to the observational log"),
    )
    for number, note in notes:
        if number:
            yield f"  {number} {note}", "dim"
    if result.inserted:
        yield f"  importance: {tally(result.label_counts)}", "dim"
    if result.rejected:
        yield f"  {result.rejected} not valid events, see dead-letters.jsonl: {tally(result.rejected_by)}", "red"


def _searched(result: values.FoundObservations) -> Lines:
    if not result.hits:
        yield f"nothing found in {scopes_named(result.scope)}", "dim"
    for hit in result.hits:
        yield f"{hit.rank:>2}. {one_line(hit.summary)}", "bold"
        yield (
            f"    {local_time(hit.at)[:16]} · {hit.tool_name or hit.kind} · {hit.label} · {hit.trust} · {hit.id}",
            "dim",
        )


def _timeline(result: values.Timeline) -> Lines:
    for one in result.before:
        yield _line(one), ""
    yield (_line(result.here) if result.here else f"{local_time(result.at)[:16]}  {result.around}"), "bold"
    for one in result.after:
        yield _line(one), ""


def _line(one: values.ObservationLine) -> str:
    return f"{local_time(one.at)[:16]}  {one.id}  {one.tool_name or one.kind}: {one_line(one.summary, 100)}"


def observed(result: values.Observed) -> Lines:
    """Yield an observation with its history."""
    one = result.observation
    yield one.summary, "bold"
    yield f"{one.kind} · {one.label} · {one.trust} · {one.state} · {one.scope} · {local_time(one.at)}", "dim"
    if one.text and one.text != one.summary:
        yield one.text, ""
    if one.detail:
        yield f"  detail: {one.detail}", ""
    origin = {
        "tool": one.tool_name,
        "session": one.session,
        "agent": one.agent,
        "read from": f"{one.source}:{one.offset}",
    }
    for name, value in origin.items():
        if value:
            yield f"  {name}: {value}", ""
    if one.signals:
        yield f"  importance: {one.importance} by {one.grader}: {', '.join(one.signals)}", ""
    if one.payload:
        yield f"  {one.payload_bytes:,} bytes stored as {one.payload}: 'satchel artifacts show {one.id}'", "yellow"
    if result.last_used_at:
        yield f"  last used {local_time(result.last_used_at)}", "dim"
    for event in result.history:
        yield f"  {local_time(event.at)}  {event.operation} by {event.actor}: {event.reason or ''}", "dim"


def _excerpt(result: values.Excerpt) -> Lines:
    yield f"{result.name}, {result.bytes:,} bytes, {result.part}:", "dim"
    yield result.text, ""


def _shown(result: values.LogContents) -> Lines:
    yield "OBSERVATIONS", "bold"
    for line in result.observations:
        yield line.text, "" if line.level != "DEBUG" else "dim"
    yield f"RAW BUFFER ({len(result.raw_buffer)} of {result.raw_total})", "bold"
    for one in result.raw_buffer:
        yield _line(one), ""


VIEWS: Views = {
    "capture": _captured,
    "ingest": _ingested,
    "search": _searched,
    "timeline": _timeline,
    "artifacts show": _excerpt,
    "observations show": _shown,
}
