"""Reading records from rows. A damaged row is one damaged record: it is left out and reported, and the others are read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

    def read(self, db: apsw.Connection, query: str, values: Sequence[Any] = ()) -> Iterator[T]:
        """Yield the intact records of a query, and report the damaged ones."""
        for _, record, damage in self.rows(db, query, values):
            if damage is None:
                yield record
            else:
                report(damage)

    def rows(self, db: apsw.Connection, query: str, values: Sequence[Any] = ()) -> Iterator[FoundRow[T]]:
        """Yield every row of a query. Of a damaged record comes what could be read; undecodable ones come last."""
        before = -len(self._columns)
        rows, undecodable = db.execute(query, values), False
        while True:
            try:
                for row in rows:
                    yield self._found(row[:before], row[before:])
                break
            except UnicodeDecodeError:
                # apsw has dropped this row and goes on with the next one.
                undecodable = True
        if undecodable:
            yield from self._undecodable(db.execute(query.replace(self._selected, self._as_bytes), values))

    def _found(self, extra: Row, columns: Row) -> FoundRow[T]:
        # On the path of every recall, so it is kept fast.
        try:
            record = self._from_row(columns)
        except (ValueError, TypeError):
            return self._damaged(extra, columns, UNREADABLE)
        if self._is_intact(record):
            return FoundRow(extra, record, None)
        return self._damaged(extra, columns, HASH_MISMATCH)

    def _undecodable(self, rows: Iterable[Row]) -> Iterator[FoundRow[T]]:
        before = -len(self._columns)
        for row in rows:
            columns = tuple(map(_decoded, row[before:]))
            if any(isinstance(one, bytes) for one in columns):
                yield self._damaged(row[:before], columns, UNREADABLE)

    def _damaged(self, extra: Row, columns: Row, problem: Problem) -> FoundRow[T]:
        stored = dict(zip(self._columns, columns, strict=True))
        record = self._salvage(stored)
        id, scope = _escaped(stored["id"]), _escaped(stored["scope"])
        return FoundRow(extra, record, DamagedRecord(self._kind, id, scope, problem, stored))

    def _salvage(self, stored: Mapping[str, Any]) -> T:
        """Return what can be read of a record: undecodable bytes are escaped, unknown values replaced."""
        values = {name: _escaped(value) for name, value in stored.items()}
        for name, (parse, fallback) in self._readable.items():
            try:
                parse(values[name])
            except (ValueError, TypeError):
                values[name] = fallback
        return self._from_row(tuple(values.values()))


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
        rows = [*form.rows(db, query, [*values, asked])]
        damaged = [one.damage for one in rows if one.damage is not None]
        if len(rows) < asked or len(rows) - len(damaged) >= limit:
            break
        asked = limit + len(damaged)
    for damage in damaged:
        report(damage)
    return [one.record for one in rows if one.damage is None][:limit]
