"""Statements that a store runs for many rows, as one statement with an array for each column.

A statement for each row costs the server more than the row itself, and the driver as much again.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from satchel.adapters.postgres.arrays import BLOBS, FLOATS, NUMBERS, TEXTS, Array, ArrayType, array_of
from satchel.adapters.postgres.dialect import translate

# Below, nothing is gained.
FEWEST_ROWS = 5

_INSERT = re.compile(r"\s*(INSERT INTO \w+ \([^()]+\)) VALUES \(\?(?:, \?)*\)\s*(.*)", re.DOTALL)
_UPDATE = re.compile(r"\s*UPDATE (\w+) SET (\w+ = \?(?:, \w+ = \?)*) WHERE (\w+ = \?(?: AND \w+ = \?)*)\s*")
_KEY = re.compile(r"ON CONFLICT \(([^()]+)\) DO UPDATE")
# How the values of a Python type are sent, and of its subtypes: an enum, a truth value. Whole numbers among others become
# such numbers.
_ARRAYS: dict[frozenset[type], ArrayType] = {
    frozenset({str}): TEXTS,
    frozenset({int}): NUMBERS,
    frozenset({float}): FLOATS,
    frozenset({int, float}): FLOATS,
    frozenset({bytes}): BLOBS,
}


class BulkStatement(NamedTuple):
    """A statement over arrays: the text with a place for their expressions, and which columns name a row."""

    before: str
    columns: int
    after: str
    key: tuple[int, ...] | None
    """Of several rows with the same values here, only the last one counts; None if every row does."""
    is_update: bool


class BulkCall(NamedTuple):
    """A statement for the driver, with its parameters."""

    text: str
    values: list[Array]


@lru_cache(maxsize=512)
def bulk_statement(sql: str) -> BulkStatement | None:
    """Return a statement for many rows; None if it must be run for each."""
    if (insert := _INSERT.fullmatch(sql)) is not None and "?" not in insert[2]:
        names = [name.strip() for name in insert[1].partition("(")[2].rstrip(")").split(",")]
        found = _KEY.search(insert[2])
        key = tuple(names.index(one.strip()) for one in found[1].split(",")) if found else None
        return BulkStatement(translate(insert[1]).text, len(names), translate(insert[2]).text, key, is_update=False)
    if (update := _UPDATE.fullmatch(sql)) is not None:
        changed, named = update[2].split(", "), update[3].split(" AND ")
        sets = ", ".join(one.replace("?", f"{{{place}}}") for place, one in enumerate(changed))
        where = " AND ".join(
            f"{update[1]}.{one.replace('?', f'{{{place}}}')}" for place, one in enumerate(named, start=len(changed))
        )
        count = len(changed) + len(named)
        return BulkStatement(
            f"UPDATE {update[1]} SET {sets}", count, f"WHERE {where}", tuple(range(len(changed), count)), is_update=True
        )
    return None


def bulk_call(statement: BulkStatement, rows: Sequence[Sequence[Any]]) -> BulkCall | None:
    """Return the call of a statement for some rows; None if a column has values of several types."""
    if statement.key is not None:
        # PostgreSQL refuses to change a row twice in one statement.
        rows = list({tuple(row[place] for place in statement.key): row for row in rows}.values())
    sources, casts, values = list[str](), list[str](), list[Array]()
    for place, column in enumerate(zip(*rows, strict=True)):
        kinds = frozenset(_sent_as(kind) for kind in set(map(type, column)) if kind is not type(None))
        if not kinds:
            sources.append("NULL")
        elif (array := _ARRAYS.get(kinds)) is None:
            return None
        else:
            sources.append(f"given.c{place}")
            casts.append(array.name)
            values.append(array_of(array, column))
    if not values:
        return None
    names = ", ".join(source.removeprefix("given.") for source in sources if source != "NULL")
    given = f"unnest({', '.join(f'%s::{cast}' for cast in casts)}) AS given ({names})"
    if statement.is_update:
        text = f"{statement.before.format(*sources)} FROM {given} {statement.after.format(*sources)}"
    else:
        text = f"{statement.before} SELECT {', '.join(sources)} FROM {given} {statement.after}"
    return BulkCall(text, values)


def _sent_as(kind: type) -> type:
    return next((base for base in (str, int, float, bytes) if issubclass(kind, base)), kind)
