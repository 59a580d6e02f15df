"""Evidence in packs, compared with plain dumps."""

from collections.abc import Iterator, Sequence

from bench.report import plots
from bench.report.markdown import of, percent, table, where
from bench.report.results import Result
from bench.report.sections.retrieval import name_of, way

BUNDLES = {
    "pack": "pack",
    "dump": "dump of the same search",
    "words": "dump of plain full text",
    "plain": "dump of full text and vectors",
}


def packs(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield the evidence in packs and in dumps of the same size."""
    several = of(found, "pack")
    if several:
        yield "## Evidence in the pack\n"
    for one in several:
        result, name = one["result"], name_of(one["result"]["set"])
        yield (
            f"### {name}, {way(result)}\n\n{where(one)} Compared with the pack: dumps of the best of the same "
            "search, of plain full text, and of a plain table with full text and vectors.\n"
        )
        budgets = result["budgets"]
        rows = [
            [f"{budget['budget']:,}", name, *_evidence(budget[key])]
            for budget in budgets
            for key, name in BUNDLES.items()
        ]
        yield table(
            [
                "tokens",
                "",
                "n",
                "any",
                "all",
                "share",
                "mean tokens",
                "over budget",
                "answered",
                "answer words",
                "all answer words",
            ],
            rows,
        )
        plot = f"pack-{result['set']}"
        groups = [f"{budget['budget']:,} tokens" for budget in budgets]
        series = {name: [budget[key]["any"] for budget in budgets] for key, name in BUNDLES.items()}
        title = f"{name}: questions with evidence in the bundle, by budget"
        drawn[plot] = plots.bars(title, groups, series)
        yield f"![{title}](plots/{plot}.svg)\n"


def _evidence(one: Result) -> list[str]:
    shares = [percent(one[name]) for name in ("any", "all", "share")]
    words = [percent(one[name]) if one["answered"] else "–" for name in ("words", "all_words")]
    return [str(one["n"]), *shares, f"{one['tokens']:.0f}", str(one["over_budget"]), str(one["answered"]), *words]
