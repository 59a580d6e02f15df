"""Views of exports and imports."""

from satchel.interfaces.cli.views.lines import Lines, Views, count, tally
from satchel.memories.values import Exported, Imported


def _exported(result: Exported) -> Lines:
    where = "standard output" if result.path == "-" else result.path
    yield f"wrote {result.count} of {count(result.matched, 'memory')} to {where} ({result.bytes:,} bytes)", "green"
    if result.redacted is None:
        yield "  secrets are not masked: keep the file private", "yellow"
    elif result.redacted:
        yield f"  masked {count(sum(result.redacted.values()), 'secret')}: {tally(result.redacted)}", "yellow"


def _imported(result: Imported) -> Lines:
    done = "would be imported; nothing was written" if result.dry_run else "imported"
    yield f"{result.imported} of {count(result.parsed, 'memory')} {done}", "green" if not result.failed else "yellow"
    if result.skipped:
        by = ", ".join(f"{number} by {key}" for key, number in result.skipped_by.items())
        yield f"  {result.skipped} already there: {by}", "dim"
    if result.renamed:
        yield f"  {result.renamed} got a new id: theirs is taken", "dim"
    if result.trust_lowered:
        yield f"  {result.trust_lowered} claimed more trust than an import allows", "dim"
    if result.scopes_replaced:
        yield f"  {result.scopes_replaced} without a valid scope: imported into the default scope", "yellow"
    if result.unknown_fields:
        yield f"  {count(result.unknown_fields, 'unknown field')} ignored", "dim"
    place = "row" if result.format == "json" else "line"
    for failure in result.failures:
        yield f"  {place} {failure.index}: {failure.reason}", "red"
    if result.failures_unlisted:
        yield f"  and {result.failures_unlisted} more", "red"


VIEWS: Views = {
    "export": _exported,
    "import": _imported,
}
