"""The evaluation: a golden set asked of the product's own recall, in every mode."""

import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.amount import amount
from satchel.domain.answers import Recalled, Stats
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.domain.text import readable
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.interfaces.evaluation.golden import Case, GoldenSet, Rows, Sample, golden_set
from satchel.interfaces.evaluation.metrics import (
    HIT_DEPTH,
    Answered,
    Evaluation,
    Figures,
    ModeReport,
    Returned,
    holds,
    mode_report,
    unavailable,
)
from satchel.memories.rows import RawRow, open_rows, parse_object
from satchel.ports import Progress
from satchel.recall.fuse import VECTOR
from satchel.recall.question import MAX_LIMIT, Mode
from satchel.wiring.adapters import ledger_path, open_exchange

BUILT_IN = "built in"
# What is measured is what stands among the first five, so no fewer may be asked for.
LEAST_LIMIT = HIT_DEPTH
# The order they are shown in: first the one that is to be better than the others.
MODES = (Mode.HYBRID, Mode.VECTOR, Mode.LEXICAL)
# Ties break by id, so ids are made from keys: equal sets give equal answers, and no key is luckier than another.
_IDS = uuid.UUID("6f1d0a52-4c3b-5e0f-9a57-3c1f9d2be871")
PROGRESS_STEP = 25


class Ground(Struct, frozen=True):
    """A store to ask, and the names by which a set knows its memories."""

    memory: Satchel
    names: Callable[[Memory], tuple[str, ...]]


def run_evaluation(
    settings: Settings,
    progress: Progress,
    *,
    cases: str | None = None,
    mode: str | None = None,
    limit: int = LEAST_LIMIT,
    embedder: str | None = None,
    pipes: bool = False,
) -> Ok[Evaluation]:
    """Ask a golden set in every mode, or in one, and say how well it was answered."""
    amount(limit, "limit", LEAST_LIMIT, MAX_LIMIT, "such as 10")
    modes = MODES if mode is None else (Mode(mode),)
    settings = (
        settings if embedder is None else replace(settings, embedding=replace(settings.embedding, provider=embedder))
    )
    golden = _read(cases, settings, pipes)
    with _scratch(golden, settings, progress) if golden.samples else _own_store(settings) as ground:
        if golden.samples and modes != (Mode.LEXICAL,):
            _embed(ground.memory, progress)
        reports = tuple(_asked(ground, golden.cases, one, limit, progress) for one in modes)
        stats = ground.memory.maintenance.stats(all_scopes=True)
    evaluation = Evaluation(
        source=BUILT_IN if cases is None else readable(cases),
        digest=golden.digest,
        own_store=not golden.samples,
        cases=len(golden.cases),
        memories=stats.result.tally.memories,
        limit=limit,
        embedding_space=stats.result.embedding_space,
        modes=reports,
        holds=holds(reports),
    )
    return Ok(evaluation, _receipt(evaluation, _unready(stats.result), stats.receipt.at))


def built_in(default_scope: str) -> GoldenSet:
    """Return the golden set that comes with the package."""
    from importlib.resources import files  # a millisecond that no other command has to pay

    data = (files("satchel.observe") / "golden.jsonl").read_bytes()
    return golden_set(_rows(*open_rows([data], "jsonl")), default_scope=default_scope)


def _read(path: str | None, settings: Settings, pipes: bool) -> GoldenSet:
    if path is None:
        return built_in(settings.scope_policy.default_scope)
    with open_exchange(settings, pipes=pipes).read(path) as file:
        return golden_set(_rows(*open_rows(file.chunks, None)), default_scope=settings.scope_policy.default_scope)


def _rows(format: str, raws: Iterator[RawRow]) -> Rows:
    """Read the rows one by one, each with its place. A set that cannot be read whole is no measure."""
    for raw in raws:
        place = f"{'row' if format == 'json' else 'line'} {raw.number}"
        if raw.problem:
            raise InvalidRequest(f"{place}: {raw.problem.replace('_', ' ')}", code=raw.problem)
        try:
            row = parse_object(raw.data)
        except InvalidRequest as error:
            raise InvalidRequest(f"{place}: {error.message}", code=error.code) from None
        yield place, row


