"""An in-memory store with a settable clock and counted ids: the same calls give the same bytes."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.files import StoreFolder
from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.adapters.spool import SpoolFolder
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.attention.values import RowReport
from satchel.core.parts import Parts
from satchel.domain.attention import Packet
from satchel.domain.embedding import Clamp
from satchel.domain.policies import Policies, RerankPolicy
from satchel.domain.policies.attention import AttentionPolicy
from satchel.wiring.remote import make_reranker

NOON = 1_794_744_000_000
HOUR = 3_600_000


class SettableClock:
    """Advances by a millisecond with every call, so that all times are distinct."""

    def __init__(self, now: int = NOON) -> None:
        self.time = now

    def now(self) -> int:
        self.time += 1
        return self.time

    def ticks(self) -> float:
        return 0.0


class AttentionStore(Satchel):
    """A store with a clock that can be set."""

    def __init__(self, clock: SettableClock, parts: Parts) -> None:
        super().__init__(parts)
        self.clock = clock
        self.ledger = parts.ledger


@contextmanager
def open_test_store(folder: Path, attention: AttentionPolicy | None = None) -> Iterator[AttentionStore]:
    """Open a store in memory."""
    numbers, index, clock = count(1), InMemoryIndex(), SettableClock()
    given: dict[str, Any] = {
        "ledger": SqliteLedger(None),
        "index": lambda: index,
        "embedder": lambda name: None,
        "files": StoreFolder(folder),
        "exchange": ExchangeFiles(folder, pipes=False),
        "spool": SpoolFolder(folder),
        "clock": clock,
        "new_id": lambda: f"id-{next(numbers)}",
        "reranker": lambda: make_reranker(RerankPolicy()),
        "clamp": Clamp(),
        "policies": Policies(attention=attention or AttentionPolicy()),
    }
    with AttentionStore(clock, Parts(**given)) as opened:
        yield opened


CAPS = {
    "hard_constraints": 4,
    "relevant_facts": 3,
    "procedures_to_follow": 3,
    "pitfalls_to_avoid": 3,
    "open_questions": 5,
    "selected_memory_ids": 5,
}


def add(router: Any, type: str, summary: str, title: str = "a title", **fields: Any) -> str:
    """Add a memory and return its id."""
    return str(router.attention.add(type, title, summary, **fields).result.memory_id)


def packet(router: Any, goal: str, role: str = "planner", **fields: Any) -> Packet:
    """Return the packet for a goal."""
    found: Packet = router.attention.route(goal, step_role=role, **fields).result.packet
    return found


def ranked(router: Any, goal: str, role: str = "planner", **fields: Any) -> dict[str, RowReport]:
    """Return the reported rows of a route in order, by id."""
    debug = router.attention.route(goal, step_role=role, **fields).result.debug
    return {row.id: row for row in debug.selected_memories}


def size(found: Packet) -> int:
    """Return the number of characters in a packet."""
    texts = [text for slot in CAPS if slot != "selected_memory_ids" for text in getattr(found, slot)]
    return len(found.goal) + sum(map(len, texts))


def within_caps(found: Packet) -> bool:
    """Return whether every list of a packet is within its cap."""
    return all(len(getattr(found, slot)) <= most for slot, most in CAPS.items())


def tables(router: Any) -> dict[str, list[Any]]:
    """Return all rows of the ledger by table."""
    names = ("memories", "edges", "details", "packets", "packet_items", "events", "receipts", "sequence", "use")
    with router.parts.ledger.database.reading() as db:
        return {name: list(db.execute(f"SELECT * FROM {name}")) for name in names}
