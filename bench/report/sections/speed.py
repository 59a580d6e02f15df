"""Speed and size by number of memories, compared with peers."""

from collections.abc import Iterator, Sequence

from bench.report import plots
from bench.report.markdown import number, of, table, where
from bench.report.results import Result

# Plotted by size, if there are several.
PLOTTED = ("warm recall, hybrid", "durable store")
SATCHEL = "Satchel"


def speed(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield targets first, then ratios, then every figure."""
    # What was measured alone has a section of its own.
    whole = [one for one in of(found, "speed") if measured_alone(one) is None]
    several = sorted(whole, key=lambda one: one["result"]["sizes"][0]["memories"])
    if not several:
        return
    sizes = [size for one in several for size in one["result"]["sizes"]]
    yield "## Speed, side by side\n"
    yield "\n".join(f"* {counted(one)}: {where(one)}" for one in several) + "\n"
    yield from _bars(sizes)
    yield from _ratios(sizes)
    yield from _plots(sizes, drawn)
    yield from _figures(sizes)
    for size in sizes:
        if size["left_out"]:
            why = "; ".join(f"{name}: {why}" for name, why in sorted(size["left_out"].items()))
            yield f"Not measured with {size['memories']:,} memories: {why}.\n"


def measured_alone(one: Result) -> str | None:
    """Return the only measurement of a result; None if it has several."""
    _, *measured = one["command"].split(" --only ")
    return measured[0] if len(measured) == 1 else None


def counted(one: Result) -> str:
    """Return the numbers of memories of a result."""
    return ", ".join(f"{size['memories']:,}" for size in one["result"]["sizes"]) + " memories"


def _bars(sizes: Sequence[Result]) -> Iterator[str]:
    rows = [
        [
            f"{size['memories']:,}",
            one["what"],
            bar["asked"],
            _timing(one["satchel"], one["unit"]),
            "yes" if bar["met"] else "**no**",
        ]
        for size in sizes
        for one in size["contests"]
        for bar in one["bars"]
    ]
    if rows:
        yield "Targets of the design and measured figures, p50 / p95 / p99 (runs):\n"
        yield table(["memories", "what", "target", "figure", "met"], rows)


def _ratios(sizes: Sequence[Result]) -> Iterator[str]:
    peers = list(dict.fromkeys(name for size in sizes for one in size["contests"] for name in one["ratios"]))
    rows = [
        [f"{size['memories']:,}", one["what"], *(_ratio(one["ratios"].get(name)) for name in peers)]
        for size in sizes
        for one in size["contests"]
        if one["ratios"]
    ]
    yield "How many times better Satchel's median is than each peer's; below 1 it is worse:\n"
    yield table(["memories", "what", *peers], rows)


def _plots(sizes: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    for what in PLOTTED:
        series = _by_size(sizes, what)
        if len({size["memories"] for size in sizes}) > 1 and series:
            plot = f"speed-{what.replace(', ', '-').replace(' ', '-')}"
            drawn[plot] = plots.lines(f"{what}: median by size", "ms", series)
            yield f"![{what} by size](plots/{plot}.svg)\n"


def _figures(sizes: Sequence[Result]) -> Iterator[str]:
    """Yield every figure: a row per system, a column per size."""
    yield "Every figure, p50 / p95 / p99 (runs); the note is that of the largest size:\n"
    rows: dict[tuple[str, str], dict[int, str]] = {}
    notes: dict[tuple[str, str], str] = {}
    for size in sizes:
        for one in size["contests"]:
            notes[one["what"], SATCHEL] = one["note"]
            for name, timing in {SATCHEL: one["satchel"], **one["peers"]}.items():
                rows.setdefault((one["what"], name), {})[size["memories"]] = _timing(timing, one["unit"])
    counts = [size["memories"] for size in sizes]
    whats = list(dict.fromkeys(what for what, _ in rows))
    ordered = sorted(rows, key=lambda row: whats.index(row[0]))
    yield table(
        ["what", "", *(f"{count:,}" for count in counts), "note"],
        [[*row, *(rows[row].get(count, "–") for count in counts), notes.get(row, "")] for row in ordered],
    )


def _by_size(sizes: Sequence[Result], what: str) -> dict[str, list[tuple[float, float]]]:
    series: dict[str, list[tuple[float, float]]] = {}
    for size in sizes:
        for one in (one for one in size["contests"] if one["what"] == what):
            for name, timing in {SATCHEL: one["satchel"], **one["peers"]}.items():
                series.setdefault(name, []).append((float(size["memories"]), float(timing["p50"])))
    return series


def _ratio(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2g}×"


def _timing(timing: Result, unit: str) -> str:
    if timing["runs"] == 1:
        return f"{number(timing['p50'])} {unit}"
    three = " / ".join(number(timing[name]) for name in ("p50", "p95", "p99"))
    return f"{three} {unit} ({timing['runs']})"
