"""Evidence: how fast the spool is taken into the ledger."""

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from bench.ground import Ground
from bench.measure import Bar, Row, Sample
from satchel.adapters.spool import SpoolFolder

EVENTS = 20_000
RUNS = 3
ROWS_PER_COMMIT = 1_000
TOOLS = ("bash", "read_file", "edit", "web_search", "grep")
TEXTS = (
    "ran the tests in {n} s, {n} passed and none failed; see https://ci.example.org/run/{n}",
    "error: connection refused on port {n} because the service was not started; fixed by restarting it",
    "我们决定采用方案{n}，架构不改，时区用UTC",
    "read {n} lines of src/module_{n}.py, nothing to report, working on the next file of the list now",
    "We prefer small commits; the key file config/app_{n}.toml must never be committed with a token in it",
)


def ingest(ground: Ground) -> list[Row]:
    """Time the way of captured events from the spool into the ledger: checked, masked, graded, indexed, compressed."""
    ours, bare = [], []
    for run in range(RUNS):
        home = ground.work / f"ingest-{run}"
        SpoolFolder(home).append(list(_lines()))
        with ground.open(home) as memory:
            started = time.perf_counter()
            inserted = memory.ingest().result.inserted
            ours.append(_microseconds(started))
        if inserted != EVENTS:
            raise SystemExit(f"{inserted} of {EVENTS} events were taken in")
        bare.append(_bare(home, ground.work / f"bare-{run}.sqlite3"))
    beside = (("sqlite3 and json: rows and FTS5 of the text, 1,000 to a commit", Sample(tuple(bare), "µs")),)
    bar = Bar(333.0, "p50", said="3,000 rows a second:")
    speed = f"{1_000_000 / Sample(tuple(ours)).p50:,.0f} rows a second"
    return [Row("ingest: time for each observation", Sample(tuple(ours), "µs"), (bar,), beside, speed)]


def _lines() -> Iterator[bytes]:
    for number in range(EVENTS):
        event = {
            "id": f"e{number}",
            "ts": 1_790_000_000_000 + number,
            "tool_name": TOOLS[number % 5],
            "session_id": f"s{number % 50}",
            "text": TEXTS[number * 7 % 5].replace("{n}", str(number)) + " and so on" * (number % 6),
            "detail": {"exit_code": number % 3, "path": f"/src/a/{number}.py"},
        }
        yield (json.dumps(event, ensure_ascii=False) + "\n").encode()


def _bare(home: Path, path: Path) -> float:
    files = sorted((home / "spool").rglob("*.jsonl"))
    raws = [line for file in files for line in file.read_bytes().splitlines()]
    database = sqlite3.connect(path)
    for statement in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE events (row INTEGER PRIMARY KEY, id TEXT UNIQUE, ts INTEGER, tool TEXT, text TEXT, detail TEXT)",
        "CREATE VIRTUAL TABLE words USING fts5 (text, content = '')",
    ):
        database.execute(statement)
    started = time.perf_counter()
    for start in range(0, len(raws), ROWS_PER_COMMIT):
        for row, raw in enumerate(raws[start : start + ROWS_PER_COMMIT], start):
            one = json.loads(raw)
            values = (row, one["id"], one["ts"], one["tool_name"], one["text"], json.dumps(one["detail"]))
            database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", values)
            database.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, one["text"]))
        database.commit()
    taken = _microseconds(started)
    database.close()
    return taken


def _microseconds(started: float) -> float:
    return (time.perf_counter() - started) * 1_000_000 / EVENTS
