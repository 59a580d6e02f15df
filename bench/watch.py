"""A stopwatch on every port: how long a recall spends in each of its parts."""

import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from bench.measure import Sample
from satchel.adapters.clock import SystemClock
from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.files import StoreFolder
from satchel.adapters.spool import SpoolFolder
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.area import Parts
from satchel.bootstrap import make_embedder, make_reranker, open_index
from satchel.config import Settings
from satchel.memory import MemoryOperations
from satchel.ports import Ledger

Part = TypeVar("Part")


class Stopwatch:
    """Adds up the time spent in named parts. A part that calls another is not charged for it.

    What another thread does meanwhile is a part of its own, and taken from nobody's time.
    """

    def __init__(self) -> None:
        self._runs: dict[str, list[float]] = defaultdict(list)
        self._current: dict[str, float] = defaultdict(float)
        self._wholes: list[float] = []
        self._inner = _Inner()

    @contextmanager
    def run(self, name: str) -> Iterator[None]:
        """Time one run as a whole; what is left of it is charged to this name."""
        started = time.perf_counter()
        with self.timing(name):
            yield
        self._wholes.append((time.perf_counter() - started) * 1000)
        for part, taken in self._current.items():
            self._runs[part].append(taken)
        self._current.clear()

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        """Charge this block to a part."""
        started, inner = time.perf_counter(), self._inner.blocks
        inner.append(0.0)
        try:
            yield
        finally:
            whole = (time.perf_counter() - started) * 1000
            self._current[name] += whole - inner.pop()
            if inner:
                inner[-1] += whole

    def clear(self) -> None:
        """Forget everything so far."""
        self._runs.clear()
        self._wholes.clear()

    def whole(self) -> Sample:
        """Return the time of each run."""
        return Sample(tuple(self._wholes))

    def samples(self, runs: int) -> dict[str, Sample]:
        """Return the time of each part in each run."""
        return {name: Sample((*([0.0] * (runs - len(found))), *found)) for name, found in self._runs.items()}


class _Inner(threading.local):
    """The blocks a thread is in, each with the time spent in blocks within it."""

    def __init__(self) -> None:
        self.blocks: list[float] = []


class _Watched:
    """Stands in for a port and times every call of it."""

    def __init__(self, port: object, name: str, watch: Stopwatch) -> None:
        self._port, self._name, self._watch = port, name, watch

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        return self._timed(f"{self._name}.{name}", found) if callable(found) else found

    def _timed(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            with self._watch.timing(name):
                return call(*arguments, **options)

        return timed


class _WatchedLedger:
    """Stands in for a ledger, and times every call of its ports."""

    def __init__(self, ledger: Ledger, watch: Stopwatch) -> None:
        self._ledger, self._watch = ledger, watch

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._ledger, name)
        plain = callable(found) or isinstance(found, str | bool)
        return found if plain else watched(found, name, self._watch)


def watched(part: Part, name: str, watch: Stopwatch) -> Part:
    """Return the part with a stopwatch on it."""
    return cast(Part, _Watched(part, name, watch))


def watched_memory(home: Path, settings: Settings) -> tuple[MemoryOperations, Stopwatch]:
    """Open a store as bootstrap does, with a stopwatch on each port."""
    watch, ledger = Stopwatch(), SqliteLedger(home / "ledger.sqlite3")
    embedder = watched(make_embedder("minilm", settings), "embedder", watch)
    parts = Parts(
        ledger=cast(Ledger, _WatchedLedger(ledger, watch)),
        index=cache(lambda: watched(open_index(home / "index"), "index", watch)),
        embedder=lambda _: embedder,
        files=StoreFolder(home),
        exchange=ExchangeFiles(home, pipes=False),
        spool=SpoolFolder(home),
        clock=SystemClock(),
        new_id=lambda: str(uuid.uuid4()),
        clamp=settings.clamp,
        reranker=lambda: make_reranker(settings.rerank),
        policies=settings.policies,
        actor="bench",
    )
    return MemoryOperations(parts), watch
