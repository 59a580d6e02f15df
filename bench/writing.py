"""Writing: one durable store, the recall right after it, and sixteen processes at once."""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from bench.ground import Ground
from bench.measure import Bar, Row, Sample, interleaved, milliseconds
from bench.writer import BARE, SATCHEL, bare_insert, open_bare
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import whole
from satchel.interfaces.bench.speed.corpus import Text, corpus, texts

STORES = 200
AFTER_STORE = 30
WRITERS = 16
STORES_EACH = 50
RACES = 3
_PATIENT_MS = 60_000


def durable(ground: Ground) -> list[Row]:
    """Time one store on the large store, beside one bare insert into a table of the same texts."""
    memory, bare = ground.open(ground.large), _bare_table(ground)
    new = _new_texts(ground, STORES)
    calls = {
        "satchel": lambda run: memory.store(new[run].text, scope=new[run].scope, kind=new[run].kind),
        "bare": lambda run: bare_insert(bare, new[run].text),
    }
    taken = interleaved(calls, STORES)
    memory.close()
    beside = (("bare sqlite3 INSERT + COMMIT, WAL, FULL", taken["bare"]),)
    return [Row(f"durable store, {ground.rows:,} memories", taken["satchel"], (Bar(5.0, "p50", "p50"),), beside)]


def after_store(ground: Ground) -> list[Row]:
    """Time the recall that follows a store: it embeds and indexes the new memory before it answers."""
    memory = ground.open(ground.large, catch_up_ms=_PATIENT_MS)
    new, times = _new_texts(ground, AFTER_STORE), list[float]()
    memory.recall(new[0].question, scope=new[0].scope)
    for one in new:
        memory.store(one.text, scope=one.scope, kind=one.kind)
        times.append(milliseconds(partial(memory.recall, one.question, scope=one.scope)))
    memory.close()
    note = "embeds and indexes one new memory first"
    return [Row(f"warm recall right after a store, {ground.rows:,} memories", Sample(tuple(times)), note=note)]


def writers(ground: Ground) -> list[Row]:
    """Let sixteen processes store at once, beside as many that insert into a bare table."""
    rounds = [(_race(ground, SATCHEL, number), _race(ground, BARE, number)) for number in range(RACES)]
    ours, bare = ([pair[side] for pair in rounds] for side in (0, 1))
    acknowledged, kept = sum(len(race.times) for race in ours), sum(_kept(race.home) for race in ours)
    note = f"{acknowledged} acknowledged, {sum(race.errors for race in ours)} errors"
    name, other = f"{WRITERS} writers x {STORES_EACH} stores", "bare inserts"
    slowest = f"longest {_every(ours).worst:,.0f} ms; bare {_every(bare).worst:,.0f} ms"
    return [
        Row(f"{name}: total", _totals(ours), (), ((other, _totals(bare)),), note),
        Row(f"{name}: one store", _every(ours), (), ((other, _every(bare)),), slowest),
        Row(f"{name}: acknowledged and lost", Sample((float(acknowledged - kept),), ""), (Bar(0.0),)),
    ]


class Race(Struct, frozen=True):
    """How a race of writers went: how long in all, how long each store that returned, and how many failed."""

    home: Path
    total_ms: float
    times: tuple[float, ...]
    errors: int


def _race(ground: Ground, kind: str, number: int) -> Race:
    home = ground.work / f"race-{kind}-{number}"
    home.mkdir()
    command = [sys.executable, "-m", "bench.writer", kind, str(home), str(STORES_EACH)]
    runners = [_started([*command, str(runner)], ground.environment) for runner in range(WRITERS)]
    for runner in runners:
        _hear(runner)  # says that it is ready
    started = time.perf_counter()
    for runner in runners:
        _tell(runner, "go")
    reports = [json.loads(_hear(runner)) for runner in runners]
    total_ms = (time.perf_counter() - started) * 1000
    for runner in runners:
        runner.communicate()
    times = tuple(taken for report in reports for taken in report["times"])
    return Race(home, total_ms, times, sum(report["errors"] for report in reports))


def _started(command: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def _hear(runner: subprocess.Popen[str]) -> str:
    assert runner.stdout is not None, "started with a pipe"
    return runner.stdout.readline()


def _tell(runner: subprocess.Popen[str], line: str) -> None:
    assert runner.stdin is not None, "started with a pipe"
    print(line, file=runner.stdin, flush=True)


def _totals(races: Sequence[Race]) -> Sample:
    return Sample(tuple(race.total_ms for race in races))


def _every(races: Sequence[Race]) -> Sample:
    return Sample(tuple(taken for race in races for taken in race.times))


def _kept(home: Path) -> int:
    ledger = SqliteLedger(home / "ledger.sqlite3")
    kept = ledger.memories.tally(whole(EVERYWHERE, now=0)).memories
    ledger.close()
    return kept


def _bare_table(ground: Ground) -> sqlite3.Connection:
    bare = open_bare(ground.work / "bare.sqlite3")
    bare.execute("BEGIN")
    bare.executemany("INSERT INTO texts (body) VALUES (?)", ((one.text,) for one in corpus(ground.rows)))
    bare.execute("COMMIT")
    return bare


def _new_texts(ground: Ground, count: int) -> list[Text]:
    """Return texts that the store does not hold yet."""
    return texts(ground.rows + count)[ground.rows :]
