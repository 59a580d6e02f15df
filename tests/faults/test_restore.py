"""A process killed during a restore: all or nothing is restored."""

import random
from pathlib import Path

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.record import Memory
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from tests.faults.children import Start

RESTORE = """
say('ready')
while True:
    for point in ('early', 'late'):
        memory.tags.restore(point)
        say(point)
"""
MEMORIES = 200
KILLS = 8


def opened(home: Path) -> Satchel:
    return Satchel.open(
        settings=load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 60_000})
    )


def records(memory: Satchel) -> dict[str, Memory]:
    return {one.id: one for one in memory.parts.ledger.memories.walk(admin_view(EVERYWHERE, 0))}


def test_a_kill_during_a_restore_leaves_all_or_nothing(home: Path, start: Start) -> None:
    chance = random.Random(6)
    with opened(home) as memory:
        early = [memory.store(f"walrus {number} was early").result.id for number in range(MEMORIES)]
        memory.tags.create("early")
        for number, id in enumerate(early):
            memory.store(f"walrus {number} came late", replaces=id)
        memory.tags.create("late")
        states = []
        for point in ("early", "late"):
            memory.tags.restore(point)
            states.append(records(memory))
        assert states[0] != states[1]
    acknowledged = 2
    for _ in range(KILLS):
        child = start(RESTORE)
        # It continues right after its output, so it is probably writing.
        child.wait_for(1 + chance.randrange(4))
        acknowledged += len(child.kill()) - 1
        with opened(home) as memory:
            assert records(memory) in states
            kept = memory.maintenance.receipts_list(limit=1_000, operation="tag restore").result
            assert len(kept) >= acknowledged
            assert memory.maintenance.receipts_verify().result.broken_at is None
            acknowledged = len(kept)
    with opened(home) as memory:
        memory.tags.restore("late")
        assert records(memory) == states[1]
        assert len(memory.recall("walrus late", limit=50).result.hits) == 50
        assert memory.maintenance.doctor().result.healthy
        assert memory.maintenance.index_status().result.behind == 0
