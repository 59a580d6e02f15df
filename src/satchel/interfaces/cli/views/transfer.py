"""What came of an export or an import, as a person sees it."""

from collections.abc import Callable

from satchel.interfaces.cli.views.lines import Lines
from satchel.memories.values import Exported, Imported


def _exported(result: Exported) -> Lines:
    where = "standard output" if result.path == "-" else result.path
    yield f"wrote {result.count} of {result.matched} memories to {where} ({result.bytes:,} bytes)", "green"
    if result.redacted is None:
        yield "  secrets were not masked: keep the file to yourself", "yellow"
    elif result.redacted:
        kinds = ", ".join(f"{kind} {count}" for kind, count in result.redacted.items())
        yield f"  masked {sum(result.redacted.values())} secrets: {kinds}", "yellow"


def _imported(result: Imported) -> Lines:
    done = "would be imported; nothing was written" if result.dry_run else "imported"
    yield f"{result.imported} of {result.parsed} memories {done}", "green" if not result.failed else "yellow"
    if result.skipped:
        by = ", ".join(f"{count} by {sign}" for sign, count in result.skipped_by.items())
        yield f"  {result.skipped} were there already: {by}", "dim"
    if result.renamed:
        yield f"  {result.renamed} got another id, since theirs was taken", "dim"
    if result.trust_lowered:
        yield f"  {result.trust_lowered} claimed more trust than a file can give", "dim"
    if result.scopes_replaced:
        yield f"  {result.scopes_replaced} named no valid scope and came into the default one", "yellow"
    if result.unknown_fields:
        yield f"  {result.unknown_fields} unknown fields were left out", "dim"
    place = "row" if result.format == "json" else "line"
    for failure in result.failures:
        yield f"  {place} {failure.index}: {failure.reason}", "red"
    if result.failures_unlisted:
        yield f"  and {result.failures_unlisted} more", "red"


VIEWS: dict[str, Callable[..., Lines]] = {
    "export": _exported,
    "import": _imported,
}
