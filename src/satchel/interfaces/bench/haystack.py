"""Where the units of a set are kept and asked: a scratch store each, filled through the product's own operations."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count, islice
from typing import Protocol

from msgspec.structs import replace

from satchel.bootstrap import Satchel
from satchel.config import Settings
from satchel.errors import Unavailable
from satchel.interfaces.bench.sets import Level, Question, Unit
from satchel.ports import Embedder, Progress
from satchel.recall.question import MAX_LIMIT

SCOPE = "bench"
_PROGRESS_STEP = 100


class Haystack(Protocol):
    """A store that holds the units of one corpus."""

    def load(self, units: Sequence[Unit], progress: Progress) -> None:
        """Keep every unit, with its vector if there is a model."""
        ...

    def ask(self, question: Question, *, mode: str, level: Level, depth: int) -> list[str]:
        """Return the ids of the units, or of their sessions, best first and none twice."""
        ...


class Memories:
    """Implements Haystack over `store` and `recall`: every unit a memory of its own, knowing nothing of its neighbours."""

    def __init__(self, memory: Satchel) -> None:
        self._memory = memory
        self._units: dict[str, Unit] = {}

    def load(self, units: Sequence[Unit], progress: Progress) -> None:
        for done, unit in enumerate(units, start=1):
            said = f"{unit.speaker}: {unit.text}" if unit.speaker else unit.text
            self._units[self._memory.store(said, scope=SCOPE).result.id] = unit
            if done % _PROGRESS_STEP == 0:
                progress(done, len(units), "storing")
        # Without an embedder there is nothing to build.
        with suppress(Unavailable):
            self._memory.index_build(progress=progress)

    def ask(self, question: Question, *, mode: str, level: Level, depth: int) -> list[str]:
        hits = self._memory.recall(question.text, scope=SCOPE, mode=mode, limit=min(depth, MAX_LIMIT)).result.hits
        units = (self._units[hit.memory.id] for hit in hits)
        return _distinct((one.id if level is Level.TURN else one.session for one in units), depth)


HAYSTACKS: dict[str, Callable[[Satchel], Haystack]] = {"memories": Memories}
"""Which of the product's operations the units go through, by name."""


@contextmanager
def scratch(settings: Settings, embedder: Embedder | None) -> Iterator[Satchel]:
    """Open an empty store in a folder that is gone afterwards."""
    # The same text said twice is two units. Ids in the order of arrival: ties break the same way in every run.
    own = replace(settings, read_only=False, ledger="", store=replace(settings.store, duplicates="off"))
    if embedder is None:
        own = replace(own, embedding=replace(own.embedding, provider="none"))
    numbers = count(1)
    with (
        tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder,
        Satchel.open(
            settings=replace(own, home=folder),
            actor="bench",
            new_id=lambda: f"{next(numbers):08d}",
            embedder=embedder,
        ) as memory,
    ):
        yield memory


def _distinct(ids: Iterable[str], depth: int) -> list[str]:
    return list(islice(dict.fromkeys(ids), depth))
