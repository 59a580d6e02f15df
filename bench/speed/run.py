"""Run the speed benchmark: every measurement at each size."""

from collections.abc import Callable, Iterable, Sequence

from bench.embedding import CachedEmbedder, cache_folder, load_uncached
from bench.machine import changed_settings, this_machine
from bench.speed import bulk, processes, warm
from bench.speed.bars import with_bars
from bench.speed.corpus import SEED, VARIATION
from bench.speed.dense import dense_attention
from bench.speed.fixture import Fixture, fixture
from bench.speed.lanes import lanes
from bench.speed.mcp_start import mcp_starts
from bench.speed.neighbours import neighbours
from bench.speed.results import Contest, Sized, SpeedResult
from bench.speed.serving import served
from bench.speed.variations import VariedEmbedder
from bench.speed.writers import writers
from satchel.config import Settings
from satchel.errors import InvalidRequest, SatchelError
from satchel.ports import Embedder, Progress

# In this order: measurements that write to the store come last.
MEASUREMENTS: dict[str, Callable[[Fixture], Iterable[Contest]]] = {
    "disk": lambda fixture: [bulk.disk(fixture)],
    "filling": lambda fixture: [bulk.filling(fixture), bulk.bulk_import(fixture)],
    "memory": lambda fixture: [processes.resident(fixture)],
    "recall": lambda fixture: [warm.hybrid_recall(fixture), warm.mixed_recall(fixture), warm.lexical_recall(fixture)],
    "neighbours": lambda fixture: [neighbours(fixture)],
    "pack": lambda fixture: [warm.pack(fixture)],
    "route": lambda fixture: [warm.route(fixture)],
    "attention": lambda fixture: [warm.attention(fixture), *dense_attention(fixture)],
    "ingest": lambda fixture: [bulk.ingest(fixture)],
    "cold": processes.cold_starts,
    "mcp": mcp_starts,
    "serve": served,
    "lanes": lanes,
    "writers": writers,
    "store": lambda fixture: [warm.recall_after_store(fixture), warm.durable_store(fixture)],
}
SIZES = (1_000, 10_000, 100_000)
LEAST, MOST = 100, 1_000_000
RUNS = 200
LEAST_RUNS = 5


def run_speed(
    settings: Settings,
    progress: Progress,
    *,
    sizes: Sequence[int] = (),
    runs: int = RUNS,
    only: Sequence[str] = (),
    cache: str | None = None,
) -> SpeedResult:
    """Measure at each size."""
    wanted = tuple(sizes) or SIZES
    for size in wanted:
        if not LEAST <= size <= MOST:
            raise InvalidRequest(
                f"invalid number of memories: {size}", code="out_of_range", hint=f"{LEAST} to {MOST:,}"
            )
    if not LEAST_RUNS <= runs <= 10_000:
        raise InvalidRequest(f"invalid number of runs: {runs}", code="out_of_range", hint=f"{LEAST_RUNS} to 10,000")
    machine, embedder = this_machine(), load_uncached(settings)
    varied = VariedEmbedder(CachedEmbedder(embedder, cache_folder(cache)), VARIATION)
    found = tuple(_sized(size, runs, only, settings, embedder, varied, progress) for size in wanted)
    return SpeedResult(SEED, embedder.name, changed_settings(settings), found, machine)


def _sized(
    size: int,
    runs: int,
    only: Sequence[str],
    settings: Settings,
    embedder: Embedder,
    cached_embedder: Embedder,
    progress: Progress,
) -> Sized:
    with fixture(size, runs, settings, embedder, cached_embedder, progress) as found:
        contests, failed = list[Contest](), dict[str, str]()
        chosen = [name for name in MEASUREMENTS if name in only or not only]
        for done, name in enumerate(chosen):
            progress(done, len(chosen), f"measuring {size:,}")
            try:
                for contest in MEASUREMENTS[name](found):
                    contests.append(contest)  # one by one, to keep those before a failure
            except SatchelError as error:
                # A failure does not lose the other measurements.
                failed[name] = error.message
        progress(len(chosen), len(chosen), f"measuring {size:,}")
        return Sized(size, with_bars(contests, size), {**found.left_out, **failed})
