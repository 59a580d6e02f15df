"""The speed benchmark: for each size, everything that is measured, Satchel and its peers in turns."""

from collections.abc import Callable, Iterable, Sequence

from satchel.config import Settings
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, SatchelError, Unavailable
from satchel.interfaces.bench.differing import differing
from satchel.interfaces.bench.embedding import DEFAULT, cache_folder
from satchel.interfaces.bench.machine import this_machine
from satchel.interfaces.bench.results import Contest, Sized, Speed
from satchel.interfaces.bench.speed import bulk, processes, warm
from satchel.interfaces.bench.speed.bars import held_against
from satchel.interfaces.bench.speed.corpus import SEED, VARIATION
from satchel.interfaces.bench.speed.dense import dense_attention
from satchel.interfaces.bench.speed.ground import Ground, ground
from satchel.interfaces.bench.speed.lanes import lanes
from satchel.interfaces.bench.speed.neighbours import neighbours
from satchel.interfaces.bench.speed.serving import served
from satchel.interfaces.bench.speed.writers import writers
from satchel.ports import Embedder, Progress
from satchel.wiring.adapters import make_embedder, remembering

# In this order: what needs the store as it was filled comes before what writes to it.
MEASUREMENTS: dict[str, Callable[[Ground], Iterable[Contest]]] = {
    "disk": lambda ground: [bulk.disk(ground)],
    "filling": lambda ground: [bulk.filling(ground)],
    "memory": lambda ground: [processes.resident(ground)],
    "recall": lambda ground: [warm.hybrid_recall(ground), warm.mixed_recall(ground), warm.lexical_recall(ground)],
    "neighbours": lambda ground: [neighbours(ground)],
    "pack": lambda ground: [warm.pack(ground)],
    "route": lambda ground: [warm.route(ground)],
    "attention": lambda ground: [warm.attention(ground), *dense_attention(ground)],
    "ingest": lambda ground: [bulk.ingest(ground)],
    "cold": processes.cold_starts,
    "serve": served,
    "lanes": lanes,
    "writers": writers,
    "store": lambda ground: [warm.recall_after_store(ground), warm.durable_store(ground)],
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
) -> Ok[Speed]:
    """Measure every size asked for; a million memories only where they are named."""
    wanted = tuple(sizes) or SIZES
    for size in wanted:
        if not LEAST <= size <= MOST:
            raise InvalidRequest(f"{size} is no size", code="out_of_range", hint=f"{LEAST} to {MOST:,}")
    if not LEAST_RUNS <= runs <= 10_000:
        raise InvalidRequest(f"{runs} runs say nothing", code="out_of_range", hint=f"{LEAST_RUNS} to 10,000")
    machine, embedder = this_machine(), _embedder(settings)
    varied = _varied(remembering(embedder, cache_folder(cache)))
    found = tuple(_sized(size, runs, only, settings, embedder, varied, progress) for size in wanted)
    result = Speed(SEED, embedder.name, differing(settings), found, machine)
    return Ok(result, _receipt(result))


def _sized(
    size: int,
    runs: int,
    only: Sequence[str],
    settings: Settings,
    embedder: Embedder,
    remembered: Embedder,
    progress: Progress,
) -> Sized:
    with ground(size, runs, settings, embedder, remembered, progress) as found:
        contests, failed = list[Contest](), dict[str, str]()
        chosen = [name for name in MEASUREMENTS if name in only or not only]
        for done, name in enumerate(chosen):
            progress(done, len(chosen), f"measuring {size:,}")
            try:
                for contest in MEASUREMENTS[name](found):
                    contests.append(contest)  # what came before a failure stays
            except SatchelError as error:
                # What was measured for many minutes is not lost to the rest.
                failed[name] = error.message
        progress(len(chosen), len(chosen), f"measuring {size:,}")
        return Sized(size, held_against(contests, size), {**found.left_out, **failed})


def _embedder(settings: Settings) -> Embedder:
    embedder = make_embedder(settings.embedding.provider or DEFAULT, settings)
    if embedder is None:
        raise Unavailable("speed is measured with an embedder", code="no_embedder", hint="set embedding.provider")
    embedder.embed(["ready?"])
    return embedder


def _varied(embedder: Embedder) -> Embedder:
    from satchel.adapters.embedders.varied import Varied

    return Varied(embedder, VARIATION)


def _receipt(result: Speed) -> Receipt:
    return Receipt(
        "bench speed",
        asked={"sizes": [one.memories for one in result.sizes], "seed": result.seed},
        considered={"embedding_space": result.embedding_space},
        decided={"measured": sum(len(one.contests) for one in result.sizes)},
    )
