"""Simulates a store that is spread over several servers by scope: how even they are, and how busy.

Sizes of scopes are drawn from a heavy-tailed distribution, as they are in practice: a few scopes have most memories. The
cost of a recall and the bytes of a memory are figures of the team benchmark.
"""

import hashlib
import random
from collections.abc import Sequence

from msgspec import Struct

from bench.machine import Machine, this_machine
from satchel.config import Settings
from satchel.errors import InvalidRequest
from satchel.interfaces.evaluation.metrics import percentile
from satchel.ports import Progress

MEMORIES, SCOPES, SHARDS = 1_000_000_000, 100_000, (16, 64, 256)
# The exponent of the sizes: with 1.16 a fifth of the scopes has four fifths of the memories.
TAIL = 1.16
SEED = 20_261_116


class Spread(Struct, frozen=True):
    """How the scopes spread over some servers."""

    shards: int
    mean_memories: float
    largest_memories: float
    """Of the fullest server."""
    largest_bytes: float
    busiest: float
    """The share of its cores that the busiest server needs."""
    recall_ms_p50: float
    recall_ms_p95: float
    """With the waiting for a free core, by the share that is busy; infinite if a server cannot keep up."""


class ShardsResult(Struct, frozen=True):
    """Result of a simulation."""

    memories: int
    scopes: int
    recalls_a_second: float
    recall_ms: float
    bytes_a_memory: float
    cores: int
    largest_scope: float
    spreads: tuple[Spread, ...]
    machine: Machine


def run_shards(
    settings: Settings,
    progress: Progress,
    *,
    memories: int = MEMORIES,
    scopes: int = SCOPES,
    shards: Sequence[int] = SHARDS,
    recalls: float,
    recall_ms: float,
    bytes: float,
    cores: int,
) -> ShardsResult:
    """Assign scopes to servers by a hash of their names, as Citus does, and add up what each has to do."""
    if min(memories, scopes, *shards, cores) < 1 or min(recalls, recall_ms, bytes) <= 0:
        raise InvalidRequest("every number of a simulation must be above zero")
    chance = random.Random(SEED)
    weights = [chance.paretovariate(TAIL) for _ in range(scopes)]
    share = memories / sum(weights)
    sizes = [weight * share for weight in weights]
    spreads = []
    for done, count in enumerate(shards, start=1):
        spreads.append(_spread(sizes, count, recalls, recall_ms / 1000, bytes, cores))
        progress(done, len(shards), "simulating")
    return ShardsResult(
        memories, scopes, recalls, recall_ms, bytes, cores, round(max(sizes)), tuple(spreads), this_machine()
    )


def _spread(sizes: Sequence[float], count: int, recalls: float, seconds: float, bytes: float, cores: int) -> Spread:
    held, total = [0.0] * count, sum(sizes)
    for number, size in enumerate(sizes):
        digest = hashlib.sha256(f"scope-{number}".encode()).digest()
        held[int.from_bytes(digest[:4]) % count] += size
    # A scope is asked in proportion to its size.
    busy = [recalls * size / total * seconds / cores for size in held]
    # One queue and exponential service: the least favourable of the usual models.
    waits = [seconds / (1 - one) if one < 1 else float("inf") for one in busy]
    per_recall = sorted(zip(waits, held, strict=True))
    answered = [wait for wait, size in per_recall for _ in range(max(1, round(1000 * size / total)))]
    return Spread(
        count,
        round(total / count),
        round(max(held)),
        round(max(held) * bytes),
        round(max(busy), 3),
        round(1000 * percentile(answered, 0.5), 1),
        round(1000 * percentile(answered, 0.95), 1),
    )
