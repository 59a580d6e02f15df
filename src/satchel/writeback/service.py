"""Write grades, scopes and trust back into a table of memories that another program owns."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct, field

from satchel.core.run import OperationRun, require_writable
from satchel.core.service import Service
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.record import Memory
from satchel.domain.text import replace_undecodable
from satchel.errors import Conflict, InvalidRequest, Unavailable
from satchel.ports import Progress
from satchel.ports.foreign_table import ForeignRow, ForeignTable
from satchel.writeback.decide import FIELDS, RowChange, decide, is_about, parse_force_fields
from satchel.writeback.links import RowLinks, came_from_table, link_rows
from satchel.writeback.values import (
    DEFAULT_BATCH,
    DEFAULT_LIMIT,
    MAX_BATCH,
    MAX_LIMIT,
    WritebackReport,
)

OPERATION = "writeback-lancedb"
# How many memories are looked up in the table at once.
LOOKUP = 500
# How often a batch is tried when the other program writes to the same rows.
ATTEMPTS = 5
MAX_LISTED = 100


class _Link(Struct, frozen=True):
    """A memory and the id of its row."""

    memory: Memory
    row: str


class _Terms(Struct, frozen=True):
    """What a run may do."""

    fields: tuple[str, ...]
    force: tuple[str, ...]
    limit: int
    batch: int


class _Findings(Struct):
    """What was found in the table, collected while looking."""

    checked: int = 0
    same: int = 0
    skipped: int = 0
    text_differs: int = 0
    missing: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    more: bool = False


class _Written(Struct):
    """What was written, or would be."""

    rows: int = 0
    overwritten: int = 0
    replaced: dict[str, int] = field(default_factory=dict)

    def add(self, changes: Sequence[RowChange]) -> None:
        """Count changes."""
        self.rows += len(changes)
        for one in changes:
            self.overwritten += bool(one.replaced)
            for name in one.replaced:
                self.replaced[name] = self.replaced.get(name, 0) + 1


class Writeback(Service):
    """Fills the governance columns of foreign tables."""

    def lancedb(
        self,
        lancedb: str,
        table: str,
        *,
        limit: int = DEFAULT_LIMIT,
        batch: int = DEFAULT_BATCH,
        dry_run: bool = False,
        force: bool = False,
        force_fields: str | None = None,
        progress: Progress | None = None,
    ) -> Ok[WritebackReport]:
        """Fill the empty fields of rows whose memories are in this store; with `force`, replace values too.

        Writes batch by batch, at most `limit` rows. The next run goes on where this one ended, since rows that are done
        need nothing.
        """
        if not dry_run:
            require_writable(self._parts)
        replaceable = parse_force_fields(force_fields, force)
        asked: dict[str, Json] = {
            "db": self._parts.files.folder,
            "lancedb": replace_undecodable(lancedb),
            "table": replace_undecodable(table),
            "limit": limit,
            "batch": batch,
            "dryRun": dry_run,
            "forceOverwrite": force,
            "forceFields": list(replaceable),
        }
        with self._run(OPERATION, asked) as run:
            check_range(limit, "limit", 1, MAX_LIMIT, f"such as {DEFAULT_LIMIT}")
            check_range(batch, "batch", 1, MAX_BATCH, f"such as {DEFAULT_BATCH}")
            target = self._parts.foreign_table(lancedb, table)
            terms = _Terms(_usable(target, replaceable, force_fields), replaceable, limit, batch)
            found, written = _Findings(), _Written()
            due = self._due(target, terms, found)
            self._write(run, target, terms, due, written, dry_run=dry_run, progress=progress)
            report = _report(lancedb, table, terms, found, written, dry_run=dry_run)
            run.considered = {"fields": list(report.fields), "absentFields": list(report.absent_fields)}
            run.decided = _facts(report)
            run.warn(*_warnings(report))
            if dry_run:
                return run.done(report)
            receipt = run.receipt()
            self._ledger.memories.commit([], receipt)
            return run.committed(report, receipt)

    def _due(self, target: ForeignTable, terms: _Terms, found: _Findings) -> list[_Link]:
        """Return the memories whose rows need something, up to the limit."""
        links, due = link_rows(target.ids()), list[_Link]()
        memories = self._ledger.memories.walk(self._admin_view(None, everywhere=True))
        while len(due) <= terms.limit and (some := list(islice(memories, LOOKUP))):
            for link, row in _looked_up(some, target, links, terms, found):
                if not is_about(row, link.memory):
                    found.text_differs += 1
                    continue
                found.same += 1
                if decide(row, link.memory, terms.force).values:
                    due.append(link)
        found.more = len(due) > terms.limit
        found.skipped = found.same + found.text_differs - len(due)
        return due[: terms.limit]

    def _write(
        self,
        run: OperationRun,
        target: ForeignTable,
        terms: _Terms,
        due: Sequence[_Link],
        written: _Written,
        *,
        dry_run: bool,
        progress: Progress | None,
    ) -> None:
        for start in range(0, len(due), terms.batch):
            changes = _write_batch(target, terms, due[start : start + terms.batch], dry_run=dry_run)
            written.add(list(changes.values()))
            if changes and not dry_run:
                # One receipt per batch: a run that is interrupted has written nothing that no receipt names.
                receipt = self._run(f"{OPERATION} batch", run.asked).receipt(first=start, ids=list(changes))
                self._ledger.memories.commit([], receipt)
            if progress is not None:
                progress(min(start + terms.batch, len(due)), len(due), "writing back")


def _usable(target: ForeignTable, replaceable: Sequence[str], named: str | None) -> tuple[str, ...]:
    """Return the fields that the table has; an error if there are none, or a named one is not among them."""
    fields = target.require(FIELDS)
    absent = [one for one in replaceable if one not in fields] if named is not None else []
    if absent or not fields:
        lacking = f"the column {absent[0]!r}" if absent else f"any of the columns {', '.join(FIELDS)}"
        raise InvalidRequest(
            f"the table does not have {lacking}",
            code="no_such_column",
            hint="columns are never added to a table of another program; add it there, or leave the field out",
        )
    return fields


def _looked_up(
    memories: Sequence[Memory], target: ForeignTable, links: RowLinks, terms: _Terms, found: _Findings
) -> Iterator[tuple[_Link, ForeignRow]]:
    linked = dict[str, _Link]()
    for memory in memories:
        found.checked += 1
        row = links.row_of(memory)
        if row is None:
            (found.lost if came_from_table(memory) else found.missing).append(memory.id)
        elif row in links.ambiguous:
            found.errors.append(row)
        else:
            linked[row] = _Link(memory, row)
    for one in target.rows(list(linked), terms.fields):
        yield linked[one.id], one


def _write_batch(target: ForeignTable, terms: _Terms, links: Sequence[_Link], *, dry_run: bool) -> dict[str, RowChange]:
    """Write one batch, deciding again on the rows as they are at that moment; return the changes by row."""
    by_row = {link.row: link.memory for link in links}
    for _ in range(ATTEMPTS):
        rows = {one.id: one for one in target.rows(list(by_row), terms.fields) if is_about(one, by_row[one.id])}
        decided = {id: decide(row, by_row[id], terms.force) for id, row in rows.items()}
        changes = {id: change for id, change in decided.items() if change.values}
        if dry_run or not changes:
            return changes
        touched = [name for name in terms.fields if any(name in one.values for one in changes.values())]
        after = [ForeignRow(id, rows[id].text, {**rows[id].values, **one.values}) for id, one in changes.items()]
        try:
            target.update(after, touched)
        except Conflict:
            continue
        return changes
    raise Unavailable(
        "another program keeps writing to the same rows of the table",
        code="table_busy",
        hint="run the command again: what was written stays, and the rest follows",
    )


def _report(
    lancedb: str, table: str, terms: _Terms, found: _Findings, written: _Written, *, dry_run: bool
) -> WritebackReport:
    missing = [*found.lost, *found.missing]
    return WritebackReport(
        table=replace_undecodable(table),
        lancedb=replace_undecodable(lancedb),
        dry_run=dry_run,
        fields=terms.fields,
        absent_fields=tuple(one for one in FIELDS if one not in terms.fields),
        force_fields=terms.force,
        checked=found.checked,
        updated=written.rows,
        skipped=found.skipped,
        eligible=round(found.same / found.checked, 4) if found.checked else 0.0,
        overwritten=written.overwritten,
        overwritten_fields=dict(sorted(written.replaced.items())),
        missing=len(missing),
        missing_ids=tuple(missing[:MAX_LISTED]),
        lost=len(found.lost),
        text_differs=found.text_differs,
        errors=len(found.errors),
        error_ids=tuple(found.errors[:MAX_LISTED]),
        more=found.more,
    )


def _facts(report: WritebackReport) -> dict[str, Json]:
    """Return the receipt's facts, by the names that programs which read these receipts know."""
    failed: dict[str, Json] = {"error_count": report.errors, "errorIds": list(report.error_ids)}
    return {
        "ok": not report.errors,
        "checked": report.checked,
        "updated": report.updated,
        "skipped": report.skipped,
        "overwritten": report.overwritten,
        "overwrittenFields": dict(report.overwritten_fields),
        "missing": report.missing,
        "missingIds": list(report.missing_ids),
        "lost": report.lost,
        **(failed if report.errors else {}),
    }


def _warnings(report: WritebackReport) -> Iterator[str]:
    if report.text_differs:
        yield f"text_differs: {report.text_differs} rows have another text than their memory and were left alone"
    if report.errors:
        yield f"duplicate_row_ids: {report.errors} memories have several rows with the same id; none was changed"
    if report.lost:
        yield f"rows_lost: {report.lost} memories came from such a table and have no row in it any more"
