"""Haystacks: scratch stores that hold the units of a corpus and answer its questions, through Satchel's operations or a plain peer."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from bench.datasets.dataset import Level, Question, Unit
from bench.peers import peer_info
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.embedding import Vector
from satchel.errors import Unavailable
from satchel.ports import Embedder, Progress
from satchel.recall.request import MAX_LIMIT, Mode

SCOPE = "bench"
_PROGRESS_STEP = 100
_BATCH = 500
# Several pieces of one document may be found: ask for more pieces than documents, up to the limit of a search.
_PIECES, _MOST_PIECES = 3, 200
# Likewise for the turns of a session.
_TURNS = 8
_DOC_MODES = {Mode.LEXICAL: "search", Mode.VECTOR: "vsearch", Mode.HYBRID: "query"}


class Haystack(Protocol):
    """A store that holds the units of one corpus."""

    def load(self, units: Sequence[Unit], progress: Progress) -> None:
        """Store every unit, with its vector if there is a model."""
        ...

    def ask(self, question: Question, *, mode: str, level: Level, depth: int) -> list[str]:
        """Return the ids of units, or of their sessions, best first and without duplicates."""
        ...

    def unit_of(self, id: str) -> str | None:
        """Return the id of the unit that a record came from."""
        ...


class Episodes:
    """Implements Haystack with `episodes`: every unit is a turn with its session, speaker and date."""

    def __init__(self, memory: Satchel) -> None:
        self._memory = memory
        self._units: dict[str, str] = {}
        self._refs: dict[str, str] = {}
        self._sessions: dict[str, str] = {}

    def load(self, units: Sequence[Unit], progress: Progress) -> None:
        # Names of units and sessions may contain an answer: store numbers instead.
        numbers = {name: f"s{number}" for number, name in enumerate(dict.fromkeys(one.session for one in units))}
        self._sessions = {number: name for name, number in numbers.items()}
        self._refs = {f"t{number}": unit.id for number, unit in enumerate(units)}
        turns = [
            {
                "text": unit.text,
                "session": numbers[unit.session],
                "speaker": unit.speaker,
                "role": unit.role,
                "at": unit.at,
                "id": ref,
            }
            for ref, unit in zip(self._refs, units, strict=True)
        ]
        for start in range(0, len(turns), _BATCH):
            self._add(turns[start : start + _BATCH])
            progress(min(start + _BATCH, len(turns)), len(turns), "adding")
        with suppress(Unavailable):
            self._memory.episodes.embed(progress=progress)

    def _add(self, turns: Sequence[Mapping[str, object]]) -> None:
        rows = [{name: value for name, value in turn.items() if value is not None} for turn in turns]
        ids = self._memory.episodes.add(turns=rows, scope=SCOPE).result.ids
        if len(ids) == len(turns):
            self._units |= {id: self._refs[str(turn["id"])] for id, turn in zip(ids, turns, strict=True)}
        elif len(turns) > 1:
            # One was rejected. Add them one by one to learn which ids belong to which.
            for turn in turns:
                self._add([turn])

    def ask(self, question: Question, *, mode: str, level: Level, depth: int) -> list[str]:
        found = self._memory.episodes.search(
            question.text, scope=SCOPE, mode=mode, limit=depth, level=level.value, now=question.at
        ).result.hits
        if level is Level.SESSION:
            return _distinct((self._sessions[hit.session] for hit in found), depth)
        return _distinct((self._refs[hit.ref] for hit in found if hit.ref), depth)

    def unit_of(self, id: str) -> str | None:
        return self._units.get(id)


class Documents:
    """Implements Haystack with `documents`: every unit is a document, found by its pieces."""

    def __init__(self, memory: Satchel) -> None:
        self._memory = memory
        self._refs: dict[str, str] = {}
        self._pieces: dict[str, str] = {}

    def load(self, units: Sequence[Unit], progress: Progress) -> None:
        self._refs = {f"d{number}": unit.id for number, unit in enumerate(units)}
        texts = [
            {"ref": ref, "text": unit.text} | ({"language": unit.language} if unit.language else {})
            for ref, unit in zip(self._refs, units, strict=True)
        ]
        self._memory.documents.add(texts, collection=SCOPE, scope=SCOPE, progress=progress)

    def ask(self, question: Question, *, mode: str, level: Level, depth: int) -> list[str]:
        found = self._memory.documents.search(
            question.text,
            mode=_DOC_MODES[Mode(mode)],
            limit=min(_PIECES * depth, _MOST_PIECES),
            scope=SCOPE,
            collection=SCOPE,
        ).result.hits
        self._pieces |= {hit.id: self._refs[hit.ref] for hit in found}
        return _distinct((self._refs[hit.ref] for hit in found), depth)

    def unit_of(self, id: str) -> str | None:
        return self._pieces.get(id)


class Memories:
    """Implements Haystack with `store` and `recall`: every unit is a memory with its session, without its date."""

    def __init__(self, memory: Satchel) -> None:
        self._memory = memory
        self._units: dict[str, Unit] = {}

    def load(self, units: Sequence[Unit], progress: Progress) -> None:
        # Names of sessions may contain an answer: store numbers instead.
        numbers = {name: f"s{number}" for number, name in enumerate(dict.fromkeys(one.session for one in units))}
        for done, unit in enumerate(units, start=1):
            said = f"{unit.speaker}: {unit.text}" if unit.speaker else unit.text
            session = numbers[unit.session] if unit.session else None
            self._units[self._memory.store(said, scope=SCOPE, session=session).result.id] = unit
            if done % _PROGRESS_STEP == 0:
                progress(done, len(units), "storing")
        # Without an embedder there is nothing to build.
        with suppress(Unavailable):
            self._memory.maintenance.index_build(progress=progress)

    def ask(self, question: Question, *, mode: str, level: Level, depth: int) -> list[str]:
        hits = self._memory.recall(question.text, scope=SCOPE, mode=mode, limit=min(depth, MAX_LIMIT)).result.hits
        units = (self._units[hit.memory.id] for hit in hits)
        return _distinct((one.id if level is Level.TURN else one.session for one in units), depth)

    def unit_of(self, id: str) -> str | None:
        return self._units[id].id if id in self._units else None


class Plain:
    """Implements Haystack with a plain peer: full text or, with a model, full text and vectors."""

    def __init__(self, folder: Path, embedder: Embedder | None) -> None:
        self._peer = peer_info("plain Lance" if embedder else "plain FTS5").open(folder)
        self._embedder = embedder
        self._units: dict[str, Unit] = {}

    def load(self, units: Sequence[Unit], progress: Progress) -> None:
        said = [spoken(unit) for unit in units]
        self._units = {unit.id: unit for unit in units}
        self._peer.fill([unit.id for unit in units], said, [SCOPE] * len(units), self._vectors(said))
        progress(len(units), len(units), "adding")

    def ask(self, question: Question, *, mode: str, level: Level, depth: int) -> list[str]:
        wanted = depth if level is Level.TURN else _TURNS * depth
        (vector,) = self._vectors([question.text])
        units = [self._units[id] for id, _ in self._peer.recall(question.text, vector, SCOPE, wanted)]
        return _distinct((one.id if level is Level.TURN else one.session for one in units), depth)

    def unit_of(self, id: str) -> str | None:
        return id if id in self._units else None

    def close(self) -> None:
        """Close its files."""
        self._peer.close()

    def _vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        return self._embedder.embed(texts) if self._embedder else [None] * len(texts)


def spoken(unit: Unit) -> str:
    """Return a unit as a line with its speaker."""
    return f"{unit.speaker or unit.role}: {unit.text}\n" if unit.speaker or unit.role else f"{unit.text}\n"


HAYSTACKS: dict[str, Callable[[Satchel], Haystack]] = {
    "episodes": Episodes,
    "documents": Documents,
    "memories": Memories,
}
"""The haystacks that go through Satchel's operations, by name."""


PLAIN = "plain"


@contextmanager
def opened(through: str, settings: Settings, embedder: Embedder | None) -> Iterator[Haystack]:
    """Open an empty haystack by name."""
    if through != PLAIN:
        with scratch(settings, embedder) as memory:
            yield HAYSTACKS[through](memory)
        return
    with (
        tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder,
        closing(Plain(Path(folder), embedder)) as plain,
    ):
        yield plain


@contextmanager
def scratch(settings: Settings, embedder: Embedder | None) -> Iterator[Satchel]:
    """Open an empty store in a temporary folder."""
    # Repeated texts are separate units. Sequential ids make ties break the same way in every run.
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
