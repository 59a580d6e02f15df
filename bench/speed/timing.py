"""Timing: calls run in turns, so that noise affects all alike, and percentiles of the times."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.speed.results import Contest, Timing
from satchel.errors import Unavailable
from satchel.interfaces.evaluation.metrics import percentile

SATCHEL = "satchel"
PYTHON = "python -c pass"
WARM_UP = 3
# Processes are slow to start, and their times vary little.
MOST_COLD_RUNS = 10
COLD_WARM_UP = 1
# After this long, this many runs are enough.
LONG_SECONDS, ENOUGH_RUNS = 45.0, 20

Call = Callable[[int], object]
"""A call to time; its argument is the number of the run, starting with the warm-up."""


def in_turns(calls: Mapping[str, Call], runs: int, warm_up: int = WARM_UP) -> dict[str, Timing]:
    """Time several calls in turns, after a warm-up that does not count. Slow calls get fewer runs."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    names, started = list(calls), time.perf_counter()
    for run in range(warm_up + runs):
        if run >= warm_up + ENOUGH_RUNS and time.perf_counter() - started > LONG_SECONDS:
            break
        # The first call finds caches cold, so the order rotates.
        first = run % len(names)
        for name in names[first:] + names[:first]:
            taken = milliseconds(partial(calls[name], run))
            if run >= warm_up:
                times[name].append(taken)
    return {name: summed_up(taken) for name, taken in times.items()}


def cold(calls: Mapping[str, Call], runs: int, most: int | None = None) -> dict[str, Timing]:
    """Time calls that start a process each, compared with an idle interpreter."""
    beside = {PYTHON: lambda _: run_process([sys.executable, "-c", "pass"])}
    return in_turns({**calls, **beside}, min(most or MOST_COLD_RUNS, runs), COLD_WARM_UP)


def milliseconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def summed_up(values: Sequence[float]) -> Timing:
    """Return the percentiles of at least one value."""
    p50, p95, p99 = (round(percentile(values, share), 3) for share in (0.50, 0.95, 0.99))
    return Timing(len(values), p50, p95, p99, round(max(values), 3))


def contest(
    what: str, unit: str, found: Mapping[str, Timing], *, more_is_better: bool = False, note: str = ""
) -> Contest:
    """Return a contest with its ratios. `found` has Satchel's timing under SATCHEL."""
    ours = found[SATCHEL]
    others = {name: one for name, one in found.items() if name != SATCHEL}
    ratios = {
        name: round(ours.p50 / one.p50 if more_is_better else one.p50 / ours.p50, 2)
        for name, one in others.items()
        if one.p50 and ours.p50 and name != PYTHON
    }
    return Contest(what, unit, ratios, ours, others, note)


def run_process(command: Sequence[str], given: str = "", cwd: Path | None = None) -> str:
    """Run a command with some standard input and return its output. A command that fails is an error."""
    # An installed package has its bytecode; a checkout has it after the warm-up, unless a setting prevents it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, cwd=cwd, env=environment)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise Unavailable(f"{' '.join(command[:4])} failed: {said[-1][:200]}", code="bench_failed")
    return done.stdout


def folder_bytes(folder: Path) -> int:
    """Return the total size of the files of a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
