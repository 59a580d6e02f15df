"""Retrieval on public datasets: in full, without each ingredient, and through memories."""

from collections.abc import Iterator, Sequence

from bench.report import plots
from bench.report.markdown import of, percent, table, where
from bench.report.results import Result

METRICS = ("R@1", "R@5", "R@10", "R@20", "any@5", "all@5", "nDCG@10", "MRR")
PLOTTED = "R@10"
MODES = ("hybrid", "lexical", "vector")
NOTHING = "nothing"
NAMES = {"locomo": "LoCoMo", "longmemeval": "LongMemEval", "beam": "BEAM", "cosqa": "CoSQA", "chats": "Our own chats"}


def sets(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield the figures of each dataset, by mode and category."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for one in (*of(found, "retrieval"), *of(found, "chats")):
        groups.setdefault((one["result"]["set"], one["result"]["level"]), []).append(one)
    if groups:
        yield "## Retrieval\n"
    for (name, level), several in groups.items():
        yield from _one_set(f"{name_of(name)}, {_units(name, level)}", f"retrieval-{name}-{level}", several, drawn)


def _one_set(title: str, plot: str, several: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    several = sorted(several, key=lambda one: -float(one["result"]["overall"]["metrics"][PLOTTED]))
    first = several[0]["result"]
    apart = f" ({', '.join(first['apart'])} are left out)" if first["apart"] else ""
    yield f"### {title}\n"
    yield (
        f"`{first['file']}`: {first['units']:,} units, {first['questions']} questions, of which "
        f"{first['overall']['n']} are in the overall figures{apart}. {where(several[0])}\n"
    )
    yield table(
        ["way", "n", *METRICS, "p50"],
        [
            [way(one["result"]), *metrics(one["result"]["overall"]), f"{one['result']['ask_ms_p50']:.0f} ms"]
            for one in several
        ],
    )
    categories = list(first["categories"])
    if len(categories) > 1:
        yield f"By category, {way(first)}:\n"
        yield table(["category", "n", *METRICS], [[name, *metrics(first["categories"][name])] for name in categories])
        yield f"{PLOTTED} of every way:\n"
        rows = [
            [name, *(percent(_plotted(one["result"]["categories"].get(name))) for one in several)]
            for name in categories
        ]
        yield table(["category", *(way(one["result"]) for one in several)], rows)
    # Always in the same order, so that a mode has the same colour in every plot.
    series = {
        way(one["result"]): [_plotted(one["result"]["categories"].get(name)) for name in categories]
        for one in sorted(several, key=lambda one: MODES.index(one["result"]["mode"]))
    }
    drawn[plot] = plots.bars(f"{title}: {PLOTTED} by category", categories, series)
    yield f"![{title}: {PLOTTED} by category](plots/{plot}.svg)\n"


def ablation(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield R@10 without each ingredient."""
    for one in of(found, "ablation"):
        by_set = one["result"]["sets"]
        yield f"## Ablation of the episode search\n\n{where(one)}\n"
        yield (
            f"{PLOTTED} in hybrid mode, leaving out one ingredient at a time. Under 3 points on LoCoMo, and under 7 to 10 on the "
            "others, is noise; the constants were chosen on these datasets.\n"
        )
        left_out = list(next(iter(by_set.values())))
        rows = [
            [name, *(percent(_plotted(several[name]["overall"])) for several in by_set.values())] for name in left_out
        ]
        yield table(["left out", *map(name_of, by_set)], rows)
        series = {
            name_of(name): [
                100 * (_figure(several[row]) - _figure(several[NOTHING])) for row in left_out if row != NOTHING
            ]
            for name, several in by_set.items()
        }
        title = f"{PLOTTED} without it, in points"
        drawn["ablation"] = plots.differences(title, [row for row in left_out if row != NOTHING], series)
        yield f"![{title}](plots/ablation.svg)\n"
        for name, several in by_set.items():
            categories = list(several[NOTHING]["categories"])
            yield f"{name_of(name)} by category:\n"
            yield table(
                ["left out", *categories],
                [
                    [row, *(percent(_plotted(several[row]["categories"][one])) for one in categories)]
                    for row in left_out
                ],
            )


def memories(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield the figures with every unit stored as a memory with its session."""
    several = of(found, "memories")
    if not several:
        return
    yield f"## Retrieval through memories\n\n{where(several[0])}\n"
    yield (
        "The same units as memories, with their sessions and without dates: words and meaning fused by score, the default, and "
        "by rank (`recall.fusion = rrf`).\n"
    )
    rows = [
        [name_of(one["result"]["set"]), _fusion(one["result"]), *metrics(one["result"]["overall"])]
        for one in sorted(several, key=lambda one: (list(NAMES).index(one["result"]["set"]), _fusion(one["result"])))
    ]
    yield table(["set", "fused by", "n", *METRICS], rows)


def name_of(set: str) -> str:
    """Return the printed name of a dataset."""
    return NAMES.get(set, set)


def way(result: Result) -> str:
    """Return mode, operations and settings of a result."""
    settings = "".join(f", {key} = {value}" for key, value in result["settings"].items())
    return f"{result['mode']}, {result['through']}{settings}"


def metrics(figures: Result) -> list[str]:
    """Return n and every metric: shares in percent, the last two as fractions."""
    shares = [percent(figures["metrics"][name]) for name in METRICS[:-2]]
    return [str(figures["n"]), *shares, *(f"{figures['metrics'][name]:.3f}" for name in METRICS[-2:])]


def _units(name: str, level: str) -> str:
    return "functions" if name == "cosqa" else f"{level}s"


def _fusion(result: Result) -> str:
    return "rank" if result["settings"].get("recall.fusion") == "rrf" else "score"


def _plotted(figures: Result | None) -> float | None:
    return None if figures is None else figures["metrics"][PLOTTED]


def _figure(told: Result) -> float:
    return float(told["overall"]["metrics"][PLOTTED])
