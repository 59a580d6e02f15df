"""Rows of another program's database as objects, whatever columns its version has."""

from collections.abc import Iterator, Sequence
from typing import Any

from satchel.domain.imports import Fields
from satchel.domain.strict_json import parse_json
from satchel.errors import InvalidRequest, SatchelError
from satchel.importing.reading import mapping
from satchel.ports import ImportSource, SourceForm


def has_table(source: ImportSource, table: str, *columns: str) -> bool:
    """Return whether a source is a database that has a table with these columns."""
    if source.form is not SourceForm.DATABASE:
        return False
    try:
        return set(columns) <= source.tables().get(table, frozenset())
    except SatchelError:
        return False


def table_objects(
    source: ImportSource, table: str, columns: Sequence[str], order: Sequence[str]
) -> Iterator[tuple[str, Fields]]:
    """Yield the rows of a table with those of the columns that it has."""
    there = source.tables().get(table)
    if there is None:
        raise InvalidRequest(f"{source.name[:80]!r} has no table {table}", code="missing_table")
    present = [name for name in columns if name in there]
    for number, row in enumerate(source.rows(table, present, [name for name in order if name in there]), 1):
        yield f"{table} row {number}", dict(zip(present, row, strict=True))


def packed(fields: Fields, name: str) -> Any:
    """Return the value of a column that holds JSON; None if it holds none."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return parse_json(value, name, padded=True, bounded_integers=True)
    except InvalidRequest:
        return None


def packed_object(fields: Fields, name: str) -> Fields:
    """Return the object of a column that holds JSON; empty if it holds none."""
    return mapping(packed(fields, name))
