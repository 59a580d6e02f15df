"""The other lanes: episodes, documents and the graph in the same store, and packs and routes over all of them."""

import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.speed.corpus import SCOPES, SEED, Text, asked, texts
from bench.speed.fixture import Fixture
from bench.speed.relations import SCOPE as GRAPH_SCOPE
from bench.speed.relations import name_of, relate
from bench.speed.results import Contest
from bench.speed.timing import SATCHEL, contest, in_turns, summed_up
from bench.speed.variations import BorrowedEmbedder
from satchel.app import Satchel
from satchel.ports import Embedder

# Upper limits, however many memories there are.
MOST_TURNS, MOST_FILES, MOST_RELATIONS = 100_000, 10_000, 100_000
MEMORIES_PER_FILE = 10
LIMIT = 10
# Vectors of turns and pieces are variations of this many real ones.
LENDERS = 4_000
_TURNS_PER_SESSION, _TURNS_PER_CALL = 40, 1_000
_SENTENCES, _SECTIONS, _PER_SECTION = 20_000, 3, 5
_SPEAKERS = ("Anna", "Mara", "Jonas", "Priya")
_DAY_MS, _MINUTE_MS, _BEGAN_MS = 86_400_000, 60_000, 1_700_000_000_000
_BORROWED = "vectors are variations of real ones, questions are embedded"


def lanes(fixture: Fixture) -> Iterator[Contest]:
    """Fill the lanes and time a search of each, then a pack and a route over all."""
    turns = texts(min(fixture.rows, MOST_TURNS), SEED + 3)
    files = min(fixture.rows // MEMORIES_PER_FILE, MOST_FILES)
    with Satchel.open(settings=fixture.settings, actor="bench", embedder=_borrowed(fixture)) as filling:
        yield _episodes_added(filling, turns)
        yield from _documents_added(fixture, filling, files)
        filling.episodes.embed(progress=fixture.progress)
        relations = min(fixture.rows, MOST_RELATIONS)
        relate(filling, relations)
    os.sync()
    yield _episodes(fixture, turns)
    yield _documents(fixture, files)
    yield _paths(fixture, relations)
    yield _pack(fixture)
    yield _route(fixture)


def _borrowed(fixture: Fixture) -> Embedder:
    return BorrowedEmbedder(fixture.cached_embedder, [one.text for one in fixture.contents[:LENDERS]])


def _episodes_added(filling: Satchel, turns: Sequence[Text]) -> Contest:
    seconds = 0.0
    for scope in SCOPES:
        own = [_turn(place, one) for place, one in enumerate(turns) if one.scope == scope]
        for start in range(0, len(own), _TURNS_PER_CALL):
            started = time.perf_counter()
            filling.episodes.add(own[start : start + _TURNS_PER_CALL], scope=scope)
            seconds += time.perf_counter() - started
    rate = summed_up([len(turns) / seconds])
    note = f"{_TURNS_PER_CALL:,} turns to a call, secrets masked, without vectors"
    return contest("episodes: turns added", "rows/s", {SATCHEL: rate}, more_is_better=True, note=note)


def _turn(place: int, one: Text) -> dict[str, object]:
    session = place // _TURNS_PER_SESSION
    return {
        "text": one.text,
        "session": f"s{session}",
        "speaker": _SPEAKERS[place % len(_SPEAKERS)],
        "role": "user",
        "at": _BEGAN_MS + session * _DAY_MS + place % _TURNS_PER_SESSION * _MINUTE_MS,
        "id": f"t{place}",
    }


def _documents_added(fixture: Fixture, filling: Satchel, files: int) -> Iterator[Contest]:
    folder = fixture.work / "documents"
    _write(folder, files)
    for what in ("documents: files taken in", "documents: taken in again, unchanged"):
        started = time.perf_counter()
        for scope in SCOPES:
            filling.documents.ingest(str(folder / scope), scope=scope, collection=_collection(scope), embed=False)
        rate = summed_up([files / (time.perf_counter() - started)])
        note = f"{files:,} Markdown files, without vectors"
        yield contest(what, "files/s", {SATCHEL: rate}, more_is_better=True, note=note)


def _write(folder: Path, files: int) -> None:
    chance, sentences = random.Random(SEED + 4), texts(_SENTENCES, SEED + 4)
    for scope in SCOPES:
        (folder / scope).mkdir(parents=True)
    for number in range(files):
        chosen = chance.choices(sentences, k=_SECTIONS * _PER_SECTION)
        parts = [f"# Notes {number}"]
        for section in range(_SECTIONS):
            parts.append(f"## Part {section}")
            parts += [one.text for one in chosen[section * _PER_SECTION : (section + 1) * _PER_SECTION]]
        path = folder / SCOPES[number % len(SCOPES)] / f"notes-{number}.md"
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _collection(scope: str) -> str:
    return scope.rpartition("/")[2]


def _episodes(fixture: Fixture, turns: Sequence[Text]) -> Contest:
    questions = asked(turns, fixture.runs)

    def ours(run: int) -> None:
        one = questions[run % fixture.runs]
        fixture.memory.episodes.search(one.question, scope=one.scope, limit=LIMIT)

    note = f"{len(turns):,} turns in 10 scopes; {_BORROWED}"
    return contest("episodes search, hybrid", "ms", in_turns({SATCHEL: ours}, fixture.runs), note=note)


def _documents(fixture: Fixture, files: int) -> Contest:
    def ours(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        fixture.memory.documents.search(one.question, scope=one.scope, limit=LIMIT)

    note = f"{files:,} files in 10 scopes; {_BORROWED}"
    return contest("documents search, hybrid", "ms", in_turns({SATCHEL: ours}, fixture.runs), note=note)


def _paths(fixture: Fixture, relations: int) -> Contest:
    chance = random.Random(SEED + 5)

    def ours(run: int) -> None:
        start, goal = chance.sample(range(relations // 5), 2)
        fixture.memory.graph.path(name_of(start), name_of(goal), scope=GRAPH_SCOPE)

    note = f"{relations:,} relations of {relations // 5:,} entities"
    return contest("graph: a path", "ms", in_turns({SATCHEL: ours}, fixture.runs), note=note)


def _pack(fixture: Fixture) -> Contest:
    def ours(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        fixture.memory.packing.pack(one.question, scope=one.scope)

    note = "hybrid"
    return contest("pack, every lane filled", "ms", in_turns({SATCHEL: ours}, fixture.runs), note=note)


def _route(fixture: Fixture) -> Contest:
    def ours(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        fixture.memory.routing.route(one.question, scope=one.scope)

    note = "over the native backends"
    return contest("route, every lane filled", "ms", in_turns({SATCHEL: ours}, fixture.runs), note=note)
