"""Work on a whole store, while another process writes."""

from collections.abc import Iterator, Sequence

from bench.report.markdown import number, of, percent, table, where
from bench.report.results import Result


def upkeep(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield how long each piece of work takes, and how long another process waits meanwhile."""
    for one in of(found, "upkeep"):
        result = one["result"]
        yield f"## Work on a whole store\n\n{where(one)}\n"
        yield (
            f"{result['memories']:,} memories, {result['files']:,} documents. Another process stores a memory every 50 ms; the wait is "
            "the longest that one of its stores took.\n"
        )
        yield table(
            ["", "seconds", "stores meanwhile", "longest wait, s", "errors"], [_row(step) for step in result["steps"]]
        )
        yield f"The time that `docs ingest` estimated after a tenth of the files was {percent(result['estimate'], 0)} % of what it took.\n"


def _row(step: Result) -> list[str]:
    return [
        step["name"],
        number(step["seconds"]),
        str(step["stores"]),
        f"{step['longest_wait']:.2f}",
        str(step["errors"]),
    ]
