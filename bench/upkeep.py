"""How long the work on a whole store takes, whether it says how far it is, and how long another process waits meanwhile."""

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from bench.machine import Machine, changed_settings, this_machine
from bench.processes import hear, start, tell
from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.canonical import Json
from satchel.domain.moment import DAY_MS
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, Unavailable
from satchel.ports import Progress
from satchel.wiring.backup import restore_backup

MEMORIES = 20_000
LEAST, MOST = 200, 1_000_000
LONGEST_WAIT = 1.0
"""How many seconds another process may wait for one store."""
FILES_PER_MEMORY = 0.1
ESTIMATED_AT = 0.1
STEMS = [
    "ship",
    "tea",
    "harbour",
    "ledger",
    "checkout",
    "release",
    "walrus",
    "budget",
    "index",
    "garden",
    "token",
    "lamp",
]
WORDS = [f"{stem}{ending}" for stem in STEMS for ending in ("", "s", "ing", "ed", "er")]


class Step(Struct, frozen=True):
    """One piece of work."""

    name: str
    seconds: float
    reports: int
    """Number of its progress reports."""
    stores: int
    """How many memories the other process stored meanwhile."""
    longest_wait: float
    """The seconds that one of these stores took at most."""
    errors: int


class UpkeepResult(Struct, frozen=True):
    """Result of a run."""

    memories: int
    steps: tuple[Step, ...]
    files: int
    estimate: float
    """What the estimate of `docs ingest` after a tenth of the files was of the time that it took."""
    settings: dict[str, Json]
    machine: Machine

    @property
    def slow(self) -> tuple[str, ...]:
        """The steps during which another process waited too long."""
        return tuple(one.name for one in self.steps if one.longest_wait > LONGEST_WAIT)

    @property
    def silent(self) -> tuple[str, ...]:
        """The steps that did not say how far they are."""
        return tuple(one.name for one in self.steps if not one.reports)


class Reports(Struct):
    """Counts the reports of a step, and notes when each came."""

    times: list[tuple[float, int, int, str]]

    def __call__(self, done: int, total: int, what: str) -> None:
        """Take a report."""
        self.times.append((time.perf_counter(), done, total, what))


class OtherWriter:
    """A process that stores a memory twenty times a second."""

    def __init__(self, home: Path) -> None:
        self._process = start("bench.waiting_writer", home)
        hear(self._process)

    def waits(self) -> dict[str, Any]:
        """Return how long its stores took since the last question."""
        tell(self._process, "how long")
        found: dict[str, Any] = json.loads(hear(self._process))
        return found

    def end(self) -> None:
        """Let it end."""
        self._process.communicate()


Work = Callable[[Progress], object]


def run_upkeep(settings: Settings, progress: Progress, *, memories: int = MEMORIES) -> UpkeepResult:
    """Do everything that touches a whole store, once, while another process writes."""
    if not LEAST <= memories <= MOST:
        raise InvalidRequest(
            f"invalid number of memories: {memories}", code="out_of_range", hint=f"{LEAST} to {MOST:,}"
        )
    machine, steps, estimate = this_machine(), list[Step](), 0.0
    with TemporaryDirectory() as folder:
        home, work = Path(folder) / "home", Path(folder)
        write_memories(work / "mem0.jsonl", memories)
        files = max(1, int(memories * FILES_PER_MEMORY))
        write_documents(work / "notes", files)
        # Hashing: a model would measure the model.
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"}), actor="bench") as store:
            add_old_receipts(store, memories)
            with _other_writer(home) as other:
                tasks = {
                    **_tasks(store, work),
                    "backup restore": lambda progress: _restore_backup(work, progress),
                    "docs ingest": _ingest(store, work),
                }
                for place, (name, task) in enumerate(tasks.items()):
                    progress(place, len(tasks), name)
                    step, reports = _measured(name, task, other)
                    steps.append(step)
                    if name == "docs ingest":
                        estimate = estimate_share(reports)
            if (chain := store.maintenance.receipts_verify().result).broken_at is not None:
                raise Unavailable(f"the chain of receipts is broken: {chain.problem}", code="bench_failed")
    return UpkeepResult(memories, tuple(steps), files, estimate, changed_settings(settings), machine)


