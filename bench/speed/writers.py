"""Sixteen processes that write to one new store at once, compared with bare SQLite inserts."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from bench.processes import hear, start, tell
from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import contest, summed_up
from bench.speed.writing_process import BARE, SATCHEL
from satchel.app import Satchel

WRITERS = 16
STORES_EACH = 50
RACES = 3


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
    lost = acknowledged - sum(_kept(race.home) for race in races[SATCHEL])
    note = f"of {acknowledged:,} acknowledged"
    yield contest(f"{name}: acknowledged and lost", "stores", {SATCHEL: summed_up([float(lost)])}, note=note)


def _race(fixture: Fixture, kind: str, number: int) -> Race:
    home = fixture.work / f"race-{kind.partition(' ')[0]}-{number}"
    home.mkdir()
    runners = [start("bench.speed.writing_process", kind, home, STORES_EACH, runner) for runner in range(WRITERS)]
    for runner in runners:
        hear(runner)  # it is ready
    started = time.perf_counter()
    for runner in runners:
        tell(runner, "go")
    reports = [json.loads(hear(runner)) for runner in runners]
    seconds = time.perf_counter() - started
    for runner in runners:
        runner.communicate()
    times = tuple(taken for report in reports for taken in report["times"])
    return Race(home, seconds, times, sum(report["errors"] for report in reports))


def _kept(home: Path) -> int:
    with Satchel.open(home, actor="bench") as memory:
        return memory.maintenance.stats(all_scopes=True).result.tally.memories
