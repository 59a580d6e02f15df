"""`satchel eval`: ask a golden set in every mode of recall and measure the answers."""

import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.json_rows import RawRow, decode_row, open_rows
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.interfaces.evaluation.golden import Case, GoldenSet, Rows, Sample, golden_set
from satchel.interfaces.evaluation.metrics import (
    HIT_DEPTH,
    CaseResult,
    Evaluation,
    Figures,
    ModeReport,
    ReturnedMemory,
    holds,
    mode_report,
    unavailable,
)
from satchel.maintenance.values import Stats
from satchel.ports import Progress
from satchel.recall.fusion import VECTOR
from satchel.recall.request import MAX_LIMIT, Mode
from satchel.recall.values import Recalled
from satchel.wiring.adapters import open_exchange, scope_policy_in
from satchel.wiring.store_path import ledger_path, store_exists

BUILT_IN = "built in"
# hit@5 needs at least five results.
MIN_LIMIT = HIT_DEPTH
# Display order: hybrid first, as it should be the best.
MODES = (Mode.HYBRID, Mode.VECTOR, Mode.LEXICAL)
# Ties break by id, so ids are derived from keys: equal sets give equal answers.
_IDS = uuid.UUID("6f1d0a52-4c3b-5e0f-9a57-3c1f9d2be871")
PROGRESS_STEP = 25


class EvaluatedStore(Struct, frozen=True):
    """A store to ask, and the names that cases use for its memories."""

    memory: Satchel
    names: Callable[[Memory], tuple[str, ...]]


def run_evaluation(
    settings: Settings,
    progress: Progress,
    *,
    cases: str | None = None,
    mode: str | None = None,
    limit: int = MIN_LIMIT,
    embedder: str | None = None,
    pipes: bool = False,
) -> Ok[Evaluation]:
    """Ask a golden set in every mode, or in one, and return the metrics."""
    check_range(limit, "limit", MIN_LIMIT, MAX_LIMIT, "such as 10")
    modes = MODES if mode is None else (Mode(mode),)
    settings = (
        settings if embedder is None else replace(settings, embedding=replace(settings.embedding, provider=embedder))
    )
    golden = _read(cases, settings, pipes)
    with _scratch(golden, settings, progress) if golden.samples else _own_store(settings) as store:
        if golden.samples and modes != (Mode.LEXICAL,):
            _embed(store.memory, progress)
        reports = tuple(_measure(store, golden.cases, one, limit, progress) for one in modes)
        stats = store.memory.maintenance.stats(all_scopes=True)
    evaluation = Evaluation(
        source=BUILT_IN if cases is None else replace_undecodable(cases),
        digest=golden.digest,
        own_store=not golden.samples,
        cases=len(golden.cases),
        memories=stats.result.tally.memories,
        limit=limit,
        embedding_space=stats.result.embedding_space,
        modes=reports,
        holds=holds(reports),
    )
    return Ok(evaluation, _receipt(evaluation, _pending_warnings(stats.result), stats.receipt.at))


def built_in(default_scope: str) -> GoldenSet:
    """Return the golden set of the package."""
    from importlib.resources import files  # slow to import

    data = (files("satchel.interfaces.evaluation") / "golden.jsonl").read_bytes()
    return golden_set(_rows(*open_rows([data], "jsonl")), default_scope=default_scope)


def _read(path: str | None, settings: Settings, pipes: bool) -> GoldenSet:
    default = scope_policy_in(settings.scope_policy, os.curdir).default_scope
    if path is None:
        return built_in(default)
    with open_exchange(settings, pipes=pipes).read(path) as file:
        return golden_set(_rows(*open_rows(file.chunks, None)), default_scope=default)


def _rows(format: str, raws: Iterator[RawRow]) -> Rows:
    """Yield the rows, each with its place. Any bad row is an error: a partial set would measure something else."""
    for raw in raws:
        place = f"{'row' if format == 'json' else 'line'} {raw.number}"
        if raw.problem:
            raise InvalidRequest(f"{place}: {raw.problem.replace('_', ' ')}", code=raw.problem)
        try:
            row = decode_row(raw.data)
        except InvalidRequest as error:
            raise InvalidRequest(f"{place}: {error.message}", code=error.code) from None
        yield place, row


@contextmanager
def _scratch(golden: GoldenSet, settings: Settings, progress: Progress) -> Iterator[EvaluatedStore]:
    """Store the set's memories in a temporary folder."""
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
        yield EvaluatedStore(memory, lambda one: (keys[one.id],))


def _store(memory: Satchel, sample: Sample) -> None:
    try:
        memory.store(
            sample.text, scope=sample.scope, kind=sample.kind, importance=sample.importance, title=sample.title
        )
    except InvalidRequest as error:
        raise InvalidRequest(f"{sample.place}: {error.message}", code=error.code, hint=error.hint) from None


def _embed(memory: Satchel, progress: Progress) -> None:
    """Embed all memories before the first question."""
    # Without an embedder, lexical mode still works; the other modes report why they do not.
    with suppress(Unavailable):
        memory.maintenance.index_build(progress=progress)


@contextmanager
def _own_store(settings: Settings) -> Iterator[EvaluatedStore]:
    """Open the user's store read-only, so that an evaluation does not affect the next one."""
    if not store_exists(settings):
        raise NotFound(
            f"the golden set has no memories, and {ledger_path(settings).parent} has no store",
            code="no_store",
            hint="add memories to the set, or name a store with --home",
        )
    with Satchel.open(settings=replace(settings, read_only=True), actor="eval") as memory:
        yield EvaluatedStore(memory, lambda one: (one.id, one.text))


def _measure(store: EvaluatedStore, cases: Sequence[Case], mode: Mode, limit: int, progress: Progress) -> ModeReport:
    answered: list[CaseResult] = []
    # The first question is asked once more beforehand, so that loading the model is not timed.
    for done, case in enumerate((cases[0], *cases)):
        answer = store.memory.recall(case.query, scope=case.scope, limit=limit, mode=mode)
        if problem := _unavailable_reason(answer, mode):
            return unavailable(mode, problem)
        named = (*answer.result.hits, *answer.result.nearest)
        returned = tuple(ReturnedMemory(store.names(hit.memory), hit.memory.scope) for hit in named)
        if done:
            answered.append(CaseResult(case, returned, answer.receipt.duration_ms))
        if done % PROGRESS_STEP == 0:
            progress(done, len(cases), f"asking, {mode}")
    return mode_report(mode, answered)


def _unavailable_reason(answer: Ok[Recalled], mode: Mode) -> str:
    """Return why only the lexical lane answered a hybrid or vector recall; empty if that is not so."""
    if mode is Mode.LEXICAL or VECTOR in answer.receipt.considered:
        return ""
    warnings = answer.receipt.warnings
    return warnings[0] if warnings else "no_vectors: no memory has a vector yet (satchel index build)"


def _pending_warnings(stats: Stats) -> tuple[str, ...]:
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
