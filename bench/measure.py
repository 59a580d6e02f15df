"""Figures: how they are taken, summarised and held against a bar."""

import math
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct


class Sample(Struct, frozen=True):
    """What was measured, run by run."""

    values: tuple[float, ...]
    unit: str = "ms"

    @property
    def p50(self) -> float:
        """The median."""
        return percentile(self.values, 0.50)

    @property
    def p95(self) -> float:
        """What nineteen in twenty runs stayed within."""
        return percentile(self.values, 0.95)

    @property
    def worst(self) -> float:
        """The largest value."""
        return max(self.values)


class Bar(Struct, frozen=True):
    """What the design asks of a figure. A bar without a named statistic is held against the p95."""

    limit: float
    statistic: str = "p95"
    said: str = ""

    def met_by(self, sample: Sample) -> bool:
        """Say whether a sample is good enough."""
        return float(getattr(sample, self.statistic)) <= self.limit


class Row(Struct, frozen=True):
    """One line of the table: our figure, its bars, and the alternatives measured in the same run."""

    name: str
    ours: Sample
    bars: tuple[Bar, ...] = ()
    beside: tuple[tuple[str, Sample], ...] = ()
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether every bar is met; None when there is none."""
        return all(bar.met_by(self.ours) for bar in self.bars) if self.bars else None


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def milliseconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def processor_milliseconds(call: Callable[[], object]) -> float:
    """Return how long a call keeps processors busy, all threads of this process together, whatever else is running."""
    started = time.process_time()
    call()
    return (time.process_time() - started) * 1000


def interleaved(calls: Mapping[str, Callable[[int], object]], runs: int, warm_up: int = 2) -> dict[str, Sample]:
    """Time several calls in turn, so that a noisy neighbour hits them all; each is given the number of the run."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for run in range(-warm_up, runs):
        # Whoever goes first finds the caches cold, so it is not always the same one.
        for name in names[run % len(names) :] + names[: run % len(names)]:
            taken = milliseconds(partial(calls[name], run % runs))
            if run >= 0:
                times[name].append(taken)
    return {name: Sample(tuple(taken)) for name, taken in times.items()}


def run_process(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a command to its end, its output thrown away. A failure is an error of the benchmark."""
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
