"""A store whose clock a test can set."""

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
from satchel.core.parts import Parts
from satchel.domain.embedding import Clamp
from satchel.domain.policies import RerankPolicy
from satchel.wiring.adapters import open_lossless
from satchel.wiring.remote import make_reranker

DAY_MS = 86_400_000
BEGIN = 20_000 * DAY_MS


class SetClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = BEGIN

    def now(self) -> int:
        return self.time

    def ticks(self) -> float:
        return self.time / 1000

    def forward(self, days: float) -> None:
        self.time += int(days * DAY_MS)


class ClockedStore:
    """A store with a clock that a test moves."""

    def __init__(self, home: Path, ledger: SqliteLedger) -> None:
        self.home, self.ledger, self.clock = home, ledger, SetClock()
        ids, index = count(1), InMemoryIndex()
        parts = Parts(
            ledger=ledger,
            index=lambda: index,
            embedder=lambda name: None,
            files=StoreFolder(home),
            exchange=ExchangeFiles(home, pipes=False),
            spool=SpoolFolder(home),
            clock=self.clock,
            new_id=lambda: f"id-{next(ids):06}",
            reranker=lambda: make_reranker(RerankPolicy()),
            clamp=Clamp(),
            lossless=open_lossless,
        )
        self.memory = Satchel(parts)
        self.facts = self.memory.facts
        self.conversations = self.memory.conversations

    def add(self, text: str, **options: Any) -> str:
        """Store a memory and return its id."""
        return self.memory.store(text, **options).result.id


@contextmanager
def open_store(home: Path, ledger: SqliteLedger | None = None) -> Iterator[ClockedStore]:
    """Open a store for one test."""
    store = ClockedStore(home, ledger or SqliteLedger(home / "ledger.sqlite3"))
    try:
        yield store
    finally:
        store.memory.close()
