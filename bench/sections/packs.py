"""How much of what answers a question is in a bundle of so many tokens."""

from collections.abc import Iterator, Sequence

from bench import plots
from bench.results import Result
from bench.sections.retrieval import name_of, way
from bench.sections.telling import of, percent, table, where

BUNDLES = {
    "pack": "pack",
    "dump": "dump of the same search",
    "words": "dump of a plain full text",
    "plain": "dump of full text and vectors",
}


def packs(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Tell what is in the bundles, beside dumps of the same size."""
    several = of(found, "pack")
    if several:
        yield "## Evidence in the pack\n"
    for one in several:
        result, name = one["result"], name_of(one["result"]["set"])
        yield (
            f"### {name}, {way(result)}\n\n{where(one)} Beside the pack: a dump of the best of the same search, one of "
            "the best of a plain full text, and one of a plain table with full text and vectors.\n"
        )
        budgets = result["budgets"]
        rows = [
            [f"{budget['budget']:,}", name, *_evidence(budget[key])]
            for budget in budgets
            for key, name in BUNDLES.items()
        ]
        yield table(["tokens", "", "n", "any", "all", "share", "mean tokens", "over budget"], rows)
        plot = f"pack-{result['set']}"
        groups = [f"{budget['budget']:,} tokens" for budget in budgets]
        series = {name: [budget[key]["any"] for budget in budgets] for key, name in BUNDLES.items()}
        title = f"{name}: questions with evidence in the bundle, by budget"
        drawn[plot] = plots.bars(title, groups, series)
        yield f"![{title}](plots/{plot}.svg)\n"


def _evidence(one: Result) -> list[str]:
    shares = [percent(one[name]) for name in ("any", "all", "share")]
    return [str(one["n"]), *shares, f"{one['tokens']:.0f}", str(one["over_budget"])]
