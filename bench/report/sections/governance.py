"""Governance rates, and PrecisionMemBench."""

from collections.abc import Iterator, Sequence

from bench.report.markdown import of, percent, table, where
from bench.report.results import Result


def governance(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield every rate of every subject."""
    for one in of(found, "governance"):
        subjects = one["result"]["subjects"]
        yield f"## Governance: what gets through\n\n{where(one)} Ideals are in brackets.\n"
        whats = list(dict.fromkeys(rate["what"] for rates in subjects.values() for rate in rates))
        by_name = {name: {rate["what"]: rate for rate in rates} for name, rates in subjects.items()}
        ideals = {
            rate["what"]: rate["ideal"] for rates in subjects.values() for rate in rates if rate["ideal"] is not None
        }
        heads = [f"{what} ({ideals[what]:.0%})" if what in ideals else what for what in whats]
        yield table(
            ["", *heads], [[name, *(_rate(rates.get(what)) for what in whats)] for name, rates in by_name.items()]
        )


def precision(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield precision, recall and exact answers."""
    for one in of(found, "precision"):
        yield f"## PrecisionMemBench: what must and must not come back\n\n{where(one)}\n"
        rows = [
            [name, str(group["n"]), *(f"{group[key]:.3f}" for key in ("precision", "recall", "exact"))]
            for name, group in one["result"]["groups"].items()
        ]
        yield table(["cases", "n", "mean precision", "mean recall", "exactly right"], rows)


def _rate(rate: Result | None) -> str:
    if rate is None or rate["rate"] is None:
        return "not offered"
    return f"{percent(rate['rate'])} % of {rate['n']}"
