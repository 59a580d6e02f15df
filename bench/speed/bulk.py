"""Bulk work: filling a store, ingesting observations, and the space on disk."""

import json
import time
from collections.abc import Iterator

from msgspec.structs import replace

from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import SATCHEL, contest, folder_bytes, summed_up
from satchel.app import Satchel
from satchel.errors import Unavailable

MOST_EVENTS = 20_000
TOOLS = ("bash", "read_file", "edit", "web_search", "grep")
TEXTS = (
    "ran the tests in {n} s, {n} passed and none failed; see https://ci.example.org/run/{n}",
    "error: connection refused on port {n} because the service was not started; fixed by restarting it",
    "我们决定采用方案{n}，架构不改，时区用UTC",
    "read {n} lines of src/module_{n}.py, nothing to report, working on the next file of the list now",
    "We prefer small commits; the key file config/app_{n}.toml must never be committed with a token in it",
)


def filling(fixture: Fixture) -> Contest:
    """Return how fast each system was filled and indexed."""
    found = {name: summed_up([fixture.rows / seconds]) for name, seconds in fixture.fill_seconds.items()}
    note = "written and indexed, the vectors ready made"
    return contest("filling", "rows/s", found, more_is_better=True, note=note)


def bulk_import(fixture: Fixture) -> Contest:
    """Return how fast rows were imported, before their index was built."""
    found = {SATCHEL: summed_up([fixture.rows / fixture.import_seconds])}
    return contest("bulk import", "rows/s", found, more_is_better=True, note="of filling, what a writer waits for")


def disk(fixture: Fixture) -> Contest:
    """Measure the bytes on disk per memory."""
    folders = {SATCHEL: fixture.home} | {name: peer.folder for name, peer in fixture.peers.items()}
    found = {name: summed_up([folder_bytes(folder) / fixture.rows]) for name, folder in folders.items()}
    return contest("bytes for each memory", "bytes", found, note="plain FTS5 keeps no vectors")


def ingest(fixture: Fixture) -> Contest:
    """Time the ingest of captured events from a file: checked, masked, graded, indexed."""
    events = min(MOST_EVENTS, fixture.rows)
    file = fixture.work / "events.jsonl"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in _events(events)), encoding="utf-8")
    with Satchel.open(settings=replace(fixture.settings, home=str(fixture.work / "ingest")), actor="bench") as memory:
        started = time.perf_counter()
        inserted = memory.observations.ingest(file=str(file)).result.inserted
        seconds = time.perf_counter() - started
    if inserted != events:
        raise Unavailable(f"only {inserted} of {events} events were ingested", code="bench_failed")
    return contest("ingest of observations", "rows/s", {SATCHEL: summed_up([events / seconds])}, more_is_better=True)


def _events(count: int) -> Iterator[dict[str, object]]:
    for number in range(count):
        yield {
            "id": f"e{number}",
            "ts": 1_790_000_000_000 + number,
            "tool_name": TOOLS[number % 5],
            "session_id": f"s{number % 50}",
            "text": TEXTS[number * 7 % 5].replace("{n}", str(number)) + " and so on" * (number % 6),
            "detail": {"exit_code": number % 3, "path": f"/src/a/{number}.py"},
        }
