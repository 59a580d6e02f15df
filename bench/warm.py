"""A warm process: hybrid recall on the large store, beside exact search by hand, and what each part of it costs."""

from collections.abc import Sequence
from statistics import mean

import numpy as np

from bench.ground import Ground
from bench.measure import Bar, Row, Sample, interleaved
from bench.plain import PlainSearch, Vectors
from bench.watch import watched_memory
from satchel.bootstrap import make_embedder, open_index
from satchel.domain.embedding import Vector
from satchel.domain.scope import Reach
from satchel.domain.view import View, whole
from satchel.ports import Embedder

RUNS = 200
PARTS_RUNS = 60
ANN_QUERIES = 100
ANN_DEPTH = 10
# Two cosines this close are the same but for rounding.
_SAME_COSINE = 1e-6


def warm(ground: Ground) -> list[Row]:
    """Time hybrid recall in process, the question's embedding included on both sides."""
    memory, plain, embedder = ground.open(ground.large), ground.plain, _embedder(ground)
    questions = ground.questions

    def ours(run: int) -> None:
        answer = memory.recall(questions[run].question, scope=questions[run].scope)
        if answer.receipt.warnings:
            raise SystemExit(f"a warm recall was not whole: {answer.receipt.warnings}")

    def by_hand(run: int) -> None:
        one = questions[run]
        plain.recall(one.question, _array(embedder.embed([one.question])[0]), one.scope, 5)

    taken = interleaved({"satchel": ours, "plain": by_hand}, RUNS, warm_up=10)
    alone = interleaved({"satchel": ours}, RUNS, warm_up=10)
    memory.close()
    bars = (Bar(20.0, "p50", "p50"), Bar(50.0, "p95", "p95"))
    beside = (("NumPy exact scan + plain FTS5", taken["plain"]),)
    name = f"warm hybrid recall, {ground.rows:,} memories, one of 10 scopes"
    note = "embedding of the question included; the scan in between clears the processor's cache each time"
    return [
        Row(name, taken["satchel"], bars, beside, note),
        Row(f"{name}, nothing in between", alone["satchel"], bars, (), "embedding of the question included"),
    ]


def parts(ground: Ground) -> list[Row]:
    """Say what each part of a warm recall costs, each by the time it spends itself."""
    memory, watch = watched_memory(ground.large, ground.settings)
    for run, one in enumerate(ground.questions[: PARTS_RUNS + 5]):
        if run == 5:
            watch.clear()
        with watch.timing("recall, everything else"):
            memory.recall(one.question, scope=one.scope)
    memory.close()
    samples = watch.samples(PARTS_RUNS)
    whole = Sample(tuple(map(sum, zip(*(sample.values for sample in samples.values()), strict=True))))
    rows = [Row(f"part: {name}", sample) for name, sample in samples.items()]
    ranked = sorted(rows, key=lambda row: -mean(row.ours.values))
    return [Row("parts of a warm recall, together", whole), *ranked]


def neighbours(ground: Ground) -> list[Row]:
    """Count how many of the ten true neighbours the index brings back, within a scope, for real questions."""
    index, plain, embedder = open_index(ground.large / "index"), ground.plain, _embedder(ground)
    shares: dict[int, list[float]] = {ANN_DEPTH: [], 2 * ANN_DEPTH: []}
    for one in ground.questions[:ANN_QUERIES]:
        vector = embedder.embed([one.question])[0]
        for depth, found in shares.items():
            named = [hit.id for hit in index.nearest(vector, _every_standing(one.scope), depth)]
            found.append(_recall_at(named, plain, _array(vector), one.scope))
    status = index.status()
    kept = f"{status.vector_index}, {status.rows_with_vectors:,} real MiniLM vectors, {ANN_QUERIES} questions"
    notes = {ANN_DEPTH: f"{kept}; the index's own best ten", 2 * ANN_DEPTH: "best ten of twenty, as recall takes them"}
    return [
        Row(f"share of the true 10 neighbours, of {depth} named (mean)", Sample((mean(found),), ""), note=notes[depth])
        for depth, found in shares.items()
    ] + [Row("the same, worst question", Sample((min(shares[2 * ANN_DEPTH]),), ""))]


def _recall_at(named: Sequence[str], plain: PlainSearch, vector: Vectors, scope: str) -> float:
    """Return the share of the true neighbours; another record just as near counts as well as the one it ties with."""
    exact = plain.nearest(vector, scope, ANN_DEPTH)
    least = float(plain.vectors[exact[-1]] @ vector) - _SAME_COSINE
    near = sum(float(plain.vectors[plain.rows[id]] @ vector) >= least for id in named)
    return min(near, ANN_DEPTH) / ANN_DEPTH


def _every_standing(scope: str) -> View:
    return whole(Reach((scope,)), now=0)


def _embedder(ground: Ground) -> Embedder:
    embedder = make_embedder("minilm", ground.settings)
    assert embedder is not None, "minilm is an embedder"
    return embedder


def _array(vector: Vector) -> Vectors:
    return np.frombuffer(vector, dtype=np.float32)
