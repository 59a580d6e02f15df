"""Count labels and rates by day, and draw them as SVG."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from satchel.domain.moment import DAY_MS, iso
from satchel.domain.record import Label
from satchel.observations.lifecycle_values import Day
from satchel.ports import DayCount

WIDTH, HEIGHT, MARGIN = 960, 360, 56
COLOURS = {
    Label.MUST_REMEMBER: "#b3261e",
    Label.NICE_TO_HAVE: "#e8a33d",
    Label.IGNORE: "#9aa5b1",
    Label.UNKNOWN: "#d7dce2",
}
ARCHIVED = "#35618e"


def by_day(counts: Sequence[DayCount], last_day: int, days: int) -> tuple[Day, ...]:
    """Return one entry per day up to the last, including empty days."""
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    labels: dict[int, Counter[str]] = defaultdict(Counter)
    for one in counts:
        sums[one.day][one.what] += one.count
        if one.what != "archived":
            labels[one.day][one.label] += one.count
    return tuple(_day(day, sums[day], labels[day]) for day in range(last_day - days + 1, last_day + 1))


def unknown_share(labels: Mapping[str, int]) -> float | None:
    """Return the ungraded share; None if there are no records."""
    total = sum(labels.values())
    return round(labels.get(Label.UNKNOWN, 0) / total, 4) if total else None


def _day(day: int, sums: Mapping[str, int], labels: Mapping[str, int]) -> Day:
    return Day(
        date=iso(day * DAY_MS)[:10],
        captured=sums["captured"],
        stored=sums["stored"],
        archived=sums["archived"],
        labels={label.value: labels[label] for label in Label if labels[label]},
        unknown_share=unknown_share(labels),
    )


def draw_svg(days: Sequence[Day], title: str) -> str:
    """Draw the days as stacked bars of labels with the archived count as a line."""
    return "\n".join(_elements(days, title)) + "\n"


def _elements(days: Sequence[Day], title: str) -> Iterator[str]:
    highest = max([1, *(max(sum(day.labels.values()), day.archived) for day in days)])
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#1f2933">'
    )
    yield f"<title>{escape(title, quote=False)}</title>"
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    yield f'<text x="{MARGIN}" y="24" font-size="15">{escape(title, quote=False)}</text>'
    yield from _axis(highest)
    step = (WIDTH - 2 * MARGIN) / max(1, len(days))
    for place, day in enumerate(days):
        yield from _bar(day, MARGIN + place * step, step, highest)
    yield _line(days, step, highest)
    yield from _dates(days, step)
    yield from _legend()
    yield "</svg>"


def _axis(highest: int) -> Iterator[str]:
    for share in (0.0, 0.5, 1.0):
        y = _height(share * highest, highest)
        yield f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - MARGIN}" y2="{y:.1f}" stroke="#e4e7eb"/>'
        yield f'<text x="{MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{share * highest:g}</text>'


def _bar(day: Day, x: float, step: float, highest: int) -> Iterator[str]:
    below = 0
    for label, colour in COLOURS.items():
        count = day.labels.get(label, 0)
        if count:
            top, bottom = _height(below + count, highest), _height(below, highest)
            yield (
                f'<rect x="{x + step * 0.1:.1f}" y="{top:.1f}" width="{step * 0.8:.1f}" height="{bottom - top:.1f}" '
                f'fill="{colour}"><title>{day.date}: {count} {label}</title></rect>'
            )
        below += count


def _line(days: Sequence[Day], step: float, highest: int) -> str:
    points = " ".join(
        f"{MARGIN + (place + 0.5) * step:.1f},{_height(day.archived, highest):.1f}" for place, day in enumerate(days)
    )
    return f'<polyline points="{points}" fill="none" stroke="{ARCHIVED}" stroke-width="2"/>'


def _dates(days: Sequence[Day], step: float) -> Iterator[str]:
    every = max(1, len(days) // 8)
    for place in range(0, len(days), every):
        x = MARGIN + (place + 0.5) * step
        yield f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{days[place].date[5:]}</text>'


def _legend() -> Iterator[str]:
    x = MARGIN
    for name, colour in [*((label.value, colour) for label, colour in COLOURS.items()), ("archived", ARCHIVED)]:
        yield f'<rect x="{x}" y="{HEIGHT - 24}" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="{HEIGHT - 14}">{name}</text>'
        x += 36 + 8 * len(name)


def _height(value: float, highest: int) -> float:
    return HEIGHT - MARGIN - value / highest * (HEIGHT - 2 * MARGIN)
