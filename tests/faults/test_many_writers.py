"""Many processes that open a new store at the same time."""

from pathlib import Path

from satchel.app import Satchel
from satchel.config import load
from tests.faults.children import STORE, Start

PROCESSES = 16
STORES = 20


def test_sixteen_processes_store_at_once_in_a_new_home(home: Path, start: Start) -> None:
    children = [start(STORE, STORES, f"p{number}") for number in range(PROCESSES)]
    said = [child.finish() for child in children]
    assert [len(ids) for ids in said] == [STORES] * PROCESSES
    assert len({id for ids in said for id in ids}) == PROCESSES * STORES
    with Satchel.open(
        settings=load(
            home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 60_000, "index_from": 0}
        )
    ) as memory:
        listed = {one.id: one.text for one in memory.memories.list(limit=1_000).result.memories}
        assert listed == {
            id: f"p{process} walrus {number}" for process, ids in enumerate(said) for number, id in enumerate(ids)
        }
        chain = memory.maintenance.receipts_verify().result
        assert (chain.receipts, chain.broken_at) == (PROCESSES * STORES, None)
        assert len(memory.recall("walrus", limit=50).result.hits) == 50
        assert memory.maintenance.doctor().result.healthy
        assert memory.maintenance.index_status().result.rows == PROCESSES * STORES


def test_concurrent_stores_and_recalls_neither_fail_nor_lose_records(home: Path, start: Start) -> None:
    both = "for number in range(12):\n    say(memory.store(f'{sys.argv[2]} walrus {number}').result.id)\n    memory.recall('walrus')"
    children = [start(both, f"p{number}") for number in range(4)]
    ids = {id for child in children for id in child.finish()}
    with Satchel.open(
        settings=load(
            home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 60_000, "index_from": 0}
        )
    ) as memory:
        assert {one.id for one in memory.memories.list(limit=1_000).result.memories} == ids
        memory.recall("walrus")
        # A few records may wait for a moment after the index was written.
        memory.maintenance.index_build()
        assert memory.maintenance.doctor().result.healthy
        assert memory.maintenance.index_status().result.rows == len(ids) == 48
