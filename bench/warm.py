"""A warm process: hybrid recall on the large store, beside exact search by hand, and what each part of it costs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean

import numpy as np

from bench.ground import Ground
from bench.measure import Bar, Row, Sample, interleaved, processor_milliseconds
from bench.plain import PlainSearch, Vectors
from bench.watch import watched_memory
from satchel.bootstrap import make_embedder, open_index
from satchel.domain.embedding import Vector
from satchel.domain.scope import Reach
from satchel.domain.view import View, whole
from satchel.interfaces.bench.speed.corpus import Text
from satchel.ports import Embedder, Index

RUNS = 200
PARTS_RUNS = 60
ANN_QUERIES = 100
ANN_DEPTH = 10
# What a recall says of a store with untrusted memories; it is whole all the same.
_FROM_MIXED = "untrusted_only"
# Two cosines this close are the same but for rounding.
_SAME_COSINE = 1e-6


def warm(ground: Ground) -> list[Row]:
    """Time hybrid recall in process, the question's embedding included on both sides."""
    name = f"warm hybrid recall, {ground.rows:,} memories"
    rows = _warm(ground, ground.large, ground.questions, f"{name}, one of 10 scopes")
    if ground.small_scope_questions:
        rows += _warm(ground, ground.large, ground.small_scope_questions, f"{name}, a scope of 100")
    return rows


def mixed(ground: Ground) -> list[Row]:
    """Time the same where most memories were never graded and some are untrusted: a search for each tier."""
    name = f"warm hybrid recall, {ground.rows:,} memories, 30 % graded, 20 % untrusted"
    return [*_warm(ground, ground.mixed, ground.questions, name), *_parts(ground, ground.mixed)]


def _warm(ground: Ground, home: Path, questions: Sequence[Text], name: str) -> list[Row]:
    memory, plain, embedder = ground.open(home), ground.plain, _embedder(ground)

    def ours(run: int) -> None:
        answer = memory.recall(questions[run].question, scope=questions[run].scope)
        if any(not warning.startswith(_FROM_MIXED) for warning in answer.receipt.warnings):
            raise SystemExit(f"a warm recall was not whole: {answer.receipt.warnings}")

    def by_hand(run: int) -> None:
        one = questions[run]
        plain.recall(one.question, _array(embedder.embed([one.question])[0]), one.scope, 5)

    taken = interleaved({"satchel": ours, "plain": by_hand}, RUNS, warm_up=10)
    alone = interleaved({"satchel": ours}, RUNS, warm_up=10)
    busy = Sample(tuple(processor_milliseconds(partial(ours, run)) for run in range(RUNS)))
    memory.close()
    beside = (("NumPy exact scan of the scope + plain FTS5", taken["plain"]),)
    note = "embedding of the question included; what runs in between clears the processor's cache each time"
    return [
        Row(name, taken["satchel"], _bars(ground), beside, note),
        Row(f"{name}, nothing in between", alone["satchel"], _bars(ground), (), "embedding of the question included"),
        Row(f"{name}, processor time", busy, note="of all threads; hardly depends on what else the machine does"),
    ]


def _bars(ground: Ground) -> tuple[Bar, ...]:
    return (Bar(20.0, "p50", "p50"), Bar(50.0, "p95", "p95")) if ground.rows <= 100_000 else (Bar(100.0, "p95", "p95"),)


def parts(ground: Ground) -> list[Row]:
    """Say what each part of a warm recall costs, each by the time it spends itself."""
    return _parts(ground, ground.large)


def _parts(ground: Ground, home: Path) -> list[Row]:
    memory, watch = watched_memory(home, ground.settings)
    for run, one in enumerate(ground.questions[: PARTS_RUNS + 5]):
        if run == 5:
            watch.clear()
        with watch.run("recall, everything else"):
            memory.recall(one.question, scope=one.scope)
    memory.close()
    samples = watch.samples(PARTS_RUNS)
    rows = [Row(f"part: {name}", sample) for name, sample in samples.items()]
    ranked = sorted(rows, key=lambda row: -mean(row.ours.values))
    return [
        Row("parts of a warm recall, together", watch.whole(), note="the two searches of the index overlap"),
        *ranked,
    ]


def neighbours(ground: Ground) -> list[Row]:
    """Count how many of the ten true neighbours the index brings back, within a scope, for real questions."""
    index = open_index(ground.large / "index")
    rows = _neighbours(ground, index, ground.questions, "")
    if ground.small_scope_questions:
        rows += _neighbours(ground, index, ground.small_scope_questions, ", a scope of 100")
    return rows


def _neighbours(ground: Ground, index: Index, questions: Sequence[Text], where: str) -> list[Row]:
    plain, embedder = ground.plain, _embedder(ground)
    shares: dict[int, list[float]] = {ANN_DEPTH: [], 2 * ANN_DEPTH: []}
    for one in questions[:ANN_QUERIES]:
        vector = embedder.embed([one.question])[0]
        for depth, found in shares.items():
            named = [hit.id for hit in index.nearest(vector, _every_standing(one.scope), depth)]
            found.append(_recall_at(named, plain, _array(vector), one.scope))
    status = index.status()
    kept = f"{status.vector_index}, {status.rows_with_vectors:,} vectors, {ANN_QUERIES} questions"
    notes = (f"{kept}; the index's own best ten", "best ten of twenty, as recall takes them")
    return [
        Row(f"share of the true 10 neighbours, of {depth} named (mean){where}", Sample((mean(found),), ""), note=note)
        for (depth, found), note in zip(shares.items(), notes, strict=True)
    ] + [Row(f"the same, worst question{where}", Sample((min(shares[2 * ANN_DEPTH]),), ""))]


def _recall_at(named: Sequence[str], plain: PlainSearch, vector: Vectors, scope: str) -> float:
    """Return the share of the true neighbours; another record just as near counts as well as the one it ties with."""
    block = plain.blocks[scope]
    cosines = block.cosines(vector)
    least = np.sort(cosines)[-ANN_DEPTH] - _SAME_COSINE
    near = {plain.ids[row] for row in block.rows[cosines >= least]}
    return min(len(near.intersection(named)), ANN_DEPTH) / ANN_DEPTH


def _every_standing(scope: str) -> View:
    return whole(Reach((scope,)), now=0)


def _embedder(ground: Ground) -> Embedder:
    embedder = make_embedder("minilm", ground.settings)
    assert embedder is not None, "minilm is an embedder"
    return embedder


def _array(vector: Vector) -> Vectors:
    return np.frombuffer(vector, dtype=np.float32)
