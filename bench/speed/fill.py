"""Fill a store with generated memories fast: admitted as usual, committed in large batches."""

import random
import uuid
from collections.abc import Sequence
from pathlib import Path

from bench.speed.corpus import MIXED_SCOPES, SEED, Text
from satchel.adapters.clock import SystemClock
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.admit import Draft, admit
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId
from satchel.locations import LEDGER
from satchel.ports import Change, Progress

# Large, because an index over random ids is rewritten with each commit.
MEMORIES_PER_COMMIT = 10_000
GRADED_OF_MIXED, UNTRUSTED_OF_MIXED = 0.3, 0.2
_MINUTE_MS = 60_000


def fill(home: Path, contents: Sequence[Text], progress: Progress) -> None:
    """Write generated memories to the ledger of a new store. Vectors are made later."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    ledger, chance, now = SqliteLedger(home / LEDGER), random.Random(SEED), SystemClock().now()
    for start in range(0, len(contents), MEMORIES_PER_COMMIT):
        batch = contents[start : start + MEMORIES_PER_COMMIT]
        ages = range(len(contents) - start, 0, -1)
        changes = [_change(one, chance, now - age * _MINUTE_MS) for one, age in zip(batch, ages, strict=False)]
        ledger.memories.commit(changes, Receipt("store", asked={"memories": len(batch), "first": start}, at=now))
        progress(start + len(batch), len(contents), "storing")
    ledger.close()


def _change(one: Text, chance: random.Random, at: int) -> Change:
    # 1 % each are quarantined and expired, so that the rules of a view have something to leave out.
    quarantined, expired = chance.random() < 0.01, chance.random() < 0.01
    mixed = one.scope in MIXED_SCOPES
    graded = not mixed or chance.random() < GRADED_OF_MIXED
    untrusted = mixed and chance.random() < UNTRUSTED_OF_MIXED
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
