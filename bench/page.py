"""The page of figures: docs/benchmarks.md and its plots, written from the result files and from nothing else.

python -m bench.page
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import plots
from bench.progress import say

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
PLOTS = ROOT / "docs" / "plots"
Result = Mapping[str, Any]

HEAD = """# Benchmarks

Every figure here stands in a file of `bench/results/`, with the command that printed it, the machine and the date;
`python -m bench.page` writes this page from those files, and `make bench` makes the files anew.
[Benchmarking](benchmarking.md) says what each figure means and how to run one yourself. No test asserts a time:
absolute figures on shared machines vary by a factor of two, so read ratios first.
"""


def main() -> None:
    """Write what is stale."""
    for path in stale(write=True):
        say(f"wrote {path}")


def stale(*, write: bool) -> list[str]:
    """Return the files that differ from what the results say; with `write`, they no longer do."""
    wanted = files(results())
    extra = [path for path in PLOTS.glob("*.svg") if path not in wanted] if PLOTS.exists() else []
    changed = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if write:
        for path in extra:
            path.unlink()
        for path in changed:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
    return [str(path.relative_to(ROOT)) for path in (*changed, *extra)]


def results() -> list[Result]:
    """Return every result, in the order of the files' names."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def files(found: Sequence[Result]) -> dict[Path, str]:
    """Return the page and its plots."""
    drawn: dict[str, str] = {}
    sections = [section for make in SECTIONS for section in make(found, drawn)]
    page = "\n".join([HEAD, *sections]).rstrip() + "\n"
    return {PAGE: page} | {PLOTS / f"{name}.svg": svg for name, svg in drawn.items()}


def _of(found: Sequence[Result], benchmark: str) -> list[Result]:
    return [one for one in found if one["benchmark"] == benchmark]


# Retrieval

RETRIEVAL = ("R@1", "R@5", "R@10", "R@20", "any@5", "all@5", "nDCG@10", "MRR")
_PLOTTED = "R@10"


