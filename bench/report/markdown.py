"""Markdown for the report: tables, numbers, shares, and where a result was measured."""

from collections.abc import Sequence

from bench.report.results import Result


def of(found: Sequence[Result], benchmark: str) -> list[Result]:
    """Return the results of one benchmark."""
    return [one for one in found if one["benchmark"] == benchmark]


def where(one: Result) -> str:
    """Return the command, the date and the machine of a result."""
    machine = one["result"]["machine"]
    return (
        f"`{one['command']}`, {machine['date'][:10]}, {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['memory_gb']:g} GB, Python {machine['python']}, load {machine['load']:g}."
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows]) + "\n"


def number(value: float) -> str:
    """Return a number with three significant digits, or whole from 100 on."""
    return f"{value:,.0f}" if value >= 100 or value == 0 else f"{value:.3g}"


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in percent."""
    return "–" if share is None else f"{100 * share:.{digits}f}"
