"""The ground of one size: a filled Satchel, the same texts in every peer that is installed, and questions to ask."""

import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.embedding import Vector
from satchel.interfaces.bench.peers import RIVALS, Peer, Rival
from satchel.interfaces.bench.speed.corpus import MIXED_SCOPES, Text, asked, corpus
from satchel.interfaces.bench.speed.filling import fill
from satchel.interfaces.bench.speed.timing import SATCHEL, WARM_UP
from satchel.ports import Embedder, Progress

_PER_BATCH = 1_000


class Ground(Struct):
    """What every measurement of one size stands on."""

    rows: int
    runs: int
    settings: Settings
    memory: Satchel
    home: Path
    work: Path
    embedder: Embedder
    """The model itself, which remembers nothing: a question is embedded every time it is asked."""
    remembering: Embedder
    """The same for texts that are stored: what it has embedded once it knows."""
    peers: Mapping[str, Peer]
    contents: Sequence[Text]
    vectors: Sequence[Vector]
    questions: Sequence[Text]
    """Asked in scopes whose memories are all graded and trusted."""
    mixed_questions: Sequence[Text]
    """Asked in scopes whose memories are of every standing."""
    new: Sequence[Text]
    """Texts that nobody holds yet."""
    new_vectors: Sequence[Vector]
    fill_seconds: Mapping[str, float]
    left_out: Mapping[str, str]
    progress: Progress


@contextmanager
def ground(
    rows: int, runs: int, settings: Settings, embedder: Embedder, remembering: Embedder, progress: Progress
) -> Iterator[Ground]:
    """Fill every system with the same generated texts, in folders that are gone afterwards."""
    contents, new = _contents(rows, runs + WARM_UP)
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
        work = Path(folder)
        vectors = _vectors([one.text for one in contents], remembering, progress)
        seconds: dict[str, float] = {}
        own = replace(settings, home=str(work / SATCHEL), ledger="", read_only=False)
        seconds[SATCHEL] = _fill_satchel(own, contents, remembering, progress)
        peers: dict[str, Peer] = {}
        for one in RIVALS:
            if not _why_not(one, rows):
                peers[one.name], seconds[one.name] = _fill_peer(one, work / one.package, contents, vectors, progress)
        # Everything is on disk before anything is timed: a durable write would wait for what others have left to be written.
        os.sync()
        with Satchel.open(settings=own, actor="bench", embedder=embedder) as memory:
            yield Ground(
                rows=rows,
                runs=runs,
                settings=own,
                memory=memory,
                home=work / SATCHEL,
                work=work,
                embedder=embedder,
                remembering=remembering,
                peers=peers,
                contents=contents,
                vectors=vectors,
                questions=asked([one for one in contents if one.scope not in MIXED_SCOPES], runs),
                mixed_questions=asked([one for one in contents if one.scope in MIXED_SCOPES], runs),
                new=new,
                new_vectors=remembering.embed([one.text for one in new]),
                fill_seconds=seconds,
                left_out={one.name: why for one in RIVALS if (why := _why_not(one, rows))},
                progress=progress,
            )
        for peer in peers.values():
            peer.close()


def _contents(rows: int, more: int) -> tuple[list[Text], list[Text]]:
    made = corpus(rows + more)
    return made[:rows], made[rows:]


def _vectors(texts: Sequence[str], remembering: Embedder, progress: Progress) -> list[Vector]:
    made: list[Vector] = []
    for start in range(0, len(texts), _PER_BATCH):
        made += remembering.embed(texts[start : start + _PER_BATCH])
        progress(len(made), len(texts), "embedding")
    return made


def _fill_satchel(settings: Settings, contents: Sequence[Text], remembering: Embedder, progress: Progress) -> float:
    started = time.perf_counter()
    fill(settings.home_folder, contents, progress)
    with Satchel.open(settings=settings, actor="bench", embedder=remembering) as memory:
        memory.maintenance.index_build(progress=progress)
    return time.perf_counter() - started


def _fill_peer(
    one: Rival, folder: Path, contents: Sequence[Text], vectors: Sequence[Vector], progress: Progress
) -> tuple[Peer, float]:
    folder.mkdir()
    progress(0, len(contents), f"filling {one.name}")
    peer, started = one.open(folder), time.perf_counter()
    ids = [f"{place:08d}" for place in range(len(contents))]
    peer.fill(ids, [text.text for text in contents], [text.scope for text in contents], vectors)
    progress(len(contents), len(contents), f"filling {one.name}")
    return peer, time.perf_counter() - started


def _why_not(one: Rival, rows: int) -> str:
    return one.missing or (f"it takes too long to fill with more than {one.most:,}" if rows > one.most else "")