def _tasks(store: Satchel, work: Path) -> dict[str, Work]:
    point, undoable = store.parts.ledger.feed.tip(), list[str]()

    def rename(progress: Progress) -> None:
        undoable.append(store.scopes.rename("global", "moved", progress=progress).result.tag)

    def restore(progress: Progress) -> None:
        undoable.append(store.tags.restore(point, scope="global", progress=progress).result.tag or "")

    def undo(progress: Progress) -> None:
        # By its name: the last change is one of the other process.
        store.history.undo(undoable.pop(), progress=progress)

    return {
        "import": lambda progress: store.importing.import_(str(work / "mem0.jsonl"), yes=True, progress=progress),
        "index build": lambda progress: store.maintenance.index_build(progress=progress),
        "export": lambda progress: store.transfer.export(
            str(work / "all.jsonl"), all_scopes=True, redact=False, progress=progress
        ),
        "backup": lambda progress: store.backups.make(str(work / "all.backup"), progress=progress),
        "scopes rename": rename,
        "undo of the rename": undo,
        "tag restore": restore,
        "undo of the restore": undo,
        "receipts prune": lambda progress: store.maintenance.receipts_prune(older_than=30, progress=progress),
        "index rebuild": lambda progress: store.maintenance.index_rebuild(progress=progress),
    }


def _restore_backup(work: Path, progress: Progress) -> None:
    """Make a second store from the backup of the first."""
    settings = load(home=str(work / "restored"), embedding={"provider": "hashing"})
    file = str(work / "all.backup")
    restore_backup(settings, file, actor="bench", passphrase_file=None, replace=False, stamp="", progress=progress)


def _ingest(store: Satchel, work: Path) -> Work:
    return lambda progress: store.documents.ingest([str(work / "notes")], progress=progress)


def _measured(name: str, task: Work, other: OtherWriter) -> tuple[Step, Reports]:
    reports = Reports(times=[])
    other.waits()
    started = time.perf_counter()
    reports(0, 0, "start")
    task(reports)
    seconds = time.perf_counter() - started
    reports(1, 1, "end")
    waits = other.waits()
    step = Step(name, seconds, len(reports.times) - 2, waits["stores"], waits["longest"], waits["errors"])
    return step, reports


def estimate_share(reports: Reports) -> float:
    """Return the duration estimated after a tenth of the work, as a share of the real one."""
    (start, *_), (end, *_) = reports.times[0], reports.times[-1]
    for at, done, total, _ in reports.times[1:]:
        if total and done >= ESTIMATED_AT * total:
            return (at - start) * total / done / (end - start)
    return 0.0


@contextmanager
def _other_writer(home: Path) -> Iterator[OtherWriter]:
    other = OtherWriter(home)
    try:
        yield other
    finally:
        other.end()


def add_old_receipts(store: Satchel, count: int) -> None:
    """Add receipts that are old enough to be pruned."""
    old = store.parts.clock.now() - 100 * DAY_MS
    with store.parts.ledger.memories.transaction():
        for number in range(count):
            asked: dict[str, Json] = {"query_chars": number, "padding": "x" * 1_500}
            store.parts.ledger.memories.commit([], Receipt("recall", asked, at=old + number))


def write_memories(path: Path, count: int) -> None:
    """Write memories of random words as mem0 exports them."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = f"{' '.join(chance.choices(WORDS, k=18))} {number}"
            row = {"id": f"m{number}", "memory": text, "hash": "h", "created_at": "2024-05-01T10:00:00Z"}
            file.write(f"{json.dumps(row)}\n")


def write_documents(folder: Path, count: int) -> None:
    """Write Markdown files of different lengths."""
    chance = random.Random(2)
    folder.mkdir()
    for number in range(count):
        parts = [f"## Part {part}\n\n{' '.join(chance.choices(WORDS, k=60))}" for part in range(chance.randint(1, 8))]
        text = f"# Note {number}\n\n" + "\n\n".join(parts)
        (folder / f"{number:06}.md").write_text(text, encoding="utf-8")
