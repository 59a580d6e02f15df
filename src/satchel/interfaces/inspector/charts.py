"""Bars and columns, as numbers that templates draw as SVG."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from msgspec import Struct

PICTURE_WIDTH, PICTURE_HEIGHT = 720, 120


class Bar(Struct, frozen=True):
    """One row of a bar chart."""

    name: str
    value: float
    width: float
    """From 0 to 100, relative to the longest bar."""
    href: str = ""


class Part(Struct, frozen=True):
    """One part of a column."""

    name: str
    value: int
    y: float
    height: float


class Column(Struct, frozen=True):
    """One column of a chart, of parts from bottom to top."""

    name: str
    value: int
    x: float
    width: float
    parts: tuple[Part, ...]


class ColumnChart(Struct, frozen=True):
    """Columns side by side, and the names of their parts for the legend."""

    columns: tuple[Column, ...]
    names: tuple[str, ...]
    highest: int
    width: int = PICTURE_WIDTH
    height: int = PICTURE_HEIGHT


def bars(counts: Mapping[str, float], href: str = "") -> tuple[Bar, ...]:
    """Return one bar per name, longest first. `href` is the address that a name completes."""
    longest = max(counts.values(), default=0)
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return tuple(
        Bar(name, value, 100 * value / longest, f"{href}{quote(name)}" if href else "")
        for name, value in ordered
        if value
    )


def column_chart(counted: Sequence[tuple[str, Mapping[str, int]]], names: Sequence[str]) -> ColumnChart:
    """Return one column per entry, in order; its parts are stacked in the order of the names."""
    highest = max((sum(counts.values()) for _, counts in counted), default=0)
    step = PICTURE_WIDTH / max(len(counted), 1)
    gap = min(2.0, step / 4)
    columns = (
        Column(name, sum(counts.values()), index * step, step - gap, _stacked(counts, names, highest or 1))
        for index, (name, counts) in enumerate(counted)
    )
    used = tuple(name for name in names if any(counts.get(name) for _, counts in counted))
    return ColumnChart(tuple(columns), used, highest)


def _stacked(counts: Mapping[str, int], names: Sequence[str], highest: int) -> tuple[Part, ...]:
    parts, top = [], float(PICTURE_HEIGHT)
    for name in names:
        if value := counts.get(name, 0):
            height = PICTURE_HEIGHT * value / highest
            top -= height
            parts.append(Part(name, value, top, height))
    return tuple(parts)