def _retrieval(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    groups: dict[tuple[str, str], list[Result]] = {}
    for one in _of(found, "retrieval"):
        groups.setdefault((one["result"]["set"], one["result"]["level"]), []).append(one)
    if groups:
        yield "## Retrieval: what is found\n"
    for (name, level), several in groups.items():
        yield from _retrieval_set(f"{name}, {level}s", f"retrieval-{name}-{level}", several, drawn)


def _retrieval_set(title: str, plot: str, several: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    several = sorted(several, key=lambda one: -float(one["result"]["overall"]["metrics"][_PLOTTED]))
    first = several[0]["result"]
    yield f"### {title}\n"
    yield (
        f"`{first['file']}`: {first['units']:,} units, {first['questions']} questions, of which "
        f"{first['overall']['n']} make up the whole"
        + (f" ({', '.join(first['apart'])} stand apart)" if first["apart"] else "")
        + f". {_where(several[0])}\n"
    )
    rows = [
        [_way(one["result"]), *_metrics(one["result"]["overall"]), f"{one['result']['ask_ms_p50']:.0f} ms"]
        for one in several
    ]
    yield _table(["way", "n", *RETRIEVAL, "p50"], rows)
    categories = list(first["categories"])
    yield f"By category, {_way(first)}:\n"
    yield _table(["category", "n", *RETRIEVAL], [[name, *_metrics(first["categories"][name])] for name in categories])
    series = {
        _way(one["result"]): [
            one["result"]["categories"].get(name, {"metrics": {}})["metrics"].get(_PLOTTED) for name in categories
        ]
        for one in several
    }
    drawn[plot] = plots.bars(f"{title}: {_PLOTTED} by category", categories, series)
    yield f"![{title}: {_PLOTTED} by category](plots/{plot}.svg)\n"


def _way(result: Result) -> str:
    settings = "".join(f", {key} = {value}" for key, value in result["settings"].items())
    return f"{result['mode']}, {result['through']}{settings}"


def _metrics(figures: Result) -> list[str]:
    percent = [f"{100 * figures['metrics'][name]:.1f}" for name in RETRIEVAL[:-2]]
    return [str(figures["n"]), *percent, *(f"{figures['metrics'][name]:.3f}" for name in RETRIEVAL[-2:])]


# Packs


def _packs(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    several = _of(found, "pack")
    if several:
        yield "## Evidence in the pack\n"
    for one in several:
        result = one["result"]
        yield (
            f"### {result['set']}, {_way(result)}\n\n{_where(one)} Beside the pack: a dump of the best of the same search, and "
            "one of the best of a plain table with full text and vectors.\n"
        )
        budgets = result["budgets"]
        rows = [
            [f"{budget['budget']:,}", name, *_evidence(budget[name])]
            for budget in budgets
            for name in ("pack", "dump", "plain")
        ]
        yield _table(["tokens", "", "n", "any", "all", "share", "mean tokens", "over budget"], rows)
        plot = f"pack-{result['set']}"
        groups = [f"{budget['budget']:,} tokens" for budget in budgets]
        series = {name: [budget[name]["any"] for budget in budgets] for name in ("pack", "dump", "plain")}
        drawn[plot] = plots.bars(f"{result['set']}: questions with evidence in the bundle", groups, series)
        yield f"![Evidence in the bundle by budget](plots/{plot}.svg)\n"


def _evidence(one: Result) -> list[str]:
    shares = [f"{100 * one[name]:.1f}" for name in ("any", "all", "share")]
    return [str(one["n"]), *shares, f"{one['tokens']:.0f}", str(one["over_budget"])]


# Speed


def _speed(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    several = _of(found, "speed")
    if several:
        yield "## Speed, side by side\n"
    for one in several:
        yield from _one_speed(one, drawn)


def _one_speed(one: Result, drawn: dict[str, str]) -> Iterator[str]:
    sizes = one["result"]["sizes"]
    counted = ", ".join(f"{size['memories']:,}" for size in sizes)
    yield f"### {counted} memories\n\n{_where(one)} How many times better Satchel is than each in the median; below 1 it is worse.\n"
    rivals = list(dict.fromkeys(name for size in sizes for c in size["contests"] for name in c["ratios"]))
    yield _table(
        ["memories", "what", *rivals],
        [
            [f"{size['memories']:,}", c["what"], *(_ratio(c["ratios"].get(name)) for name in rivals)]
            for size in sizes
            for c in size["contests"]
            if c["ratios"]
        ],
    )
    yield "The same in absolute figures, p50 / p95 / p99 (runs):\n"
    rows = [
        [f"{size['memories']:,}", c["what"], name, _timing(timing, c["unit"]), c["note"] if name == "Satchel" else ""]
        for size in sizes
        for c in size["contests"]
        for name, timing in {"Satchel": c["satchel"], **c["peers"]}.items()
    ]
    yield _table(["memories", "what", "", "figure", "note"], rows)
    left_out = {f"{name}: {why}" for size in sizes for name, why in size["left_out"].items()}
    if left_out:
        yield f"Not measured: {'; '.join(sorted(left_out))}.\n"
    for what in ("warm recall, hybrid", "durable store"):
        plot = f"speed-{what.replace(', ', '-').replace(' ', '-')}"
        series = _by_size(sizes, what)
        if len(sizes) > 1 and series:
            drawn[plot] = plots.lines(f"{what}, p50", "ms", series)
            yield f"![{what} by size](plots/{plot}.svg)\n"


def _by_size(sizes: Sequence[Result], what: str) -> dict[str, list[tuple[float, float]]]:
    series: dict[str, list[tuple[float, float]]] = {}
    for size in sizes:
        for contest in (one for one in size["contests"] if one["what"] == what):
            for name, timing in {"Satchel": contest["satchel"], **contest["peers"]}.items():
                series.setdefault(name, []).append((float(size["memories"]), float(timing["p50"])))
    return series


def _ratio(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2g}×"


def _timing(timing: Result, unit: str) -> str:
    if timing["runs"] == 1:
        return f"{_number(timing['p50'])} {unit}"
    three = " / ".join(_number(timing[name]) for name in ("p50", "p95", "p99"))
    return f"{three} {unit} ({timing['runs']})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == 0 else f"{value:.3g}"


# Governance and precision


def _governance(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    for one in _of(found, "governance"):
        subjects = one["result"]["subjects"]
        yield f"## Governance: what gets through\n\n{_where(one)} The ideal stands in brackets.\n"
        whats = list(dict.fromkeys(rate["what"] for rates in subjects.values() for rate in rates))
        by_name = {name: {rate["what"]: rate for rate in rates} for name, rates in subjects.items()}
        ideals = {
            rate["what"]: rate["ideal"] for rates in subjects.values() for rate in rates if rate["ideal"] is not None
        }
        heads = [f"{what} ({ideals[what]:.0%})" if what in ideals else what for what in whats]
        rows = [[name, *(_rate(rates.get(what)) for what in whats)] for name, rates in by_name.items()]
        yield _table(["", *heads], rows)


def _rate(rate: Result | None) -> str:
    if rate is None or rate["rate"] is None:
        return "not offered"
    return f"{100 * rate['rate']:.1f} % of {rate['n']}"


def _precision(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    for one in _of(found, "precision"):
        result = one["result"]
        yield f"## PrecisionMemBench: what must and must not come back\n\n{_where(one)}\n"
        rows = [
            [name, str(group["n"]), *(f"{group[key]:.3f}" for key in ("precision", "recall", "exact"))]
            for name, group in result["groups"].items()
        ]
        yield _table(["cases", "n", "mean precision", "mean recall", "exactly right"], rows)


# Routing


def _routing(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    for one in _of(found, "routing"):
        answered, overhead = one["result"]["answered"], one["result"]["overhead"]
        yield f"## Routing: the right question to the right place\n\n{_where(one)}\n"
        yield (
            "Questions with an answer among the first five results, in percent: through the router, and by each native backend "
            "alone, each over what belongs to it. The corpus and its 200 questions are our own (`bench/data/routing_*.txt`), by the "
            "hand that wrote the rules; the semantic ones avoid the words of their answers.\n"
        )
        kinds = list(answered["router"])
        rows = [[name, *(f"{100 * shares[kind]:.1f}" for kind in kinds)] for name, shares in answered.items()]
        yield _table(["answered by", *kinds], rows)
        yield "What the router costs beyond its backends, p50 / p95; a receipt is one durable commit:\n"
        rows = [
            [name, *(f"{parts[key][0]:g} / {parts[key][1]:g} ms" for key in ("elapsed", "processor"))]
            for name, parts in overhead.items()
        ]
        yield _table(["", "by the clock", "of the processor"], rows)


# Figures of earlier states, kept as they were printed


def _earlier(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    several = _of(found, "earlier")
    if several:
        yield "## Figures of an earlier state\n"
        yield "Printed by the commands named, at the date named, and not measured again since.\n"
    for one in several:
        yield f"### {one['title']}\n\n{one['date']}, {one['machine']}.\n"
        yield "\n".join(one["text"]) + "\n"


SECTIONS: tuple[Callable[[Sequence[Result], dict[str, str]], Iterator[str]], ...] = (
    _retrieval,
    _packs,
    _speed,
    _governance,
    _precision,
    _routing,
    _earlier,
)


def _where(one: Result) -> str:
    machine = one["result"]["machine"]
    return (
        f"`{one['command']}`, {machine['date'][:10]}, {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['memory_gb']:g} GB, Python {machine['python']}, load {machine['load']:g}."
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    main()
