"""Sixteen processes that write to one new store at once, compared with bare SQLite inserts."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import ROOT, contest, summed_up
from bench.speed.writing_process import BARE, SATCHEL
from satchel.app import Satchel
from satchel.errors import Unavailable

WRITERS = 16
STORES_EACH = 50
RACES = 3
_WRITING_PROCESS = "bench.speed.writing_process"


class Race(Struct, frozen=True):
    """Result of one race: total time, the time of each successful store, and the number of errors."""

    home: Path
    seconds: float
    times: tuple[float, ...]
    errors: int


def writers(fixture: Fixture) -> Iterator[Contest]:
    """Time one store among sixteen writers, and count acknowledged stores that are missing."""
    races = {kind: [_race(fixture, kind, number) for number in range(RACES)] for kind in (SATCHEL, BARE)}
    found = {kind: summed_up([taken for race in several for taken in race.times]) for kind, several in races.items()}
    errors = sum(race.errors for race in races[SATCHEL])
    name = f"{WRITERS} writers at once"
    yield contest(f"{name}: one store", "ms", found, note=f"{STORES_EACH} stores each, {RACES} races, {errors} errors")
    rates = {kind: summed_up([len(race.times) / race.seconds for race in several]) for kind, several in races.items()}
    yield contest(f"{name}: together", "stores/s", rates, more_is_better=True)
    acknowledged = sum(len(race.times) for race in races[SATCHEL])
    lost = acknowledged - sum(_kept(fixture, race.home) for race in races[SATCHEL])
    note = f"of {acknowledged:,} acknowledged"
    yield contest(f"{name}: acknowledged and lost", "stores", {SATCHEL: summed_up([float(lost)])}, note=note)


def _race(fixture: Fixture, kind: str, number: int) -> Race:
    home = fixture.work / f"race-{kind.partition(' ')[0]}-{number}"
    home.mkdir()
    command = [sys.executable, "-m", _WRITING_PROCESS, kind, str(home), str(STORES_EACH)]
    runners = [_started([*command, str(runner)]) for runner in range(WRITERS)]
    for runner in runners:
        _hear(runner)  # it is ready
    started = time.perf_counter()
    for runner in runners:
        _tell(runner, "go")
    reports = [json.loads(_hear(runner)) for runner in runners]
    seconds = time.perf_counter() - started
    for runner in runners:
        runner.communicate()
    times = tuple(taken for report in reports for taken in report["times"])
    return Race(home, seconds, times, sum(report["errors"] for report in reports))


def _started(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def _hear(runner: subprocess.Popen[str]) -> str:
    assert runner.stdout is not None, "started with a pipe"
    line = runner.stdout.readline()
    if not line:
        raise Unavailable("a writer ended early", code="bench_failed")
    return line


def _tell(runner: subprocess.Popen[str], line: str) -> None:
    assert runner.stdin is not None, "started with a pipe"
    runner.stdin.write(f"{line}\n")
    runner.stdin.flush()


def _kept(fixture: Fixture, home: Path) -> int:
    with Satchel.open(home, actor="bench") as memory:
        return memory.maintenance.stats(all_scopes=True).result.tally.memories