@contextmanager
def _scratch(golden: GoldenSet, settings: Settings, progress: Progress) -> Iterator[Ground]:
    """Store the set's own memories in a folder that is gone afterwards."""
    keys = {str(uuid.uuid5(_IDS, sample.key)): sample.key for sample in golden.samples}
    ids = iter(keys)
    with (
        tempfile.TemporaryDirectory(prefix="satchel-eval-") as folder,
        Satchel.open(
            settings=replace(settings, home=folder, read_only=False), actor="eval", new_id=lambda: next(ids)
        ) as memory,
    ):
        for done, sample in enumerate(golden.samples, start=1):
            _store(memory, sample)
            if done % PROGRESS_STEP == 0:
                progress(done, len(golden.samples), "storing")
        yield Ground(memory, lambda one: (keys[one.id],))


def _store(memory: Satchel, sample: Sample) -> None:
    try:
        memory.store(
            sample.text, scope=sample.scope, kind=sample.kind, importance=sample.importance, title=sample.title
        )
    except InvalidRequest as error:
        raise InvalidRequest(f"{sample.place}: {error.message}", code=error.code, hint=error.hint) from None


def _embed(memory: Satchel, progress: Progress) -> None:
    """Give every memory its vector before the first question."""
    # Without an embedder the words can still be asked; each other mode will say itself why it cannot.
    with suppress(Unavailable):
        memory.maintenance.index_build(progress=progress)


@contextmanager
def _own_store(settings: Settings) -> Iterator[Ground]:
    """Ask the store itself, for reading only: what is measured must not change what will be measured next."""
    if not ledger_path(settings).exists():
        raise NotFound(
            f"the golden set has no memories, and there is no store in {ledger_path(settings).parent}",
            code="no_store",
            hint="give it memories, or name a store with --home",
        )
    with Satchel.open(settings=replace(settings, read_only=True), actor="eval") as memory:
        yield Ground(memory, lambda one: (one.id, one.text))


def _asked(ground: Ground, cases: Sequence[Case], mode: Mode, limit: int, progress: Progress) -> ModeReport:
    answered: list[Answered] = []
    # The first question is asked once more beforehand: it loads what the mode needs, and none is timed with that.
    for done, case in enumerate((cases[0], *cases)):
        answer = ground.memory.recall(case.query, scope=case.scope, limit=limit, mode=mode)
        if problem := _fell_back(answer, mode):
            return unavailable(mode, problem)
        returned = tuple(Returned(ground.names(hit.memory), hit.memory.scope) for hit in answer.result.hits)
        if done:
            answered.append(Answered(case, returned, answer.receipt.duration_ms))
        if done % PROGRESS_STEP == 0:
            progress(done, len(cases), f"asking, {mode}")
    return mode_report(mode, answered)


def _fell_back(answer: Ok[Recalled], mode: Mode) -> str:
    """Say why words alone answered a question that was asked by meaning; empty when all is as it should be."""
    if mode is Mode.LEXICAL or VECTOR in answer.receipt.considered:
        return ""
    warnings = answer.receipt.warnings
    return warnings[0] if warnings else "no_vectors: no memory has a vector yet (satchel index build)"


def _unready(stats: Stats) -> tuple[str, ...]:
    waiting = stats.embeddings_waiting if stats.embedding_space else 0
    return (f"embeddings_waiting: {waiting} memories have no vector and were found by words only",) if waiting else ()


def _receipt(evaluation: Evaluation, warnings: tuple[str, ...], at: int) -> Receipt:
    found: dict[str, Json] = {one.mode: _shares(one.overall) for one in evaluation.modes}
    problems = [f"{one.mode} was not measured: {one.problem}" for one in evaluation.modes if one.problem]
    return Receipt(
        "eval",
        asked={
            "golden_set": evaluation.digest,
            "modes": [one.mode for one in evaluation.modes],
            "limit": evaluation.limit,
            "own_store": evaluation.own_store,
        },
        considered={
            "cases": evaluation.cases,
            "memories": evaluation.memories,
            "embedding_space": evaluation.embedding_space,
        },
        decided=found | {"holds": evaluation.holds},
        warnings=(*warnings, *problems),
        at=at,
    )


def _shares(figures: Figures | None) -> Json:
    if figures is None:
        return None
    return {"hit_at_5": figures.hit_at_5, "mrr": figures.mrr, "wrong_scope": figures.wrong_scope}
