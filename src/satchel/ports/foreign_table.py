"""A table of memories that another program owns, whose governance columns can be filled."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

FieldValue = str | float | None
"""A value in a column of governance."""


class ForeignRow(Struct, frozen=True):
    """A row of the table: its text, and the columns of governance that the table has."""

    id: str
    text: str
    values: Mapping[str, FieldValue]


class ForeignTable(Protocol):
    """One table. Columns that are not asked for are neither read nor written."""

    def require(self, fields: Mapping[str, type]) -> tuple[str, ...]:
        """Return which of these fields the table has a column for, in order.

        Raises InvalidRequest if the table has no id or no text, or a column cannot hold the field's type.
        """
        ...

    def ids(self) -> Iterator[str]:
        """Yield the id of every row; an id of several rows as often."""
        ...

    def rows(self, ids: Sequence[str], fields: Sequence[str]) -> list[ForeignRow]:
        """Return the rows with these ids, as they are now."""
        ...

    def update(self, rows: Sequence[ForeignRow], fields: Sequence[str]) -> None:
        """Write the fields of rows, all or none. Raises Conflict if a row has changed since `rows` returned it."""
        ...
