"""Reading records from rows. A damaged row is one damaged record: it is left out and reported, and the others are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from satchel.adapters.sql.engine import Connection, Row
from satchel.ports.damage import HASH_MISMATCH, UNREADABLE, DamagedRecord, Problem, report

T = TypeVar("T")
# A value that is none of those allowed, or of another type: NULL has no text to hash.
_MISFITS = (ValueError, TypeError, AttributeError)
_NOTHING: Mapping[str, ReadableColumn] = MappingProxyType({})


class ReadableColumn(NamedTuple):
    """A column that not every text fits: how it is parsed, raising ValueError, and what replaces a damaged value."""

    parse: Callable[[Any], object]
    fallback: str


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


READABLE_TEXT = ReadableColumn(_text, "")
"""A text of which nothing is left if a flipped byte makes it NULL or a number."""


class FoundRow(NamedTuple, Generic[T]):
    """A row of a query: the columns before the record, the record, and its damage if there is any."""

    extra: Row
    record: T
    damage: DamagedRecord | None


def _always(record: object) -> bool:
    return True


class RecordFormat(Generic[T]):
    """How the rows of one table become records."""

    def __init__(
        self,
        kind: str,
        columns: Mapping[str, str],
        *,
        from_row: Callable[[Row], T],
        is_intact: Callable[[T], bool] = _always,
        readable: Mapping[str, ReadableColumn] = _NOTHING,
    ) -> None:
        """`columns` has each column with its SQL, `id` and `scope` among them: what a report names.

        A query must select them last, as `selected` has them. A table without a hash gives no `is_intact`.
        """
        self._kind = kind
        self.stored = {name: sql[2:] for name, sql in columns.items() if sql.startswith("m.")}
        """The columns of the table, by the names of the record; the others are derived."""
        self._columns = tuple(columns)
        self.selected = ", ".join(columns.values())
        self._as_bytes = ", ".join(
            f"iif(typeof({sql}) = 'text', CAST({sql} AS BLOB), {sql})" for sql in columns.values()
        )
        self._from_row = from_row
        self._is_intact = is_intact
        self._readable = readable

    def read(
        self,
        db: Connection,
        query: str,
        values: Sequence[Any] = (),
        *,
        verify: bool = True,
        damaged: Callable[[DamagedRecord], None] = report,
    ) -> Iterator[T]:
        """Yield the intact records of a query, and report the damaged ones. Without `verify`, no hash is computed."""
        # On the path of every recall, so it is kept fast.
        from_row, is_intact, undecodable = self._from_row, self._is_intact, list[Row]()
        for row in self._decodable(db, query, values, undecodable):
            try:
                record = from_row(row)
                is_whole = not verify or is_intact(record)
            except _MISFITS:
                damaged(self._damage(row, UNREADABLE))
                continue
            if is_whole:
                yield record
            else:
                damaged(self._damage(row, HASH_MISMATCH))
        for row in undecodable:
            damaged(self._damage(row, UNREADABLE))

    def rows(
        self, db: Connection, query: str, values: Sequence[Any] = (), *, verify: bool = True
    ) -> Iterator[FoundRow[T]]:
        """Yield every row of a query. Of a damaged record comes what could be read; undecodable ones come last.

        Without `verify`, no hash is computed.
        """
        start, undecodable = -len(self._columns), list[Row]()
        for row in self._decodable(db, query, values, undecodable):
            yield self._found(row[:start], row[start:], verify)
        for row in undecodable:
            yield self._salvaged(row[:start], self._damage(row[start:], UNREADABLE))

    def _decodable(self, db: Connection, query: str, values: Sequence[Any], undecodable: list[Row]) -> Iterator[Row]:
        """Yield the rows that are valid UTF-8, then put the others into a list, with bytes for their undecodable texts."""
        rows, is_complete = db.execute(query, values), True
        while True:
            try:
                yield from rows
                break
            except UnicodeDecodeError:
                # apsw has dropped this row and goes on with the next one.
                is_complete = False
        if not is_complete:
            for row in db.execute(query.replace(self.selected, self._as_bytes), values):
                decoded = (*row[: -len(self._columns)], *map(_decoded, row[-len(self._columns) :]))
                if any(isinstance(one, bytes) for one in decoded[-len(self._columns) :]):
                    undecodable.append(decoded)

    def damaged(self, db: Connection, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Row, DamagedRecord]]:
        """Yield the damaged rows of a query, with the columns before the record."""
        start, undecodable = -len(self._columns), list[Row]()
        for row in self._decodable(db, query, values, undecodable):
            if (problem := self._problem(row[start:])) is not None:
                yield row[:start], self._damage(row[start:], problem)
        for row in undecodable:
            yield row[:start], self._damage(row[start:], UNREADABLE)

    def _problem(self, columns: Row) -> Problem | None:
        try:
            return None if self._is_intact(self._from_row(columns)) else HASH_MISMATCH
        except _MISFITS:
            return UNREADABLE

    def _found(self, extra: Row, columns: Row, verify: bool) -> FoundRow[T]:
        try:
            record = self._from_row(columns)
            is_whole = not verify or self._is_intact(record)
        except _MISFITS:
            return self._salvaged(extra, self._damage(columns, UNREADABLE))
        if is_whole:
            return FoundRow(extra, record, None)
        return self._salvaged(extra, self._damage(columns, HASH_MISMATCH))

    def _damage(self, columns: Row, problem: Problem) -> DamagedRecord:
        stored = dict(zip(self._columns, columns, strict=True))
        id, scope = (str(_escaped(stored[name])) for name in ("id", "scope"))
        return DamagedRecord(self._kind, id, scope, problem, stored)

    def _salvaged(self, extra: Row, damage: DamagedRecord) -> FoundRow[T]:
        return FoundRow(extra, self._from_row(tuple(self.salvaged_values(damage).values())), damage)

    def salvaged_values(self, damage: DamagedRecord) -> dict[str, Any]:
        """Return what can be read of a record's columns: undecodable bytes are escaped, unknown values replaced."""
        values = {name: _escaped(value) for name, value in damage.columns.items()}
        for name, (parse, fallback) in self._readable.items():
            try:
                parse(values[name])
            except (ValueError, TypeError):
                values[name] = fallback
        return values


