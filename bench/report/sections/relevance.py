"""Calibration of relevance."""

from collections.abc import Iterator, Sequence

from bench.report import plots
from bench.report.markdown import of, percent, table, where
from bench.report.results import Result
from bench.report.sections.retrieval import name_of


def relevance(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield how well relevance predicts that an answer is right."""
    for one in of(found, "relevance"):
        ways = one["result"]["ways"]
        yield f"## Relevance: calibration\n\n{where(one)}\n"
        yield (
            "Each dataset is predicted by constants fitted on the others; [relevance](relevance.md) says how. An answer is right "
            "if a gold record is among the twenty that a recall of five considers.\n"
        )
        for name, way in ways.items():
            constants = ", ".join(f"{constant:g}" for constant in way["constants"])
            yield f"By {name} (constants fitted on all sets: {constants}):\n"
            yield table(_HEAD, [_row(row) for row in way["rows"]])
        series = {
            name: [(point["foretold"], point["observed"], point["n"]) for point in way["curve"] if point]
            for name, way in ways.items()
        }
        title = "Answers that were right, by relevance"
        drawn["relevance"] = plots.calibration(title, series)
        yield f"![{title}](plots/relevance.svg)\n"
        yield "Alternatives, over all datasets:\n"
        rows = [
            [row["by"], *(f"{row[key]:.3f}" for key in ("brier", "ece", "auc"))] for row in one["result"]["comparison"]
        ]
        yield table(["predicted by", "Brier", "ECE", "AUC"], rows)


_HEAD = [
    "set",
    "answerable / not",
    "Brier (of the base rate)",
    "ECE",
    "AUC",
    "≥ 0.4, answerable",
    "≥ 0.4, not",
    "of answers ≥ 0.4 right within 20 / 5",
]


def _row(row: Result) -> list[str]:
    return [
        name_of(row["set"]),
        f"{row['answerable']} / {row['not']}",
        f"{row['brier']:.3f} ({row['brier_of_base_rate']:.3f})",
        f"{row['ece']:.3f}",
        f"{row['auc']:.3f}",
        f"{percent(row['passed_answerable'], 0)} %",
        f"{percent(row['passed_not'], 0)} %",
        f"{percent(row['right_in_20'], 0)} / {percent(row['right_in_5'], 0)} %",
    ]
