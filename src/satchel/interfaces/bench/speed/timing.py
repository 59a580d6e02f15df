"""How figures are taken: in turns, so that a noisy neighbour hits everybody alike, and summed up the same way for all."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from satchel.errors import Unavailable
from satchel.interfaces.bench.results import Contest, Timing
from satchel.interfaces.evaluation.metrics import percentile

SATCHEL = "satchel"
PYTHON = "python -c pass"
WARM_UP = 3
# Whole processes are slow, and what they take varies little.
MOST_COLD_RUNS = 10
COLD_WARM_UP = 1
# After so long, so many runs are enough.
LONG_SECONDS, ENOUGH_RUNS = 45.0, 20

Call = Callable[[int], object]
"""Something to be timed; it is given the number of the run, those of the warm-up first."""


def in_turns(calls: Mapping[str, Call], runs: int, warm_up: int = WARM_UP) -> dict[str, Timing]:
    """Time several calls in turn. The first rounds do not count: they load what everybody needs.

    What takes long is timed less often; how often is told with the figure.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    names, started = list(calls), time.perf_counter()
    for run in range(warm_up + runs):
        if run >= warm_up + ENOUGH_RUNS and time.perf_counter() - started > LONG_SECONDS:
            break
        # Whoever goes first finds the caches cold, so it is not always the same one.
        first = run % len(names)
        for name in names[first:] + names[:first]:
            taken = milliseconds(partial(calls[name], run))
            if run >= warm_up:
                times[name].append(taken)
    return {name: summed_up(taken) for name, taken in times.items()}


def cold(calls: Mapping[str, Call], runs: int) -> dict[str, Timing]:
    """Time calls that start a process each, beside an interpreter that does nothing."""
    beside = {PYTHON: lambda _: run_process([sys.executable, "-c", "pass"])}
    return in_turns({**calls, **beside}, min(MOST_COLD_RUNS, runs), COLD_WARM_UP)


def milliseconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def summed_up(values: Sequence[float]) -> Timing:
    """Return the percentiles of some values, at least one."""
    p50, p95, p99 = (round(percentile(values, share), 3) for share in (0.50, 0.95, 0.99))
    return Timing(len(values), p50, p95, p99, round(max(values), 3))


def contest(
    what: str, unit: str, found: Mapping[str, Timing], *, more_is_better: bool = False, note: str = ""
) -> Contest:
    """Return what Satchel and the others came to, with how many times better it is than each."""
    ours = found[SATCHEL]
    others = {name: one for name, one in found.items() if name != SATCHEL}
    ratios = {
        name: round(ours.p50 / one.p50 if more_is_better else one.p50 / ours.p50, 2)
        for name, one in others.items()
        if one.p50 and ours.p50 and name != PYTHON
    }
    return Contest(what, unit, ratios, ours, others, note)


def run_process(command: Sequence[str], given: str = "") -> str:
    """Run a command to its end and return what it printed. One that fails is an error of the benchmark."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise Unavailable(f"{' '.join(command[:4])} failed: {said[-1][:200]}", code="bench_failed")
    return done.stdout


def folder_bytes(folder: Path) -> int:
    """Return how much room the files of a folder take."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
