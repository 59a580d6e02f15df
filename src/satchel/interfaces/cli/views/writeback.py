"""View of a write-back."""

from satchel.interfaces.cli.views.lines import Lines, Views, count, tally
from satchel.writeback.values import WritebackReport


def _written_back(result: WritebackReport) -> Lines:
    verb = "would be updated" if result.dry_run else "updated"
    rows = count(result.updated, "row")
    yield f"{rows} {verb} in {result.table}; {count(result.checked, 'memory')} checked", "bold green"
    yield f"  {result.skipped:,} needed nothing", "dim"
    if result.overwritten:
        yield f"  values replaced in {count(result.overwritten, 'row')}: {tally(result.overwritten_fields)}", "yellow"
    if result.absent_fields:
        yield f"  the table has no column for {', '.join(result.absent_fields)}", "dim"
    if result.missing:
        yield f"  {count(result.missing, 'memory')} {_verb(result.missing)} no row in the table", "dim"
    if result.lost:
        yield (
            f"  {count(result.lost, 'memory')} that came from such a table {_verb(result.lost)} no row any more",
            "yellow",
        )
    if result.text_differs:
        yield f"  {count(result.text_differs, 'row')} left alone: the text is another one now", "yellow"
    for one in result.error_ids:
        yield f"  several rows have the id {one}: none was changed", "red"
    if result.more:
        yield "  more rows are waiting: run the command again, or raise --limit", ""


def _verb(number: int) -> str:
    return "has" if number == 1 else "have"


VIEWS: Views = {"writeback-lancedb": _written_back}
