"""Processes killed at any moment: acknowledged writes survive, and the index is intact or rebuilt."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import load
from tests.faults.children import FORGET, REBUILD, RECALL, STORE, Start

STORES_PER_CHILD = 20


def assert_sound(home: Path, expected: Mapping[str, str], *, gone: frozenset[str] = frozenset()) -> None:
    """Check what must hold after any fault: `texts` by id are present, and ids in `gone` are not."""
    with Satchel.open(
        settings=load(
            home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 60_000, "index_from": 0}
        )
    ) as memory:
        listed: dict[str, str] = {}
        after = None
        while True:
            page = memory.memories.list(limit=1_000, after=after).result
            listed |= {one.id: one.text for one in page.memories}
            if (after := page.next) is None:
                break
        assert {id: listed.get(id) for id in expected} == dict(expected)
        assert not gone & {*listed}
        found = memory.recall("walrus", limit=50)
        assert len(found.result.hits) == min(50, len(listed))
        assert all(listed[hit.memory.id] == hit.memory.text for hit in found.result.hits)
        # A second recall has nothing left to repair.
        assert memory.recall("walrus").receipt.warnings == ()
        # A few records may wait for a moment after the index was written.
        memory.maintenance.index_build()
        report = memory.maintenance.index_status().result
        assert (report.rows, report.behind, report.problem) == (len(listed), 0, "")
        check_up = memory.maintenance.doctor().result
        assert check_up.healthy, check_up.findings
        index = next(one for one in check_up.findings if one.check == "index")
        assert index.message == f"all {len(listed)} rows equal the ledger"
        chain = memory.maintenance.receipts_verify().result
        assert chain.broken_at is None
        # Every store has its receipt, even if its process was killed before it could report.
        stores = memory.maintenance.receipts_list(limit=1_000, operation="store").result
        assert {*listed} <= {str(one.body["decided"]["id"]) for one in stores}  # type: ignore[index, call-overload]


@pytest.mark.parametrize("seed", range(2))
def test_acknowledged_stores_survive_a_kill(home: Path, start: Start, seed: int) -> None:
    chance = random.Random(seed)
    acknowledged: dict[str, str] = {}
    reader = start(RECALL)
    reader.wait_for(1)
    for kill in range(10):
        child = start(STORE, STORES_PER_CHILD, f"s{kill}")
        child.wait_for(chance.randrange(STORES_PER_CHILD + 1))
        said = child.kill()
        acknowledged |= {id: f"s{kill} walrus {number}" for number, id in enumerate(said)}
        if kill % 3 == 2:
            # New records have just arrived, so it is probably writing the index.
            reader.kill()
            reader = start(RECALL)
            reader.wait_for(1)
    reader.kill()
    assert acknowledged
    assert_sound(home, acknowledged)


def stored(start: Start, count: int) -> dict[str, str]:
    child = start(STORE, count, "first")
    return {id: f"first walrus {number}" for number, id in enumerate(child.finish())}


def test_a_kill_while_the_index_is_rebuilt_loses_nothing(home: Path, start: Start) -> None:
    chance = random.Random(3)
    known = stored(start, 60)
    for _ in range(5):
        child, other = start(REBUILD), start(STORE, 10, "more")
        child.wait_for(1)
        other.wait_for(chance.randrange(10))
        child.kill()
        known |= {id: f"more walrus {number}" for number, id in enumerate(other.finish())}
    assert_sound(home, known)


def test_a_kill_during_a_forget_leaves_all_or_nothing(home: Path, start: Start) -> None:
    chance = random.Random(4)
    known = stored(start, 60)
    left, gone = list(known), frozenset[str]()
    with Satchel.open(
        settings=load(
            home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 60_000, "index_from": 0}
        )
    ) as memory:
        memory.recall("walrus")
    for _ in range(5):
        child = start(FORGET, given=" ".join(left[:10]))
        child.wait_for(1 + chance.randrange(8))
        gone |= {*child.kill()} - {"ready"}
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"})) as memory:
            there = {one.id for one in memory.memories.list(limit=1_000).result.memories}
        left = [id for id in left if id in there]
    assert gone
    assert_sound(home, {id: known[id] for id in left}, gone=gone)
    with Satchel.open(
        settings=load(
            home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 60_000, "index_from": 0}
        )
    ) as memory:
        last = memory.store("the zanzibarium is forgotten").result.id
        memory.recall("zanzibarium")
        forgotten = memory.forget(last, verify=True).result
        assert forgotten.pending == ()
        assert forgotten.check is not None
        assert (forgotten.check.conclusive, forgotten.check.found_after) == (True, ())


def test_the_receipt_of_a_recall_survives_a_kill(home: Path, start: Start) -> None:
    stored(start, 3)
    child = start("while True: say(memory.recall('walrus').receipt.digest)")
    child.wait_for(5)
    said = child.kill()
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"})) as memory:
        assert memory.maintenance.receipts_verify().result.broken_at is None
        kept = memory.maintenance.receipts_list(limit=5_000, operation="recall").result
        assert len(kept) >= len(said)
        assert {*said} <= {one.digest for one in kept}