def decodable_rows(db: Connection, query: str, values: Sequence[Any] = (), *, kind: str | None = None) -> Iterator[Row]:
    """Yield the rows of a query without the undecodable ones: for names of records that are reported elsewhere.

    With a `kind`, a record of that kind is reported for each of them, under the only name that is left.
    """
    rows = db.execute(query, values)
    while True:
        try:
            yield from rows
            return
        except UnicodeDecodeError:
            # apsw has dropped this row and goes on with the next one.
            if kind is not None:
                report(DamagedRecord(kind, f"a {kind} with an unreadable id", "", UNREADABLE))


def sums_by(groups: Iterable[Row], column: int) -> dict[str, int]:
    """Sum the counts in the last column of grouped rows by another column; NULL counts as unknown."""
    sums = Counter[str]()
    for row in groups:
        sums["unknown" if row[column] is None else str(row[column])] += row[-1]
    return dict(sorted(sums.items()))


def unreported(record: DamagedRecord) -> None:
    """Leave a damaged record out without a report."""


def _decoded(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _escaped(value: Any) -> Any:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def read_page(form: RecordFormat[T], db: Connection, query: str, values: Sequence[Any], limit: int) -> list[T]:
    """Return `limit` intact records of a query that ends with a limit, or fewer only if there are no more."""
    asked = limit
    while True:
        damaged: list[DamagedRecord] = []
        found = list(form.read(db, query, [*values, asked], damaged=damaged.append))
        if len(found) >= limit or len(found) + len(damaged) < asked:
            break
        asked = limit + len(damaged)
    for one in damaged:
        report(one)
    return found[:limit]
