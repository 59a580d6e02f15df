"""Compare two receipts value by value."""

from collections.abc import Iterator, Mapping
from typing import Any

from satchel.maintenance.values import ReceiptComparison, ReceiptDifference
from satchel.ports import StoredReceipt

# Receipts may hold thousands of values; a comparison stays readable.
MAX_DIFFERENCES = 500
_ABSENT = object()


def compare_receipts(first: StoredReceipt, second: StoredReceipt) -> ReceiptComparison:
    """Return what differs between the bodies of two receipts, in the order of their paths."""
    found = tuple(_differences(dict(_values(first.body)), dict(_values(second.body))))
    return ReceiptComparison(
        first,
        second,
        first.digest == second.digest,
        found[:MAX_DIFFERENCES],
        max(0, len(found) - MAX_DIFFERENCES),
    )


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[ReceiptDifference]:
    for path in dict.fromkeys((*first, *second)):
        one, other = first.get(path, _ABSENT), second.get(path, _ABSENT)
        if one is _ABSENT:
            yield ReceiptDifference(path, None, other, "second")
        elif other is _ABSENT:
            yield ReceiptDifference(path, one, None, "first")
        # In Python True equals 1 and 1 equals 1.0; in JSON they differ.
        elif one != other or type(one) is not type(other):
            yield ReceiptDifference(path, one, other)


def _values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the plain values of a body, each with its path."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _values(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list | tuple) and value:
        yield from _listed(value, path)
    else:
        yield path, value


def _listed(rows: list[Any] | tuple[Any, ...], path: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of a list: records by their id, with the place in which they stand; others by their place."""
    ids = [row.get("id") if isinstance(row, Mapping) else None for row in rows]
    by_id = all(isinstance(id, str) for id in ids) and len(set(ids)) == len(ids)
    for place, (id, row) in enumerate(zip(ids, rows, strict=True), start=1):
        if by_id:
            yield f"place of {path}[{id}]", place
        yield from _values(row, f"{path}[{id if by_id else place}]")
