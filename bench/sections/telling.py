"""How figures are told: tables, where something was measured, numbers and shares."""

from collections.abc import Sequence

from bench.results import Result


def of(found: Sequence[Result], benchmark: str) -> list[Result]:
    """Return the results of one benchmark."""
    return [one for one in found if one["benchmark"] == benchmark]


def where(one: Result) -> str:
    """Say how and where something was measured."""
    machine = one["result"]["machine"]
    return (
        f"`{one['command']}`, {machine['date'][:10]}, {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['memory_gb']:g} GB, Python {machine['python']}, load {machine['load']:g}."
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows]) + "\n"


def number(value: float) -> str:
    """Return a figure with as many digits as it deserves."""
    return f"{value:,.0f}" if value >= 100 or value == 0 else f"{value:.3g}"


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in percent."""
    return "–" if share is None else f"{100 * share:.{digits}f}"
