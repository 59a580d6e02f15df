"""Measure the graph: reading a thousand files of Python, and walking a hundred thousand relations.

    python -m bench.graph

Wall clock and processor time of this process stand side by side: on a busy machine only the second one says anything.
"""

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from satchel.bootstrap import Satchel
from satchel.config import load
from satchel.domain.graph import Claim, EntityType, Extract, Ref, Relation, Sighting, Source, SourceType
from satchel.domain.receipt import Receipt
from satchel.ports.graph import Read

FILES = 1_000
ENTITIES = 20_000
RELATIONS = 100_000
PER_SOURCE = 100
QUESTIONS = 200
SEED = 7
RELATIONS_USED = (Relation.USES, Relation.DEPENDS_ON, Relation.CALLS, Relation.IMPORTS, Relation.MENTIONS)
SOURCE = Path(__file__).parents[1] / "src"


def main() -> None:
    """Run the measurements and print them."""
    print("| what | wall clock | processor |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        _reading(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        _walking(Path(folder))


def _reading(folder: Path) -> None:
    """Read as many files as there are to be: this project's own, several times over."""
    originals = sorted(SOURCE.rglob("*.py"))
    for number in range(FILES):
        original = originals[number % len(originals)]
        copy = folder / "code" / f"copy{number // len(originals)}" / original.relative_to(SOURCE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(original.read_bytes())
    with _opened(folder / "home") as memory:
        _timed(f"read {FILES:,} files of Python", lambda: memory.graph.extract(str(folder / "code")))
        _timed("read them again, unchanged", lambda: memory.graph.extract(str(folder / "code")))


def _walking(folder: Path) -> None:
    names = [f"service {number:05d}" for number in range(ENTITIES)]
    chance = random.Random(SEED)
    with _opened(folder) as memory:
        _timed(f"write {RELATIONS:,} relations", lambda: _fill(memory, names, chance))
        _timed("first path, which loads everything", lambda: memory.graph.path(names[3], names[77]))
        pairs = [chance.sample(names, 2) for _ in range(QUESTIONS)]
        _spread("path, warm", [lambda pair=pair: memory.graph.path(*pair) for pair in pairs])  # type: ignore[misc]
        _spread("question, warm", [lambda one=one: memory.graph.ask(f"what depends on {one}") for one, _ in pairs])  # type: ignore[misc]


def _fill(memory: Satchel, names: list[str], chance: random.Random) -> None:
    """Write relations between entities, of which a few are in very many."""
    reads = []
    for number in range(RELATIONS // PER_SOURCE):
        claims: dict[tuple[int, int], Claim] = {}
        while len(claims) < PER_SOURCE:
            popular = min(len(names) - 1, int(chance.paretovariate(0.5)))
            ends = (chance.randrange(len(names)), popular if chance.random() < 0.2 else chance.randrange(len(names)))
            if ends[0] != ends[1]:
                tail, head = (Ref(EntityType.TOOL, names[end]) for end in ends)
                claims[ends] = Claim(tail, chance.choice(RELATIONS_USED), head, "bench", 1)
        refs = dict.fromkeys(ref for claim in claims.values() for ref in (claim.tail, claim.head))
        extract = Extract(tuple(Sighting(ref, "bench", 1, True) for ref in refs), tuple(claims.values()))
        reads.append(Read(Source("global", SourceType.ADDED, f"source {number}"), extract))
    memory._ledger.graph.replace(reads, [], Receipt("graph extract", {}))


def _opened(home: Path) -> Satchel:
    return Satchel.open(settings=load(home=str(home), embedding={"provider": "none"}))


def _timed(what: str, act: Callable[[], object]) -> None:
    wall, processor = _once(act)
    print(f"| {what} | {wall:.2f} s | {processor:.2f} s |")


def _spread(what: str, acts: list[Callable[[], object]]) -> None:
    times = [_once(act) for act in acts]
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        wall, processor = (sorted(column)[int(share * len(times))] * 1_000 for column in zip(*times, strict=True))
        print(f"| {what}, {name} | {wall:.1f} ms | {processor:.1f} ms |")


def _once(act: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - processor


if __name__ == "__main__":
    main()
