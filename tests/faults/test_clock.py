"""Clocks that jump, stand still and change their zone: order is by sequence, nothing has a negative age or is put away."""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.domain.view import LIVE_STATES
from satchel.ports import Clock
from tests.faults.clocks import BEGIN, HOUR_MS, YEAR_MS, ErraticClock, SetClock
from tests.faults.extent import extent
from tests.faults.model import cue, text
from tests.interfaces.http.running import Server
from tests.tables import fresh_folder

JUMPS = {"an hour back": -HOUR_MS, "a year back": -YEAR_MS, "fifty years on": 50 * YEAR_MS, "to the beginning": -BEGIN}
# Sets the clock of a process, whatever it was, at every look after the first few.
JUMPING = """
import itertools, time
looks, real = itertools.count(), time.time_ns
steps = (0, -365 * 86_400, 50 * 365 * 86_400, -3_600)
time.time_ns = lambda: real() + steps[next(looks) % 4] * 10**9
time.time = lambda: time.time_ns() / 10**9
"""


def with_clock(memory: Satchel, clock: Clock) -> Satchel:
    return Satchel(replace(memory.parts, clock=clock))


@pytest.mark.parametrize("jump", extent(["a year back", "fifty years on"], [*JUMPS]))
def test_a_jump_changes_no_order_and_puts_nothing_away(memory: Satchel, jump: str) -> None:
    clock = SetClock()
    store = with_clock(memory, clock)
    before = [_used(store, number) for number in range(5)]
    store.tags.create("before")
    clock.time += JUMPS[jump]
    after = [_used(store, number) for number in range(5, 10)]

    run = store.lifecycle.run(all_scopes=True).result
    assert (run.archived, run.stale) == (0, 0)
    listed = {one.id: one for one in store.memories.list(limit=100).result.memories}
    assert {*listed} == {*before, *after}
    assert all(one.state in LIVE_STATES for one in listed.values())
    for id in listed:
        hits = store.recall(cue(listed[id].text)).result.hits
        assert hits[0].memory.id == id
        assert all(math.isfinite(one.value) and one.value >= 0 for one in hits[0].contributions)
    for shown in (store.review, store.lifecycle.status, store.lifecycle.drift, store.maintenance.stats):
        shown()
    # What was said is in the order in which it was said, and the past is what came before by number.
    said = store.conversations.show().result.messages
    assert [one.content for one in said] == [text(number) for number in range(8, 10)]
    past = store.recall("noted", as_of="before", limit=20).result.hits
    assert {hit.memory.id for hit in past} == {*before}
    store.tags.restore("before")
    now = store.memories.list(limit=100).result.memories
    assert {one.id for one in now if one.state in LIVE_STATES} == {*before}
    assert store.maintenance.receipts_verify().result.broken_at is None
    assert store.maintenance.doctor().result.healthy


def _used(store: Satchel, number: int) -> str:
    """Store something in several features."""
    id = store.store(text(number), importance=0.5).result.id
    store.conversations.add(text(number))
    store.observations.capture(json.dumps({"text": text(number)}))
    store.observations.ingest()
    return id


@pytest.mark.parametrize(
    "steps", extent([(YEAR_MS, -YEAR_MS)], [(YEAR_MS, -YEAR_MS), (-HOUR_MS, 1), (50 * YEAR_MS, -49 * YEAR_MS)])
)
def test_a_clock_that_is_set_during_an_operation_breaks_none(memory: Satchel, steps: tuple[int, ...]) -> None:
    store = with_clock(memory, ErraticClock(*steps))
    ids = [_used(store, number) for number in range(6)]
    newer = store.store(text(20), replaces=ids[0]).result.id
    store.facts.assert_("harbour", "uses", "cranes", sources=[ids[1]])
    store.attention.route("noted")
    store.turn.before("what is noted?")
    store.tags.create("middle")
    store.forget(ids[2])
    store.tags.restore("middle", all_scopes=True)
    store.lifecycle.run(all_scopes=True)
    store.lifecycle.grade(all_scopes=True)

    listed = {str(one.id): one for one in store.memories.list(limit=100).result.memories}
    assert {*listed} == {newer, *ids} - {ids[2]}
    assert str(listed[ids[0]].state) == "retired"
    assert store.facts.rebuild().result.changed == 0
    assert store.maintenance.receipts_verify().result.broken_at is None
    assert store.maintenance.doctor().result.healthy


