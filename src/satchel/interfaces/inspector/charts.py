"""Bars and curves, as numbers that templates draw as SVG."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

CURVE_WIDTH, CURVE_HEIGHT = 720, 120


class Bar(Struct, frozen=True):
    """One row of a bar chart."""

    name: str
    value: float
    width: float
    """From 0 to 100, relative to the longest bar."""
    share: float
    """Of the sum of all bars, from 0 to 1."""
    href: str = ""


class Column(Struct, frozen=True):
    """One column of a chart over days."""

    name: str
    value: int
    x: float
    y: float
    width: float
    height: float


def bars(counts: Mapping[str, float], href: str = "") -> tuple[Bar, ...]:
    """Return one bar per name, longest first. `href` is the address that a name completes."""
    longest, total = max(counts.values(), default=0), sum(counts.values())
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return tuple(
        Bar(name, value, 100 * value / longest, value / total, f"{href}{name}" if href else "")
        for name, value in ordered
        if value
    )


def columns(days: Iterable[tuple[str, int]]) -> tuple[Column, ...]:
    """Return one column per day, in order, in a picture of CURVE_WIDTH by CURVE_HEIGHT."""
    counted: Sequence[tuple[str, int]] = tuple(days)
    highest = max((value for _, value in counted), default=0) or 1
    step = CURVE_WIDTH / max(len(counted), 1)
    gap = min(2.0, step / 4)
    return tuple(
        Column(name, value, index * step, CURVE_HEIGHT - height, step - gap, height)
        for index, (name, value) in enumerate(counted)
        for height in (CURVE_HEIGHT * value / highest,)
    )
