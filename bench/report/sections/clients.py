"""Many clients of one server, and recalls while another process writes."""

from collections.abc import Iterator, Sequence

from bench.report.markdown import number, of, table, where
from bench.report.results import Result


def clients(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield what the clients got, what the server needed, and how a writer slows recalls."""
    for one in of(found, "clients"):
        result = one["result"]
        yield f"## Many clients at once\n\n{where(one)}\n"
        yield (
            f"{result['memories']:,} memories; four of five requests recall by words and meaning, one stores. The clients run on the "
            "same machine. Without a pause they ask as fast as they can, which shows what the server can do; a busy agent asks about "
            "once a second. Every acknowledged store is read back at the end. Times are p50 / p95 in milliseconds.\n"
        )
        heads = [
            "clients",
            "pause",
            "recall",
            "a second",
            "store",
            "a second",
            "errors",
            "lost stores",
            "server CPU, ms a request",
            "server memory, MB",
        ]
        yield table(heads, [_load(row) for row in result["loads"]])
        yield f"Recalls of one client while another process holds a write transaction of {result['hold_seconds']:g} s:\n"
        yield table(["", "no writer", "during the write"], [_held(row) for row in result["held"]])


def _load(row: Result) -> list[str]:
    pause = f"{row['pause_ms'] / 1000:g} s" if row["pause_ms"] else "none"
    each = [
        cell for name in ("reads", "writes") for cell in (_times(row[name]), number(row[name]["runs"] / row["seconds"]))
    ]
    memory = " / ".join(number(size) for size in row["resident_mb"])
    failed = str(sum(row["errors"].values()))
    return [str(row["clients"]), pause, *each, failed, str(row["lost"]), number(row["cpu_ms"]), memory]


def _held(row: Result) -> list[str]:
    return ["with a server" if row["server"] else "without", _times(row["alone"]), _times(row["during_write"])]


def _times(timing: Result) -> str:
    return f"{number(timing['p50'])} / {number(timing['p95'])}"
