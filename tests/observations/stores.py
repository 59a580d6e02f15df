"""A real store whose clock a test can set: SQLite and spool in a folder, no model."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.files import StoreFolder
from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.adapters.spool import SpoolFolder
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import Settings
from satchel.core.parts import Parts
from satchel.domain.embedding import Clamp
from satchel.domain.policies import RecallPolicy, RerankPolicy
from satchel.observations.values import Observed
from satchel.wiring.index import grow_passage_index
from satchel.wiring.remote import make_reranker

DAY_MS = 86_400_000
BEGIN = 20_000 * DAY_MS


class SetClock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.time = BEGIN

    def now(self) -> int:
        return self.time

    def ticks(self) -> float:
        return self.time / 1000

    def forward(self, days: float) -> None:
        self.time += int(days * DAY_MS)


# With an index from the first passage on.
INDEXED = Settings(recall=RecallPolicy(index_from=0))


class Store:
    """A store, its clock and its folder."""

    def __init__(self, home: Path, **parts: Any) -> None:
        self.home = home
        self.clock = SetClock()
        ids, index, ledger = count(1), InMemoryIndex(), SqliteLedger(home / "ledger.sqlite3")
        given: dict[str, Any] = {
            "ledger": ledger,
            "index": lambda: index,
            "passage_index": cache(lambda: grow_passage_index(ledger, home / "index", INDEXED)),
            "embedder": lambda name: None,
            "files": StoreFolder(home),
            "exchange": ExchangeFiles(home, pipes=False),
            "spool": SpoolFolder(home, segment_bytes=parts.pop("segment_bytes", 16 << 20)),
            "clock": self.clock,
            "new_id": lambda: f"id-{next(ids):06}",
            "reranker": lambda: make_reranker(RerankPolicy()),
            "clamp": Clamp(),
        }
        self.memory = Satchel(Parts(**given | parts))

    def tell(self, *events: dict[str, Any], scope: str | None = None) -> None:
        """Capture and ingest events."""
        self.memory.observations.capture("\n".join(json.dumps(one, ensure_ascii=False) for one in events), scope=scope)
        self.memory.observations.ingest()

    def id_of(self, query: str, **options: Any) -> str:
        """Return the id of the best match of a search."""
        return self.memory.observations.search(query, **options).result.hits[0].id

    def bytes_of_files(self) -> dict[str, bytes]:
        """Return the content of every file after a checkpoint of the ledger; its shared memory file only holds locks."""
        self.memory.parts.ledger.memories.scrub()
        files = [path for path in self.home.rglob("*") if path.is_file() and not path.name.endswith("-shm")]
        return {str(path.relative_to(self.home)): path.read_bytes() for path in files}


@contextmanager
def opened(home: Path, **parts: Any) -> Iterator[Store]:
    """Open a store for one test."""
    store = Store(home, **parts)
    try:
        yield store
    finally:
        store.memory.close()


def event(text: str, **fields: Any) -> dict[str, Any]:
    """Return a tool outcome as a host would send it."""
    return {"kind": "tool", "tool_name": "bash", "text": text} | fields


def observed(store: Store, id: str) -> Observed:
    """Return one observation with its history."""
    found = store.memory.get(id).result
    assert isinstance(found, Observed)
    return found
