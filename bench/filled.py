"""Filled stores: made once through the public parts, kept under bench/work, and copied for every use."""

import hashlib
import json
import random
import shutil
import time
import uuid
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from msgspec import Struct

from bench.progress import show
from bench.remembered import Remembered
from satchel.adapters.clock import SystemClock
from satchel.adapters.embedders.varied import Varied
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.bootstrap import make_embedder, open_index
from satchel.config import Settings
from satchel.derive import upkeep
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId
from satchel.interfaces.bench.speed.corpus import EMBEDDED, SEED, VARIATION, Text, corpus
from satchel.ports import Change
from satchel.store.admit import Draft, admit

WORK = Path(__file__).parent / "work"
MEMORIES_PER_COMMIT = 500
_SOURCE = Path(__file__).parent.parent / "src" / "satchel"
# What a filled store's bytes depend on. A change elsewhere does not make anybody wait for a new one.
_SHAPING = (
    "adapters/sqlite",
    "adapters/lance",
    "adapters/embedders/minilm.py",
    "adapters/embedders/varied.py",
    "interfaces/bench/speed/corpus.py",
    "derive",
    "domain",
    "store",
)
_MINUTE_MS = 60_000


class Standing(Struct, frozen=True):
    """How the memories of a store are spread over importance and trust, as shares of them."""

    name: str
    graded: float
    untrusted: float


# One search answers most questions of the first; the other takes a search for each tier.
GRADED = Standing("graded", graded=1.0, untrusted=0.0)
MIXED = Standing("mixed", graded=0.3, untrusted=0.2)


def filled_store(rows: int, standing: Standing, settings: Settings, *, fresh: bool) -> Path:
    """Return the folder of a store with so many memories, embedded and indexed; made now if there is none.

    A fresh one embeds every text anew as well.
    """
    folder = WORK / f"store-{standing.name}-{rows}-{_version()}"
    if fresh or not (folder / "filled.json").exists():
        for old in WORK.glob(f"store-{standing.name}-{rows}-*"):
            shutil.rmtree(old)
        for old in WORK.glob("vectors-*.npz") if fresh else ():
            old.unlink()
        _fill(folder, corpus(rows), standing, settings)
    return folder


def how_filled(folder: Path) -> dict[str, float]:
    """Return how long each step of filling took, in seconds."""
    found: dict[str, float] = json.loads((folder / "filled.json").read_text(encoding="utf-8"))
    return found


def _version() -> str:
    shaping = [file for name in _SHAPING for file in sorted((_SOURCE / name).rglob("*.py")) or [_SOURCE / name]]
    ours = [Path(__file__).with_name(name) for name in ("filled.py",)]
    written = hashlib.sha256(f"{version('pylance')} {version('apsw')}".encode())
    for file in [*shaping, *ours]:
        written.update(file.read_bytes())
    return written.hexdigest()[:12]


def _fill(folder: Path, contents: Sequence[Text], standing: Standing, settings: Settings) -> None:
    folder.mkdir(parents=True)
    ledger = SqliteLedger(folder / "ledger.sqlite3")
    started = time.perf_counter()
    _commit(ledger, contents, standing)
    committed = time.perf_counter()
    real = make_embedder("minilm", settings)
    assert real is not None, "minilm is an embedder"
    embedder = Remembered(real, WORK)
    index = cache(lambda: open_index(folder / "index"))
    derived = upkeep.Derived(ledger, index, lambda _: Varied(embedder, VARIATION), settings.clamp, SystemClock())
    ends: dict[str, float] = {}

    def note(done: int, total: int, what: str) -> None:
        ends[what] = time.perf_counter()
        show(done, total, what)

    filled = upkeep.build(derived, note)
    built = time.perf_counter()
    ledger.memories.scrub()
    ledger.close()
    if filled.problem or filled.skipped:
        raise SystemExit(f"filling the store failed: {filled}")
    embedder.keep()
    known, varied = min(len(contents), EMBEDDED) - embedder.asked, max(0, len(contents) - EMBEDDED)
    how = f"embed {embedder.asked:,}, keep {known:,} vectors made earlier, vary {varied:,}"
    seconds = {"commit": committed - started, how: ends["embedding"] - committed, "index": built - ends["embedding"]}
    (folder / "filled.json").write_text(json.dumps(seconds), encoding="utf-8")


def _commit(ledger: SqliteLedger, contents: Sequence[Text], standing: Standing) -> None:
    chance, now = random.Random(SEED), SystemClock().now()
    for start in range(0, len(contents), MEMORIES_PER_COMMIT):
        batch = contents[start : start + MEMORIES_PER_COMMIT]
        ages = range(len(contents) - start, 0, -1)
        changes = [
            _change(one, standing, chance, now - age * _MINUTE_MS) for one, age in zip(batch, ages, strict=False)
        ]
        ledger.memories.commit(changes, Receipt("store", asked={"memories": len(batch), "first": start}, at=now))
        show(start + len(batch), len(contents), "storing")


def _change(one: Text, standing: Standing, chance: random.Random, at: int) -> Change:
    # One in a hundred each is quarantined and expired, so that the rules of a view have something to keep out.
    quarantined, expired = chance.random() < 0.01, chance.random() < 0.01
    graded, untrusted = chance.random() < standing.graded, chance.random() < standing.untrusted
    draft = Draft(
        one.text,
        one.scope,
        one.kind,
        importance=round(chance.random(), 2) if graded else None,
        trust="quarantined" if quarantined else "untrusted" if untrusted else None,
        valid_to="2024-01-01" if expired else None,
    )
    memory = admit(draft, id=MemoryId(str(uuid.UUID(int=chance.getrandbits(128), version=4))), now=at)
    return Change(memory, None, "store", "bench")
