"""Plots as hand-written SVG: the same figures give the same bytes. Light or dark as the reader prefers."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

WIDTH, DEEP = 760, 230
LEFT, RIGHT, TITLE, LEGEND_LINE, AXIS = 62, 18, 26, 18, 20
COLOURS = ("#3b82f6", "#d97706", "#7d8590", "#2da44e", "#a371f7", "#e5534b", "#1b9aaa", "#b35900")
_INNER = WIDTH - LEFT - RIGHT
# Of twelve points, in most fonts; only for laying out, so a little too much does no harm.
_LETTER, _SMALL_LETTER = 6.7, 5.9
_STYLE = (
    "<style>text{fill:#3d444d}.back{fill:#ffffff}.grid{stroke:#d8dee4;fill:none}.zero{stroke:#8c959f;fill:none}"
    "@media(prefers-color-scheme:dark){text{fill:#c9d1d9}.back{fill:#0d1117}.grid{stroke:#30363d}.zero{stroke:#8b949e}}</style>"
)

Points = Sequence[tuple[float, float]]


def bars(title: str, groups: Sequence[str], series: Mapping[str, Sequence[float | None]]) -> str:
    """Return shares as grouped bars, one bar per series; a missing value leaves a gap."""
    labels = [_broken(group, _INNER / len(groups)) for group in groups]
    legend, top = _legend(list(series), WIDTH)
    bottom = top + DEEP
    parts = [legend, *_percents(top)]
    step = _INNER / len(groups)
    width = min(0.84 * step / len(series), 46.0)
    for place, lines in enumerate(labels):
        middle = LEFT + (place + 0.5) * step
        parts += [_text(middle, bottom + 16 + 13 * row, line, "middle", 10.5) for row, line in enumerate(lines)]
        for number, values in enumerate(series.values()):
            value, x = values[place], middle + (number - len(series) / 2) * width
            if value is not None:
                parts.append(_rect(x, bottom - DEEP * value, width * 0.92, DEEP * value, number))
                parts.append(_text(x + width * 0.46, bottom - DEEP * value - 3, f"{100 * value:.0f}", "middle", 9))
    return _drawn(title, bottom + 22 + 13 * max(map(len, labels)), parts)


def lines(title: str, unit: str, series: Mapping[str, Points]) -> str:
    """Return one line for each series of points, both scales logarithmic."""
    points = [point for line in series.values() for point in line]
    legend, top = _legend(list(series), WIDTH)
    bottom = top + DEEP
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    marks = _marks(min(y for _, y in points), max(y for _, y in points))
    low, high = math.log10(marks[0]), math.log10(marks[-1])

    def across(x: float) -> float:
        share = 0.5 if low_x == high_x else math.log10(x / low_x) / math.log10(high_x / low_x)
        return LEFT + 24 + (_INNER - 48) * share

    def up(y: float) -> float:
        return bottom - DEEP * (math.log10(y) - low) / (high - low)

    parts = [legend]
    for mark in marks:
        parts += [_rule(up(mark)), _text(LEFT - 6, up(mark) + 4, f"{mark:g} {unit}", "end", 11)]
    parts += [_text(across(x), bottom + 18, f"{x:,.0f}", "middle", 11) for x in sorted({x for x, _ in points})]
    parts.append(_text(LEFT + _INNER / 2, bottom + 36, "memories", "middle", 11))
    for number, line in enumerate(series.values()):
        places = [(across(x), up(y)) for x, y in line]
        parts.append(_line(places, number))
        parts += [_dot(x, y, 3.5, number) for x, y in places]
    return _drawn(title, bottom + 46, parts)


def differences(title: str, rows: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Return gains and losses in points as bars to the right and left of zero."""
    name_width = max(len(row) for row in rows) * _LETTER + 12
    legend, top = _legend(list(series), WIDTH)
    thick, gap = 9.0, 9.0
    deep = len(rows) * (thick * len(series) + gap)
    values = [value for several in series.values() for value in several]
    low, high = min(0.0, *values), max(0.0, *values)
    # Room for the figures at both ends.
    scale = (WIDTH - RIGHT - name_width - 84) / max(high - low, 1e-9)
    zero = name_width + 42 - low * scale
    parts = [legend, f'<path class="zero" d="M{zero:.1f} {top:.1f}V{top + deep:.1f}"/>']
    for place, row in enumerate(rows):
        y = top + gap / 2 + place * (thick * len(series) + gap)
        parts.append(_text(name_width - 6, y + thick * len(series) / 2 + 4, row, "end"))
        for number, several in enumerate(series.values()):
            value = several[place]
            x, width = zero + min(0.0, value) * scale, abs(value) * scale
            parts.append(_rect(x, y + number * thick, width, thick - 1.5, number))
            place_x, anchor = (x - 4, "end") if value < 0 else (x + width + 4, "start")
            parts.append(
                _text(place_x, y + number * thick + 7.5, f"{value:+.1f}" if round(value, 1) else "0", anchor, 9)
            )
    return _drawn(title, top + deep + 12, parts)


