"""Plots as SVG, written by hand: bars in groups, and lines over a logarithmic scale. The same figures give the same bytes."""

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 340
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 44, 70
COLOURS = ("#1f6feb", "#bf8700", "#6e7781", "#2da44e", "#8250df", "#cf222e", "#0a7ea4", "#953800")
_HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" '
    f'fill="#57606a"><rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
)
_INNER, _DEEP = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM


def bars(title: str, groups: Sequence[str], series: Mapping[str, Sequence[float | None]], top: float = 1.0) -> str:
    """Return bars in groups, one bar of each series; what was not measured leaves its place empty."""
    parts = [_HEAD, _text(LEFT, 16, title, weight="bold"), _legend(list(series)), _grid(top)]
    step, width = _INNER / len(groups), 0.8 * _INNER / len(groups) / len(series)
    for place, group in enumerate(groups):
        middle = LEFT + (place + 0.5) * step
        parts.append(_slanted(middle, HEIGHT - BOTTOM + 14, group))
        for number, values in enumerate(series.values()):
            value = values[place]
            if value is not None:
                tall = _DEEP * min(value, top) / top
                x = middle - 0.4 * step + number * width
                parts.append(
                    f'<rect x="{x:.1f}" y="{TOP + _DEEP - tall:.1f}" width="{width * 0.92:.1f}" height="{tall:.1f}" '
                    f'fill="{COLOURS[number % len(COLOURS)]}"/>'
                )
    return "".join([*parts, "</svg>\n"])


def lines(title: str, unit: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Return one line for each series of points, both scales logarithmic."""
    points = [point for line in series.values() for point in line]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    low_y, high_y = 10 ** math.floor(math.log10(min(y for _, y in points))), max(y for _, y in points)
    high_y = 10 ** math.ceil(math.log10(max(high_y, low_y * 1.01)))
    parts = [_HEAD, _text(LEFT, 16, title, weight="bold"), _legend(list(series))]
    for power in range(round(math.log10(low_y)), round(math.log10(high_y)) + 1):
        y = _log_y(10.0**power, low_y, high_y)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d0d7de"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{10.0**power:g} {unit}", anchor="end"))
    parts += [
        _text(_log_x(x, low_x, high_x), HEIGHT - BOTTOM + 18, f"{x:,.0f}", anchor="middle")
        for x in sorted({x for x, _ in points})
    ]
    parts.append(_text(LEFT + _INNER / 2, HEIGHT - BOTTOM + 38, "memories", anchor="middle"))
    for number, line in enumerate(series.values()):
        colour = COLOURS[number % len(COLOURS)]
        places = [(_log_x(x, low_x, high_x), _log_y(y, low_y, high_y)) for x, y in line]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
    return "".join([*parts, "</svg>\n"])


def _grid(top: float) -> str:
    marks = []
    for tenth in range(0, 11, 2):
        y = TOP + _DEEP * (1 - tenth / 10)
        marks.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d0d7de"/>')
        marks.append(_text(LEFT - 6, y + 4, f"{top * tenth / 10:g}", anchor="end"))
    return "".join(marks)


def _legend(names: Sequence[str]) -> str:
    parts, x = [], float(LEFT)
    for number, name in enumerate(names):
        parts.append(f'<rect x="{x:.1f}" y="24" width="10" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>')
        parts.append(_text(x + 14, 33, name))
        x += 26 + 6.6 * len(name)
    return "".join(parts)


def _slanted(x: float, y: float, text: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="end" transform="rotate(-20 {x:.1f} {y:.1f})">{escape(text)}</text>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    bold = "" if weight == "normal" else f' font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{bold}>{escape(text)}</text>'


def _log_x(x: float, low: float, high: float) -> float:
    if low == high:
        return LEFT + _INNER / 2
    return LEFT + 20 + (_INNER - 40) * (math.log10(x) - math.log10(low)) / (math.log10(high) - math.log10(low))


def _log_y(y: float, low: float, high: float) -> float:
    return TOP + _DEEP * (1 - (math.log10(y) - math.log10(low)) / (math.log10(high) - math.log10(low)))
