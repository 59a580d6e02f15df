"""Recognise rows: an export of Satchel, rows with a text that any other program wrote, or neither."""

from collections.abc import Iterator
from enum import Enum
from itertools import islice

from satchel.domain.imports import Fields, Refusal
from satchel.domain.shorten import shorten
from satchel.errors import SatchelError
from satchel.importing.progress import SAMPLE_CHARS, SAMPLES_PER_RECORD
from satchel.importing.reading import objects
from satchel.ports import ImportSource, SourceForm

# The first rows may be broken.
ROWS_LOOKED_AT = 20
_MARKS = frozenset({"id", "text", "scope", "trust_tier"})
_RECORD = "record"
"""Every row of an export that is not a memory says what it is."""


class RowOrigin(Enum):
    """Where rows seem to come from."""

    OWN = "an export of Satchel"
    OTHER = "rows of another program"
    NONE = "no rows with a text"


def row_origin(source: ImportSource) -> RowOrigin:
    """Return where the rows of a source seem to come from. An empty file is an export of an empty store.

    A pipe can be read only once; what comes through it counts as an export.
    """
    if source.form is SourceForm.STREAM:
        return RowOrigin.OWN
    try:
        first = list(islice(objects(source, source.name), ROWS_LOOKED_AT))
    except SatchelError:
        return RowOrigin.NONE
    rows = [one[1] for one in first if not isinstance(one, Refusal)]
    if not first or any(_is_own(row) for row in rows):
        return RowOrigin.OWN
    return RowOrigin.OTHER if any("text" in row for row in rows) else RowOrigin.NONE


def _is_own(row: Fields) -> bool:
    return row.keys() >= _MARKS or isinstance(row.get(_RECORD), str)


def row_samples(source: ImportSource) -> tuple[str, ...]:
    """Return the beginnings of the first texts."""
    return tuple(shorten(text, SAMPLE_CHARS) for text in islice(_texts(source), SAMPLES_PER_RECORD))


def _texts(source: ImportSource) -> Iterator[str]:
    for one in objects(source, source.name):
        if not isinstance(one, Refusal) and isinstance(text := one[1].get("text"), str):
            yield text
