"""The fixture for one size: Satchel and every installed peer filled with the same texts, and questions to ask."""

import gc
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.peers import PEERS, Peer, PeerInfo
from bench.speed.corpus import MIXED_SCOPES, Text, asked, corpus
from bench.speed.fill import import_rows, write_rows
from bench.speed.timing import SATCHEL, WARM_UP
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.embedding import Space, Vector
from satchel.ports import Embedder, Progress

_PER_BATCH = 1_000


class Fixture(Struct):
    """What the measurements of one size use."""

    rows: int
    runs: int
    settings: Settings
    memory: Satchel
    home: Path
    work: Path
    embedder: Embedder
    """The model without a cache: a question is embedded every time it is asked."""
    cached_embedder: Embedder
    """The same with a cache, for texts that are stored."""
    peers: Mapping[str, Peer]
    contents: Sequence[Text]
    vectors: Sequence[Vector]
    questions: Sequence[Text]
    """Of scopes whose memories are all graded and trusted."""
    mixed_questions: Sequence[Text]
    """Of scopes with ungraded and untrusted memories."""
    new: Sequence[Text]
    """Texts that are not stored yet."""
    new_vectors: Sequence[Vector]
    fill_seconds: Mapping[str, float]
    """Written and indexed, by system."""
    import_seconds: float
    """What writing alone took Satchel."""
    left_out: Mapping[str, str]
    progress: Progress


@contextmanager
def fixture(
    rows: int, runs: int, settings: Settings, embedder: Embedder, cached_embedder: Embedder, progress: Progress
) -> Iterator[Fixture]:
    """Fill every system with the same generated texts, in temporary folders."""
    contents, new = _contents(rows, runs + WARM_UP)
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
        work = Path(folder)
        vectors = _vectors([one.text for one in contents], cached_embedder, progress)
        # A program that is measured has no list of a million texts, which the garbage collector would visit again and again.
        gc.freeze()
        seconds: dict[str, float] = {}
        own = replace(settings, home=str(work / SATCHEL), ledger="", read_only=False)
        imported, indexed = _fill_satchel(own, work / "rows.jsonl", contents, vectors, cached_embedder, progress)
        seconds[SATCHEL] = imported + indexed
        peers: dict[str, Peer] = {}
        for one in PEERS:
            if not _why_not(one, rows):
                peers[one.name], seconds[one.name] = _fill_peer(one, work / one.package, contents, vectors, progress)
        # Flush everything before timing: a durable write would wait for the others' dirty pages.
        os.sync()
        with Satchel.open(settings=own, actor="bench", embedder=embedder) as memory:
            yield Fixture(
                rows=rows,
                runs=runs,
                settings=own,
                memory=memory,
                home=work / SATCHEL,
                work=work,
                embedder=embedder,
                cached_embedder=cached_embedder,
                peers=peers,
                contents=contents,
                vectors=vectors,
                questions=asked([one for one in contents if one.scope not in MIXED_SCOPES], runs),
                mixed_questions=asked([one for one in contents if one.scope in MIXED_SCOPES], runs),
                new=new,
                new_vectors=cached_embedder.embed([one.text for one in new]),
                fill_seconds=seconds,
                import_seconds=imported,
                left_out={one.name: why for one in PEERS if (why := _why_not(one, rows))},
                progress=progress,
            )
        for peer in peers.values():
            peer.close()
        gc.unfreeze()


def _contents(rows: int, more: int) -> tuple[list[Text], list[Text]]:
    made = corpus(rows + more)
    return made[:rows], made[rows:]


def _vectors(texts: Sequence[str], cached_embedder: Embedder, progress: Progress) -> list[Vector]:
    made: list[Vector] = []
    for start in range(0, len(texts), _PER_BATCH):
        made += cached_embedder.embed(texts[start : start + _PER_BATCH])
        progress(len(made), len(texts), "embedding")
    return made


def _fill_satchel(
    settings: Settings,
    rows: Path,
    contents: Sequence[Text],
    vectors: Sequence[Vector],
    cached_embedder: Embedder,
    progress: Progress,
) -> tuple[float, float]:
    """Return how long the import of rows takes, and their index. Writing the file does not count: peers get lists."""
    write_rows(rows, contents, Space(cached_embedder.name, len(vectors[0])), vectors)
    with Satchel.open(settings=settings, actor="bench", embedder=cached_embedder) as memory:
        started = time.perf_counter()
        import_rows(memory, rows, len(contents), progress)
        imported = time.perf_counter()
        memory.maintenance.index_build(progress=progress)
        indexed = time.perf_counter()
    rows.unlink()
    return imported - started, indexed - imported


def _fill_peer(
    one: PeerInfo, folder: Path, contents: Sequence[Text], vectors: Sequence[Vector], progress: Progress
) -> tuple[Peer, float]:
    folder.mkdir()
    progress(0, len(contents), f"filling {one.name}")
    peer, started = one.open(folder), time.perf_counter()
    ids = [f"{place:08d}" for place in range(len(contents))]
    peer.fill(ids, [text.text for text in contents], [text.scope for text in contents], vectors)
    progress(len(contents), len(contents), f"filling {one.name}")
    return peer, time.perf_counter() - started


def _why_not(one: PeerInfo, rows: int) -> str:
    return one.missing or (f"too slow to fill with more than {one.most:,}" if rows > one.most else "")