def calibration(title: str, series: Mapping[str, Sequence[tuple[float, float, int]]]) -> str:
    """Return observed over predicted shares, from 0 to 1; the size of a point grows with its count."""
    legend, top = _legend(list(series), WIDTH)
    deep = 300.0
    parts = [legend, f'<path class="zero" d="M{LEFT} {top + deep:.1f}L{LEFT + _INNER} {top:.1f}"/>']
    for fifth in range(6):
        y, x = top + deep * (1 - fifth / 5), LEFT + _INNER * fifth / 5
        parts += [_rule(y), _text(LEFT - 6, y + 4, f"{20 * fifth} %", "end", 11)]
        parts.append(_text(x, top + deep + 18, f"{fifth / 5:g}", "middle" if fifth < 5 else "end", 11))
    parts.append(
        _text(
            LEFT + _INNER / 2,
            top + deep + 36,
            "relevance (horizontal) and share of such answers that were right (vertical)",
            "middle",
            11,
        )
    )
    for number, points in enumerate(series.values()):
        places = [
            (LEFT + _INNER * predicted, top + deep * (1 - observed), count) for predicted, observed, count in points
        ]
        parts.append(_line([(x, y) for x, y, _ in places], number))
        parts += [_dot(x, y, min(9.0, 2 + count**0.5 / 4), number) for x, y, count in places]
    return _drawn(title, top + deep + 46, parts)


def _drawn(title: str, height: float, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'font-family="Helvetica,Arial,DejaVu Sans,sans-serif" font-size="12" role="img" aria-label="{escape(title, {chr(34): "&quot;"})}">'
        f'{_STYLE}<rect class="back" width="{WIDTH}" height="{height:.0f}"/>'
    )
    bold = f'<text x="14" y="19" font-weight="bold" font-size="13">{escape(title)}</text>'
    return "".join([head, bold, *parts, "</svg>\n"])


def _legend(names: Sequence[str], width: int) -> tuple[str, float]:
    """Return the legend, wrapped into lines, and the y coordinate below it."""
    parts, x, line = list[str](), 14.0, 0
    for number, name in enumerate(names):
        taken = 28 + _LETTER * len(name)
        if x > 14 and x + taken > width - RIGHT:
            x, line = 14.0, line + 1
        y = TITLE + 8 + line * LEGEND_LINE
        parts.append(_rect(x, y, 10, 10, number) + _text(x + 15, y + 9, name))
        x += taken
    return "".join(parts), TITLE + (line + 1) * LEGEND_LINE + AXIS


def _broken(label: str, width: float) -> list[str]:
    """Return a label wrapped at words to a width."""
    whole = label.replace("_", " ")
    if len(whole) * _SMALL_LETTER <= width:
        return [whole]
    return [part for part in re.split(r"[ -]+", whole) if part] or [label]


def _percents(top: float) -> Iterator[str]:
    for fifth in range(6):
        y = top + DEEP * (1 - fifth / 5)
        yield _rule(y) + _text(LEFT - 6, y + 4, f"{20 * fifth} %", "end", 11)


def _marks(least: float, most: float) -> list[float]:
    """Return the marks of a logarithmic scale around some figures: 1, 3, 10, 30 …"""
    powers = range(math.floor(math.log10(least)) - 1, math.ceil(math.log10(most)) + 2)
    steps = [10.0**power * factor for power in powers for factor in (1, 3)]
    first = max(place for place, step in enumerate(steps) if step <= least)
    last = min(place for place, step in enumerate(steps) if step >= most)
    return steps[first : max(last, first + 1) + 1]


def _rule(y: float) -> str:
    return f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'


def _rect(x: float, y: float, width: float, height: float, number: int) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{_colour(number)}"/>'


def _line(places: Points, number: int) -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{joined}" fill="none" stroke="{_colour(number)}" stroke-width="2"/>'


def _dot(x: float, y: float, radius: float, number: int) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{_colour(number)}"/>'


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _text(x: float, y: float, text: str, anchor: str = "start", size: float = 12) -> str:
    sized = "" if size == 12 else f' font-size="{size:g}"'
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{anchored}{sized}>{escape(text)}</text>'
