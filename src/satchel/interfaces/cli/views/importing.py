"""Views of imports, and of their previews."""

from satchel.domain.imports import ERASED_BY, Imported, erase_command
from satchel.domain.record import Trust
from satchel.importing.values import TRUST_MEANINGS, ItemsImported, RecordCount
from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line, remedies, tally
from satchel.interfaces.local_time import local_day

MAX_REFUSALS = 20
MAX_LISTED = 10
# Of a receipt's digest.
SHORT = len("sha256:") + 12
SAMPLE_WIDTH = 100
_RAISED_BY = ". 'satchel confirm' or --trust trusted raise it"
_WOULD_BE_IMPORTED = "would be imported; nothing was written"
_NOUNS = {
    "memories": "memory",
    "edges": "edge",
    "turns": "turn",
    "documents": "document",
    "entities": "entity",
    "relations": "relation",
}


def _shown(result: Imported | ItemsImported) -> Lines:
    yield from _preview(result)
    if result.asks:
        yield "nothing was written; --yes imports it", "dim"
    elif isinstance(result, ItemsImported):
        yield from [("nothing was written", "dim")] if result.dry_run else _ways_back(result)


def _preview(result: Imported | ItemsImported) -> Lines:
    """Yield what came or would come in, without what to do next: a person at a terminal is asked that."""
    return _items(result) if isinstance(result, ItemsImported) else _rows(result)


def _rows(result: Imported) -> Lines:
    if result.samples:
        yield f"{result.source}: rows with a text; nothing says that they are an export of Satchel", "bold"
    done = "imported" if not result.dry_run else "would be imported" if result.asks else _WOULD_BE_IMPORTED
    yield f"{result.imported:,} of {count(result.parsed, 'memory')} {done}", "green" if not result.failed else "yellow"
    if result.skipped:
        by = ", ".join(f"{number:,} by {key}" for key, number in result.skipped_by.items())
        yield f"  {result.skipped:,} already there: {by}", "dim"
    yield from _taken_back(result)
    if result.renamed:
        yield f"  {result.renamed} got a new id: theirs is taken", "dim"
    if result.trust_lowered:
        yield f"  {result.trust_lowered} claimed more trust than an import allows", "dim"
    if result.scopes_replaced:
        yield f"  {result.scopes_replaced} with an invalid scope in the text: imported into the default scope", "yellow"
    if result.vectors:
        yield f"  {count(result.vectors, 'vector')} taken with them", "dim"
    if result.unknown_fields:
        yield f"  {count(result.unknown_fields, 'unknown field')} ignored", "dim"
    place = "row" if result.format == "json" else "line"
    for failure in result.failures:
        yield f"  {place} {failure.index}: {failure.reason}", "red"
    if result.failures_unlisted:
        yield f"  and {result.failures_unlisted} more", "red"
    if result.failed_by.get("invalid_scope"):
        yield "  a scope has only a-z 0-9 . _ : / -; --scope puts every row into one scope", "dim"
    for sample in result.samples:
        yield f"  · {one_line(sample, SAMPLE_WIDTH)}", ""


def _items(result: ItemsImported) -> Lines:
    yield f"{result.source}: {result.title} ({result.kind})", "bold"
    if not result.records:
        yield "  nothing to import", "dim"
    for one in result.records:
        yield f"  {_line(one, result.dry_run)}", "green" if one.new else "dim"
    yield from _taken_back(result)
    if result.scopes:
        yield f"  scope: {tally(result.scopes)}", ""
    if result.first_at is not None and result.last_at is not None:
        yield f"  dates: {local_day(result.first_at)} to {local_day(result.last_at)}", "dim"
    if result.dry_run and result.records:
        trusted = result.trust == Trust.TRUSTED
        yield f"  {TRUST_MEANINGS[result.trust]}{'' if trusted else _RAISED_BY}", "yellow" if trusted else "dim"
        for sample in result.samples:
            yield f"  · {sample.place}: {one_line(sample.text, SAMPLE_WIDTH)}", ""
        more = sum(one.read for one in result.records) - len(result.samples)
        if result.samples and more > 0:
            yield f"    and {more:,} more", "dim"
    yield from _changed_lines(result)
    yield from _problems(result)


def _changed_lines(result: ItemsImported) -> Lines:
    """Yield what the file says differently from when it was imported before."""
    changes, would = result.changes, "would be " if result.dry_run else ""
    if changes.replaced:
        yield f"  {count(len(changes.replaced), 'changed line')} {would}replaced:", ""
    for one in changes.replaced[:MAX_LISTED]:
        yield f"    {one_line(one.before, SAMPLE_WIDTH)} → {one_line(one.after, SAMPLE_WIDTH)}", "dim"
    if changes.returned:
        yield f"  {count(len(changes.returned), 'line')} back in the file {would}active again", ""
    if changes.gone:
        done = f"{would}retired" if changes.pruned else "kept; --prune retires them"
        yield f"  {count(len(changes.gone), 'line')} gone from the file, {done}:", "yellow"
    for one in changes.gone[:MAX_LISTED]:
        yield f"    {one_line(one.before, SAMPLE_WIDTH)}", "dim"
    unlisted = sum(max(0, len(some) - MAX_LISTED) for some in (changes.replaced, changes.gone))
    if unlisted:
        yield f"    and {unlisted} more", "dim"


def _taken_back(result: Imported | ItemsImported) -> Lines:
    """Yield how to bring back memories that were imported before and taken back since."""
    if result.taken_back:
        undo = result.brought_back_by or "list"
        known = count(result.taken_back, "memory")
        yield (
            f"  {known} of those already there: taken back; 'satchel undo {undo[:SHORT]}' brings them in again",
            "yellow",
        )


def _ways_back(result: ItemsImported) -> Lines:
    """Yield how to take back each kind of record that came in."""
    came = {one.record for one in result.records if one.new}
    if result.changes_memories and result.tag:
        yield f"  'satchel undo {result.tag}' takes the memories back", "dim"
    (scope,) = result.scopes if len(result.scopes) == 1 else ("",)
    commands: dict[str, list[str]] = {}
    for record in (one for one in ERASED_BY if one in came):
        commands.setdefault(erase_command(record, result.source), []).append(record)
    for command, records in commands.items():
        within = f" --scope {scope}" if scope and command.startswith("graph") else ""
        yield f"  'satchel {command}{within}' erases the {' and '.join(records)}; undo leaves them", "dim"


def _line(one: RecordCount, dry_run: bool) -> str:
    new = "would be imported" if dry_run else "imported"
    parts = [f"{one.new:,} of {count(one.read, _NOUNS[one.record])} {new}"]
    parts += [f"{one.known:,} already there"] if one.known else []
    parts += [f"{one.quarantined} quarantined"] if one.quarantined else []
    parts += [f"{one.refused} refused"] if one.refused else []
    return ", ".join(parts)


def _problems(result: ItemsImported) -> Lines:
    if result.secrets_masked:
        yield f"  {count(result.secrets_masked, 'secret')} masked", "yellow"
    for one in result.refusals[:MAX_REFUSALS]:
        yield f"  refused {one.place}: {one.reason}", "red"
    more = len(result.refusals) - MAX_REFUSALS + result.refusals_unlisted
    if more > 0:
        yield f"  and {more} more: {tally(result.refused_by)}", "red"
    yield from remedies(result.refused_by)


VIEWS: Views = {"import": _shown, "import preview": _preview}
