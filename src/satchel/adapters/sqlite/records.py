"""Reading records from rows. A damaged row is one damaged record: it is left out and reported, and the others are read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import apsw

from satchel.adapters.sqlite.database import Row
from satchel.ports.damage import HASH_MISMATCH, UNREADABLE, DamagedRecord, Problem, report

T = TypeVar("T")


class ReadableColumn(NamedTuple):
    """A column that not every text fits: how it is parsed, raising ValueError, and what replaces a damaged value."""

    parse: Callable[[Any], object]
    fallback: str


class FoundRow(NamedTuple, Generic[T]):
    """A row of a query: the columns before the record, the record, and its damage if there is any."""

    extra: Row
    record: T
    damage: DamagedRecord | None


class RecordFormat(Generic[T]):
    """How the rows of one table become records."""

    def __init__(
        self,
        kind: str,
        columns: Sequence[str],
        selected: str,
        *,
        from_row: Callable[[Row], T],
        is_intact: Callable[[T], bool],
        readable: Mapping[str, ReadableColumn],
    ) -> None:
        """`selected` has the columns as a query names them; they must be the last ones of every query."""
        self._kind = kind
        self._columns = tuple(columns)
        self._selected = selected
        self._as_bytes = ", ".join(
            f"iif(typeof({name}) = 'text', CAST({name} AS BLOB), {name})" for name in selected.split(", ")
        )
        self._from_row = from_row
        self._is_intact = is_intact
        self._readable = readable

    def read(
        self,
        db: apsw.Connection,
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
            except (ValueError, TypeError):
                damaged(self._damage(row, UNREADABLE))
                continue
            if verify and not is_intact(record):
                damaged(self._damage(row, HASH_MISMATCH))
            else:
                yield record
        for row in undecodable:
            damaged(self._damage(row, UNREADABLE))

    def rows(self, db: apsw.Connection, query: str, values: Sequence[Any] = ()) -> Iterator[FoundRow[T]]:
        """Yield every row of a query. Of a damaged record comes what could be read; undecodable ones come last."""
        start, undecodable = -len(self._columns), list[Row]()
        for row in self._decodable(db, query, values, undecodable):
            yield self._found(row[:start], row[start:])
        for row in undecodable:
            yield self._salvaged(row[:start], self._damage(row[start:], UNREADABLE))

    def _decodable(
        self, db: apsw.Connection, query: str, values: Sequence[Any], undecodable: list[Row]
    ) -> Iterator[Row]:
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
            for row in db.execute(query.replace(self._selected, self._as_bytes), values):
                decoded = (*row[: -len(self._columns)], *map(_decoded, row[-len(self._columns) :]))
                if any(isinstance(one, bytes) for one in decoded[-len(self._columns) :]):
                    undecodable.append(decoded)

    def _found(self, extra: Row, columns: Row) -> FoundRow[T]:
        try:
            record = self._from_row(columns)
        except (ValueError, TypeError):
            return self._salvaged(extra, self._damage(columns, UNREADABLE))
        if self._is_intact(record):
            return FoundRow(extra, record, None)
        return FoundRow(extra, record, self._damage(columns, HASH_MISMATCH))

    def _damage(self, columns: Row, problem: Problem) -> DamagedRecord:
        stored = dict(zip(self._columns, columns, strict=True))
        return DamagedRecord(self._kind, _escaped(stored["id"]), _escaped(stored["scope"]), problem, stored)

    def _salvaged(self, extra: Row, damage: DamagedRecord) -> FoundRow[T]:
        """Return what can be read of a record: undecodable bytes are escaped, unknown values replaced."""
        values = {name: _escaped(value) for name, value in damage.columns.items()}
        for name, (parse, fallback) in self._readable.items():
            try:
                parse(values[name])
            except (ValueError, TypeError):
                values[name] = fallback
        return FoundRow(extra, self._from_row(tuple(values.values())), damage)


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


def read_page(form: RecordFormat[T], db: apsw.Connection, query: str, values: Sequence[Any], limit: int) -> list[T]:
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
