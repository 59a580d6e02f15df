"""The retrieval benchmark: a public set put into scratch stores, every question asked, every ranking written down."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from satchel.config import Settings
from satchel.domain.canonical import canonical, digest
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.domain.text import readable
from satchel.errors import InvalidRequest
from satchel.interfaces.bench.differing import differing
from satchel.interfaces.bench.embedding import loaded_embedder
from satchel.interfaces.bench.formats import read_set
from satchel.interfaces.bench.haystack import PLAIN, Haystack, opened
from satchel.interfaces.bench.machine import this_machine
from satchel.interfaces.bench.metrics import Ranking, by_category, figures
from satchel.interfaces.bench.named import rightly_named
from satchel.interfaces.bench.results import Retrieval
from satchel.interfaces.bench.sets import BenchmarkSet, Corpus, Level, Question
from satchel.interfaces.evaluation.metrics import percentile
from satchel.ports import Embedder, Progress
from satchel.recall.question import Mode
from satchel.wiring.adapters import open_exchange

# Ranked for every question, where there are so many units.
DEPTH = 50
PROGRESS_STEP = 10


class Answered(Struct, frozen=True):
    """A question, what it found, and how long that took."""

    question: Question
    ranked: tuple[str, ...]
    milliseconds: float


class Run(Struct, frozen=True):
    """What was asked of all corpora of a set."""

    answered: tuple[Answered, ...]
    index_seconds: float


def run_retrieval(
    settings: Settings,
    progress: Progress,
    *,
    format: str,
    data: str,
    level: str = Level.TURN,
    mode: str = Mode.HYBRID,
    through: str | None = None,
    embedder: str | None = None,
    cache: str | None = None,
    out: str | None = None,
    pipes: bool = False,
) -> Ok[Retrieval]:
    """Ask every question of a set, and say how much of what answers it was found."""
    exchange = open_exchange(settings, pipes=pipes)
    with rightly_named(), exchange.read(data) as file:
        found = read_set(format, file.chunks, Level(level))
    if out is not None:
        with rightly_named():
            exchange.check(out, force=True)
    lane = through or found.lane
    if found.level is Level.SESSION and lane == "documents":
        raise InvalidRequest("documents have no sessions", code="no_sessions", hint="leave --through out")
    if lane == PLAIN and mode == Mode.VECTOR:
        raise InvalidRequest("a plain table is asked by words, or by both", code="no_mode", hint="--mode hybrid")
    machine, loaded = this_machine(), loaded_embedder(settings, Mode(mode), embedder, cache)
    run = _run(found, settings, loaded, lane, mode, progress)
    if out is not None:
        exchange.write(out, _lines(run.answered), force=True)
    scored = [
        Ranking(one.question.category, one.ranked, one.question.gold) for one in run.answered if one.question.gold
    ]
    times = [one.milliseconds for one in run.answered]
    result = Retrieval(
        set=found.name,
        level=found.level,
        mode=mode,
        through=lane,
        file=readable(data).replace("\\", "/").rpartition("/")[2],
        conversations=len(found.corpora),
        units=sum(len(corpus.units) for corpus in found.corpora),
        questions=len(run.answered),
        depth=DEPTH,
        embedding_space=loaded.name if loaded else None,
        settings=differing(settings),
        store_digest=store_digest(found),
        overall=figures(_headline(scored, found.apart)),
        categories=by_category(scored),
        apart=found.apart,
        index_seconds=round(run.index_seconds, 2),
        ask_ms_p50=round(percentile(times, 0.50), 2),
        ask_ms_p95=round(percentile(times, 0.95), 2),
        rankings=None if out is None else readable(out),
        machine=machine,
    )
    return Ok(result, _receipt(result))


def _headline(scored: Sequence[Ranking], apart: Sequence[str]) -> Sequence[Ranking]:
    """Return what the whole is made of. Where a file has nothing but what stands apart, that is the whole."""
    return [one for one in scored if one.category not in apart] or scored


def _run(
    found: BenchmarkSet, settings: Settings, embedder: Embedder | None, lane: str, mode: str, progress: Progress
) -> Run:
    answered, indexing = list[Answered](), 0.0
    for place, corpus in enumerate(found.corpora, start=1):
        with opened(lane, settings, embedder) as haystack:
            started = time.perf_counter()
            step = Steps(progress, f"{place} of {len(found.corpora)}" if len(found.corpora) > 1 else "")
            haystack.load([unit for unit in corpus.units if unit.text.strip()], step)
            indexing += time.perf_counter() - started
            answered += _asked(haystack, corpus, mode, found.level, step)
    return Run(tuple(answered), indexing)


class Steps:
    """Progress of one corpus of several: what is shown says which."""

    def __init__(self, progress: Progress, which: str) -> None:
        self._progress, self._which = progress, which

    def __call__(self, done: int, total: int, what: str) -> None:
        self._progress(done, total, f"{what} {self._which}".rstrip())


def _asked(haystack: Haystack, corpus: Corpus, mode: str, level: Level, progress: Progress) -> Iterator[Answered]:
    # The first question is asked once more beforehand: it loads what the mode needs, and none is timed with that.
    ranked_for(haystack, corpus.questions[0], mode, level)
    for done, question in enumerate(corpus.questions, start=1):
        started = time.perf_counter()
        ranked = ranked_for(haystack, question, mode, level)
        yield Answered(question, tuple(ranked), (time.perf_counter() - started) * 1000)
        if done % PROGRESS_STEP == 0 or done == len(corpus.questions):
            progress(done, len(corpus.questions), "asking")


def ranked_for(haystack: Haystack, question: Question, mode: str, level: Level) -> list[str]:
    """Return what a question finds. One without a word finds nothing, which is no reason to stop."""
    return haystack.ask(question, mode=mode, level=level, depth=DEPTH) if question.text.strip() else []


def _lines(answered: Iterable[Answered]) -> Iterator[bytes]:
    for one in answered:
        line = {"question_id": one.question.id, "ranked": list(one.ranked), "gold": list(one.question.gold)}
        yield (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def store_digest(found: BenchmarkSet) -> str:
    """Name exactly what was put into the stores: texts, sessions, speakers and dates, in their order."""
    return digest(
        canonical(
            [
                [[one.id, one.text, one.session, one.speaker, one.role, one.at] for one in corpus.units]
                for corpus in found.corpora
            ]
        )
    )


def _receipt(result: Retrieval) -> Receipt:
    return Receipt(
        "bench retrieval",
        asked={"set": result.set, "level": result.level, "mode": result.mode, "through": result.through},
        considered={
            "store": result.store_digest,
            "units": result.units,
            "questions": result.questions,
            "embedding_space": result.embedding_space,
        },
        decided={"n": result.overall.n, **result.overall.metrics},
    )
