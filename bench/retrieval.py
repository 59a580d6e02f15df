"""The retrieval benchmark: load a public dataset into scratch stores, ask every question, and score the rankings."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from bench.datasets import load_dataset
from bench.datasets.dataset import Corpus, Dataset, Level, Question
from bench.datasets.reading import missing_is_invalid
from bench.embedding import load_embedder
from bench.haystack import PLAIN, Haystack, opened
from bench.machine import Machine, changed_settings, this_machine
from bench.metrics import Figures, Ranking, by_category, figures
from satchel.config import Settings
from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest
from satchel.interfaces.evaluation.metrics import percentile
from satchel.ports import Embedder, Progress
from satchel.recall.request import Mode
from satchel.wiring.adapters import open_exchange

# Units asked for by every question.
DEPTH = 50
PROGRESS_STEP = 10


class RetrievalResult(Struct, frozen=True):
    """Result of a run."""

    set: str
    level: str
    mode: str
    through: str
    """The operations that the units went through."""
    file: str
    conversations: int
    """Number of stores, one per conversation."""
    units: int
    questions: int
    """Number of questions asked; those without gold are not scored."""
    depth: int
    """Number of units asked for by each question."""
    embedding_space: str | None
    settings: Mapping[str, Json]
    """Settings that differ from their defaults."""
    store_digest: str
    """Digest of everything that was stored."""
    overall: Figures
    """All scored questions except the categories in `apart`."""
    categories: Mapping[str, Figures]
    apart: tuple[str, ...]
    """Categories that the overall figures leave out."""
    index_seconds: float
    ask_ms_p50: float
    ask_ms_p95: float
    rankings: str | None
    """The file with the ranking of every question."""
    machine: Machine


class Answered(Struct, frozen=True):
    """A question, its ranking, and the time it took."""

    question: Question
    ranked: tuple[str, ...]
    milliseconds: float


class Run(Struct, frozen=True):
    """The answers over all corpora of a dataset."""

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
) -> RetrievalResult:
    """Ask every question of a dataset and score the rankings."""
    found = load_dataset(settings, format, data, Level(level), pipes=pipes)
    exchange = open_exchange(settings, pipes=pipes)
    if out is not None:
        with missing_is_invalid():
            exchange.check(out, force=True)
    lane = through or found.lane
    if found.level is Level.SESSION and lane == "documents":
        raise InvalidRequest("documents have no sessions", code="no_sessions", hint="leave --through out")
    if lane == PLAIN and mode == Mode.VECTOR:
        raise InvalidRequest("the plain peer has no vector mode", code="no_mode", hint="--mode hybrid or lexical")
    machine, loaded = this_machine(), load_embedder(settings, Mode(mode), embedder, cache)
    run = _run(found, settings, loaded, lane, mode, progress)
    if out is not None:
        exchange.write(out, _lines(run.answered), force=True)
    scored = [
        Ranking(one.question.category, one.ranked, one.question.gold) for one in run.answered if one.question.gold
    ]
    times = [one.milliseconds for one in run.answered]
    return RetrievalResult(
        set=found.name,
        level=found.level,
        mode=mode,
        through=lane,
        file=replace_undecodable(data).replace("\\", "/").rpartition("/")[2],
        conversations=len(found.corpora),
        units=sum(len(corpus.units) for corpus in found.corpora),
        questions=len(run.answered),
        depth=DEPTH,
        embedding_space=loaded.name if loaded else None,
        settings=changed_settings(settings),
        store_digest=store_digest(found),
        overall=figures(_headline(scored, found.apart)),
        categories=by_category(scored),
        apart=found.apart,
        index_seconds=round(run.index_seconds, 2),
        ask_ms_p50=round(percentile(times, 0.50), 2),
        ask_ms_p95=round(percentile(times, 0.95), 2),
        rankings=None if out is None else replace_undecodable(out),
        machine=machine,
    )


def _headline(scored: Sequence[Ranking], apart: Sequence[str]) -> Sequence[Ranking]:
    """Return the rankings of the overall figures: all but those apart, or all if nothing else is scored."""
    return [one for one in scored if one.category not in apart] or scored


def _run(
    found: Dataset, settings: Settings, embedder: Embedder | None, lane: str, mode: str, progress: Progress
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
    """Progress of one corpus of several, with its number."""

    def __init__(self, progress: Progress, which: str) -> None:
        self._progress, self._which = progress, which

    def __call__(self, done: int, total: int, what: str) -> None:
        self._progress(done, total, f"{what} {self._which}".rstrip())


def _asked(haystack: Haystack, corpus: Corpus, mode: str, level: Level, progress: Progress) -> Iterator[Answered]:
    # An untimed first question loads what the mode needs.
    ranked_for(haystack, corpus.questions[0], mode, level)
    for done, question in enumerate(corpus.questions, start=1):
        started = time.perf_counter()
        ranked = ranked_for(haystack, question, mode, level)
        yield Answered(question, tuple(ranked), (time.perf_counter() - started) * 1000)
        if done % PROGRESS_STEP == 0 or done == len(corpus.questions):
            progress(done, len(corpus.questions), "asking")


def ranked_for(haystack: Haystack, question: Question, mode: str, level: Level) -> list[str]:
    """Return the ranking of a question; empty for a blank question."""
    return haystack.ask(question, mode=mode, level=level, depth=DEPTH) if question.text.strip() else []


def _lines(answered: Iterable[Answered]) -> Iterator[bytes]:
    for one in answered:
        line = {"question_id": one.question.id, "ranked": list(one.ranked), "gold": list(one.question.gold)}
        yield (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def store_digest(found: Dataset) -> str:
    """Return a digest of what was stored: ids, texts, sessions, speakers and dates, in order."""
    return digest(
        canonical(
            [
                [[one.id, one.text, one.session, one.speaker, one.role, one.at] for one in corpus.units]
                for corpus in found.corpora
            ]
        )
    )
