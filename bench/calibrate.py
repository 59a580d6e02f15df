"""Calibrate the relevance of a hit: fit its constants and measure how well it predicts that an answer is right.

The units of each public dataset become memories of one store, with a scope per conversation. Every question is asked
twice: where its answer is, and where it cannot be (in another scope of its dataset, or of another dataset). An answer is
right if a gold record is among the twenty that a recall of five considers; the best of its five hits must predict that.
Which of several records about a subject was marked as gold is chance; whether the subject was found is not. Each dataset
counts the same, and so do both ways of asking in each dataset.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from msgspec import Struct

from bench.datasets import load_turns
from bench.datasets.dataset import Dataset, Unit
from bench.embedding import load_embedder
from bench.fitting import (
    Bin,
    Model,
    Numbers,
    brier,
    by_either,
    by_sum,
    calibration_error,
    curve,
    fit_best,
    separation,
)
from bench.haystack import scratch
from bench.progress import show
from bench.report.results import Result, machine
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.embedding import BUNDLED_MODEL
from satchel.domain.ranking import Hit
from satchel.domain.words import question_terms
from satchel.recall import relevance
from satchel.recall.fusion import VECTOR
from satchel.recall.request import Mode

SHOWN = 5
WEIGHED = 20
GOOD_ENOUGH = 0.4
# Likelihoods are weighted as if each dataset had this many questions of each kind.
QUESTIONS_PER_SET = 100


class Found(Struct, frozen=True):
    """The signals of one hit, the same with equal word weights, and whether it is gold."""

    share: float
    weight: float
    plain_share: float
    plain_weight: float
    cosine: float | None
    gold: bool


class AskedQuestion(Struct, frozen=True):
    """One question, asked where its answer is or where it cannot be."""

    set: str
    mode: str
    answerable: bool
    right: bool
    """Whether a gold record is among those considered."""
    hits: tuple[Found, ...]
    """The hits shown."""


class Way(Struct, frozen=True):
    """One way to predict: its signals, its model, and the start of the fit."""

    name: str
    mode: str
    model: Model
    start: tuple[float, ...]
    row: Callable[[Found], tuple[float, ...]]


class Judged(Struct, frozen=True):
    """Answers with the predictions of their hits, by constants fitted without their dataset."""

    asked: list[AskedQuestion]
    hits: list[Numbers]
    constants: Numbers
    """Fitted on all datasets."""

    def part(self, name: str) -> "Judged":
        """Return the part of one dataset."""
        chosen = [place for place, one in enumerate(self.asked) if one.set == name]
        return Judged([self.asked[place] for place in chosen], [self.hits[place] for place in chosen], self.constants)

    @property
    def best(self) -> Numbers:
        """The prediction of each answer: that of its best hit."""
        return np.array([values.max() for values in self.hits])

    @property
    def right(self) -> Numbers:
        """Whether each answer is right."""
        return np.array([one.right for one in self.asked], dtype=np.float64)

    @property
    def weigh(self) -> Numbers:
        """The weight of each answer."""
        return _weights(self.asked)


EITHER = Way(
    "meaning and words", "hybrid", by_either, (-5, 7, -5, 4, 1), lambda hit: (hit.cosine or 0.0, hit.share, hit.weight)
)
WORDS = Way("words alone", "lexical", by_sum, (-5, 4, 1), lambda hit: (hit.share, hit.weight))
WAYS = (EITHER, WORDS)
OTHERS = (
    Way(
        "meaning and words, log-odds added",
        "hybrid",
        by_sum,
        (-5, 7, 3, 1),
        lambda hit: (hit.cosine or 0.0, hit.share, hit.weight),
    ),
    Way("meaning alone", "hybrid", by_sum, (-5, 7), lambda hit: (hit.cosine or 0.0,)),
    Way(
        "meaning and words, every word alike",
        "hybrid",
        by_either,
        (-5, 7, -5, 4, 1),
        lambda hit: (hit.cosine or 0.0, hit.plain_share, hit.plain_weight),
    ),
    Way(
        "words alone, every word alike",
        "lexical",
        by_sum,
        (-5, 4, 1),
        lambda hit: (hit.plain_share, hit.plain_weight),
    ),
)


class Filled(Struct, frozen=True):
    """A dataset stored as memories: its store, and the memory id of each unit by scope."""

    memory: Satchel
    found: Dataset
    ids: Mapping[tuple[str, str], str]

    @property
    def scopes(self) -> list[str]:
        """One per conversation."""
        return [_scope(place) for place in range(len(self.found.corpora))]


def measure(files: Mapping[str, Path]) -> Result:
    """Ask all questions, then fit, predicting each dataset by constants fitted on the others."""
    where = machine()
    asked = _collected({name: load_turns(name, file) for name, file in files.items()})
    judged = {way.name: _judged(way, asked) for way in WAYS}
    others = {way.name: _judged(way, asked) for way in OTHERS}
    return {
        "machine": where,
        "ways": {
            name: {
                "constants": [round(float(one), 2) for one in found.constants],
                "rows": _rows(found),
                "curve": [_told(one) for one in _curve(found)],
            }
            for name, found in judged.items()
        },
        "comparison": _comparison(judged, others),
    }


# Collecting


def _collected(sets: Mapping[str, Dataset]) -> list[AskedQuestion]:
    embedder = load_embedder(load(), Mode.HYBRID, None, None)
    with ExitStack() as open_stores:
        stores = {
            name: _filled(open_stores.enter_context(scratch(load(), embedder)), found) for name, found in sets.items()
        }
        return [one for one in _ask_all(stores) if one.hits]


def _filled(memory: Satchel, found: Dataset) -> Filled:
    ids: dict[tuple[str, str], str] = {}
    for place, corpus in enumerate(found.corpora):
        for unit in corpus.units:
            if unit.text.strip():
                ids[_scope(place), unit.id] = memory.store(_said(unit), scope=_scope(place)).result.id
    memory.maintenance.index_build(progress=show)
    return Filled(memory, found, ids)


def _scope(place: int) -> str:
    return f"bench/{place}"


def _said(unit: Unit) -> str:
    return f"{unit.speaker}: {unit.text}" if unit.speaker else unit.text


def _ask_all(stores: Mapping[str, Filled]) -> list[AskedQuestion]:
    asked: list[AskedQuestion] = []
    for name, store in stores.items():
        questions = [
            (_scope(place), question)
            for place, corpus in enumerate(store.found.corpora)
            for question in corpus.questions
            if question.gold and question.category not in store.found.apart
        ]
        for place, (scope, question) in enumerate(questions):
            gold = frozenset(store.ids[scope, unit] for unit in question.gold if (scope, unit) in store.ids)
            other, elsewhere = _elsewhere(stores, name, scope, place)
            for mode in ("hybrid", "lexical"):
                asked.append(_ask(store.memory, name, scope, question.text, mode, gold))
                asked.append(_ask(other.memory, name, elsewhere, question.text, mode, frozenset()))
            show(place + 1, len(questions), name)
    return asked


def _elsewhere(stores: Mapping[str, Filled], name: str, scope: str, place: int) -> tuple[Filled, str]:
    """Return a store and a scope that cannot hold the answer, as close to the right one as possible."""
    own = [one for one in stores[name].scopes if one != scope]
    if own:
        return stores[name], own[place % len(own)]
    others = [other for other in stores if other != name] or [name]
    chosen = stores[others[place % len(others)]]
    return chosen, chosen.scopes[place % len(chosen.scopes)]


def _ask(store: Satchel, name: str, scope: str, question: str, mode: str, gold: frozenset[str]) -> AskedQuestion:
    terms = question_terms(question)
    counted = store.parts.ledger.memories.frequencies(terms)
    weights = relevance.term_weights(counted.holding, counted.records)
    hits = store.recall(question, scope=scope, limit=WEIGHED, mode=mode, min_relevance=0.0).result.hits
    good = [str(hit.memory.id) in gold for hit in hits]
    shown = [_found(hit, terms, weights, one) for hit, one in zip(hits[:SHOWN], good[:SHOWN], strict=True)]
    return AskedQuestion(name, mode, bool(gold), any(good), tuple(shown))


def _found(hit: Hit, terms: Sequence[str], weights: dict[str, float], gold: bool) -> Found:
    words = relevance.memory_words(hit.memory)
    cosine = next((part.raw for part in hit.contributions if part.name == VECTOR), None)
    told = relevance.relevance_signals(terms, words, cosine, BUNDLED_MODEL, weights)
    plain = relevance.relevance_signals(terms, words, cosine, BUNDLED_MODEL, {})
    return Found(told.share, told.weight, plain.share, plain.weight, told.cosine, gold)


# Fitting


def _judged(way: Way, asked: Iterable[AskedQuestion]) -> Judged:
    """Predict the answers of each dataset by constants fitted on the others."""
    answers = [one for one in asked if one.mode == way.mode]
    rows = [np.array([way.row(hit) for hit in one.hits], dtype=np.float64) for one in answers]
    taught = {name: _fitted(way, answers, rows, besides=name) for name in dict.fromkeys(one.set for one in answers)}
    values = [way.model(taught[one.set], row) for one, row in zip(answers, rows, strict=True)]
    return Judged(answers, values, _fitted(way, answers, rows))


def _fitted(way: Way, answers: Sequence[AskedQuestion], rows: Sequence[Numbers], besides: str | None = None) -> Numbers:
    chosen = [place for place, one in enumerate(answers) if one.set != besides]
    taught = [answers[place] for place in chosen]
    right = np.array([one.right for one in taught], dtype=np.float64)
    return fit_best(way.model, way.start, [rows[place] for place in chosen], right, _weights(taught))


def _weights(asked: Sequence[AskedQuestion]) -> Numbers:
    sorts = [(one.set, one.answerable) for one in asked]
    counts = {sort: sorts.count(sort) for sort in set(sorts)}
    return np.array([QUESTIONS_PER_SET / counts[sort] for sort in sorts])


# Reporting


def _rows(found: Judged) -> list[Result]:
    sets = dict.fromkeys(one.set for one in found.asked)
    return [*(_row(name, found.part(name)) for name in sets), _row("all", found)]


def _row(name: str, found: Judged) -> Result:
    answerable = np.array([one.answerable for one in found.asked])
    best, right, weigh = found.best, found.right, found.weigh
    base = float(np.average(right, weights=weigh))
    passed = best >= GOOD_ENOUGH
    # Precision among questions that have an answer: the share without one depends on the user, not on a dataset.
    told = passed & answerable
    shown = np.array([any(hit.gold for hit in one.hits) for one in found.asked])
    return {
        "set": name,
        "answerable": int(answerable.sum()),
        "not": int((~answerable).sum()),
        "brier": round(brier(best, right, weigh), 3),
        "brier_of_base_rate": round(brier(base, right, weigh), 3),
        "ece": round(calibration_error(best, right, weigh), 3),
        "auc": round(separation(best, right, weigh), 3),
        "passed_answerable": _share(passed[answerable], weigh[answerable]),
        "passed_not": _share(passed[~answerable], weigh[~answerable]),
        "right_in_20": _share(right[told], weigh[told]),
        "right_in_5": _share(shown[told], weigh[told]),
    }


def _share(some: Numbers | np.ndarray, weigh: Numbers) -> float | None:
    return round(float(np.average(some, weights=weigh)), 4) if len(some) else None


def _curve(found: Judged) -> list[Bin | None]:
    return curve(found.best, found.right, found.weigh)


def _told(found: Bin | None) -> Result | None:
    if found is None:
        return None
    return {"foretold": round(found.predicted, 3), "observed": round(found.observed, 3), "n": found.count}


def _comparison(judged: dict[str, Judged], others: dict[str, Judged]) -> list[Result]:
    rows = [_compared(name, found.best, found) for name, found in {**judged, **others}.items()]
    for name, found in judged.items():
        several = np.array([1 - np.prod(1 - values) for values in found.hits])
        rows.append(_compared(f"{name}; any of the hits, as if each stood alone", several, found))
    return rows


def _compared(name: str, values: Numbers, found: Judged) -> Result:
    right, weigh = found.right, found.weigh
    figures = {"brier": brier, "ece": calibration_error, "auc": separation}
    return {"by": name, **{key: round(figure(values, right, weigh), 3) for key, figure in figures.items()}}