def test_a_thousand_events_of_one_millisecond_are_all_kept_and_in_one_order(memory: Satchel) -> None:
    store = with_clock(memory, SetClock())
    store.observations.capture("\n".join(json.dumps({"text": text(number), "ts": BEGIN}) for number in range(1_000)))
    assert store.observations.ingest().result.inserted == 1_000
    middle = store.observations.search(cue(text(500))).result.hits[0].id
    around = [_timeline(store, middle) for _ in range(2)]
    assert around[0] == around[1]
    assert len({*around[0]}) == 101
    for number in (0, 999):
        assert len(store.observations.search(cue(text(number))).result.hits) == 1


def _timeline(store: Satchel, id: str) -> list[str]:
    shown = store.observations.timeline(id, window=50).result
    assert shown.here is not None
    return [one.id for one in (*shown.before, shown.here, *shown.after)]


@pytest.mark.parametrize("count", extent([60], [1_000]))
def test_memories_of_one_millisecond_are_paged_without_gaps(memory: Satchel, count: int) -> None:
    store = with_clock(memory, SetClock())
    ids = [store.store(text(number)).result.id for number in range(count)]
    seen, after = list[str](), None
    while True:
        page = store.memories.list(limit=7, after=after).result
        seen += [one.id for one in page.memories]
        if (after := page.next) is None:
            break
    assert sorted(seen) == sorted(ids)
    # Each is one step of the history, however short the moment.
    assert [store.get(id).result.history[0].seq for id in ids] == list(range(1, count + 1))


@pytest.fixture
def zone() -> Iterator[None]:
    before = os.environ.get("TZ")
    yield
    os.environ.pop("TZ", None)
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


# The hour that is left out in spring, the one that comes twice in autumn, a leap day, a zone a day ahead.
MOMENTS = ("2026-03-29T02:30", "2026-10-25T02:30", "2028-02-29", "2026-03-29", "2026-12-31T23:59:59")


@pytest.mark.usefixtures("zone")
def test_answers_are_the_same_in_every_time_zone(tmp_path: Path, memory: Satchel) -> None:
    answers = []
    for name in ("UTC", "Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns"):
        os.environ["TZ"] = name
        time.tzset()
        with Satchel.open(fresh_folder(tmp_path) / "home") as opened:
            store = with_clock(opened, SetClock())
            for number, moment in enumerate(MOMENTS):
                store.store(text(number), valid_to=moment)
            listed = store.memories.list().result.memories
            answers.append(sorted((one.text, one.valid_to, one.created_at) for one in listed))
    assert all(one == answers[0] for one in answers)


@pytest.mark.parametrize("steps", [(0, 50 * YEAR_MS, -50 * YEAR_MS), (0, -YEAR_MS, YEAR_MS)], ids=["ahead", "back"])
def test_a_memory_stored_while_the_clock_jumps_is_not_archived(memory: Satchel, steps: tuple[int, ...]) -> None:
    for number in range(6):
        erratic = ErraticClock(*steps)
        # Another look is the one that jumps, each time.
        [erratic.now() for _ in range(number)]
        with_clock(memory, erratic).store(text(number))

    assert with_clock(memory, SetClock(BEGIN)).lifecycle.run(all_scopes=True).result.archived == 0


@pytest.mark.whole
def test_a_server_whose_clock_jumps_serves_on(home: Path) -> None:
    requests, server = 4, Server(home, script=JUMPING)
    try:
        for number in range(requests):
            assert server.ask("/v1/store", {"text": text(number)}).json["result"]["action"] == "created"
            assert server.ask("/v1/recall", {"query": cue(text(number))}).json["result"]["hits"]
        assert server.is_well()
    finally:
        assert server.stop() == 0
    command = [sys.executable, "-m", "satchel", "doctor", "--home", str(home), "--json"]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "SATCHEL_EMBEDDER": "hashing"})
    assert json.loads(done.stdout)["result"]["healthy"]
    with Satchel.open(home) as memory:
        seqs = [memory.get(one.id).result.history[0].seq for one in memory.memories.list(limit=100).result.memories]
        assert len({*seqs}) == requests
        assert memory.lifecycle.run().result.archived == 0
