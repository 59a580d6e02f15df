"""What the relevance of a hit is worth, and the constants it is made with: `python -m bench.calibrate FILE FILE…`.

FILEs are as `bench.retrieval` reads them. Every question is asked twice: where its answer is, and where it cannot be
(in another scope of its file, or of another file). An answer has come to the matter when a gold record is among the
twenty that a recall of five weighs; the best of its five hits must foretell that. Which of several records on one
matter was marked as gold is a matter of chance; whether the matter was found is not. Each set counts the same, and in
each set both ways of asking do.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

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
from bench.progress import show
from bench.retrieval import fill
from satchel.bootstrap import Satchel
from satchel.config import load
from satchel.domain.ranking import Hit
from satchel.domain.words import question_terms
from satchel.recall import relevance
from satchel.recall.fuse import VECTOR

Data = dict[str, list[dict[str, Any]]]

SHOWN = 5
WEIGHED = 20
GOOD_ENOUGH = 0.4
# Likelihoods are summed as if each set had so many questions of each sort.
QUESTIONS_PER_SET = 100


class Found(Struct, frozen=True):
    """What is known of one hit: its signals, the same with every word weighing alike, and whether it is gold."""

    share: float
    weight: float
    plain_share: float
    plain_weight: float
    cosine: float | None
    gold: bool


class Asked(Struct, frozen=True):
    """One question, asked where its answer is or where it cannot be."""

    set: str
    mode: str
    answerable: bool
    right: bool
    """Whether a gold record is among those weighed."""
    hits: tuple[Found, ...]
    """Those shown."""


class Way(Struct, frozen=True):
    """One way of judging: what it looks at, by which model, and from where the fit starts."""

    name: str
    mode: str
    model: Model
    start: tuple[float, ...]
    row: Callable[[Found], tuple[float, ...]]


class Judged(Struct, frozen=True):
    """Answers with the values of their hits, each made by constants that were fitted without its set."""

    asked: list[Asked]
    hits: list[Numbers]
    constants: Numbers
    """Fitted on all sets."""

    def part(self, name: str) -> "Judged":
        """Return one set's part."""
        chosen = [place for place, one in enumerate(self.asked) if one.set == name]
        return Judged([self.asked[place] for place in chosen], [self.hits[place] for place in chosen], self.constants)

    @property
    def best(self) -> Numbers:
        """The value of each answer."""
        return np.array([values.max() for values in self.hits])

    @property
    def right(self) -> Numbers:
        """Whether each answer is right."""
        return np.array([one.right for one in self.asked], dtype=np.float64)

    @property
    def weigh(self) -> Numbers:
        """How much each answer counts."""
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


def main() -> None:
    """Collect, fit, check and print."""
    given = _parser().parse_args()
    if given.cache is None:
        with TemporaryDirectory() as folder:
            asked = _collected(given.files, Path(folder))
    else:
        asked = _collected(given.files, given.cache)
    judged = {way.name: _judged(way, asked) for way in WAYS}
    others = {way.name: _judged(way, asked) for way in OTHERS}
    print(_report(judged, others))
    if given.svg is not None:
        given.svg.write_text(_svg({name: _curve(one) for name, one in judged.items()}), encoding="utf-8")


# Collecting


def _collected(files: Sequence[Path], folder: Path) -> list[Asked]:
    kept = folder / f"asked-{'-'.join(file.stem for file in files)}.json"
    if kept.exists():
        read = json.loads(kept.read_text(encoding="utf-8"))
        return [Asked(**{**one, "hits": tuple(Found(**hit) for hit in one["hits"])}) for one in read]
    asked = _ask_all({file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}, folder)
    kept.write_text(json.dumps([asdict(one) for one in asked]), encoding="utf-8")
    return asked


def _ask_all(sets: Mapping[str, Data], folder: Path) -> list[Asked]:
    for name, data in sets.items():
        if not (folder / name).exists():
            fill(str(folder / name), data["units"])
    settings = {name: load({}, home=str(folder / name), models=load().models or None) for name in sets}
    stores = {name: Satchel.open(settings=one) for name, one in settings.items()}
    asked: list[Asked] = []
    for name, data in sets.items():
        for place, question in enumerate(data["questions"]):
            elsewhere = _elsewhere(sets, name, question["scope"], place)
            for where in ((name, question["scope"]), elsewhere):
                gold = frozenset(question["gold"]) if where != elsewhere else frozenset()
                asked += [_ask(stores, name, where, question["question"], mode, gold) for mode in ("hybrid", "lexical")]
            show(place + 1, len(data["questions"]), name)
    for store in stores.values():
        store.close()
    return [one for one in asked if one.hits]


def _elsewhere(sets: Mapping[str, Data], name: str, scope: str, place: int) -> tuple[str, str]:
    """Return a store and a scope that cannot hold the answer: as near to the right one as there is."""
    own = [one for one in _scopes(sets[name]) if one != scope]
    if own:
        return name, own[place % len(own)]
    others = [other for other in sets if other != name]
    chosen = others[place % len(others)]
    scopes = _scopes(sets[chosen])
    return chosen, scopes[place % len(scopes)]


def _scopes(data: Data) -> list[str]:
    return sorted({unit["scope"] for unit in data["units"]})


def _ask(
    stores: dict[str, Satchel], name: str, where: tuple[str, str], question: str, mode: str, gold: frozenset[str]
) -> Asked:
    store, scope = stores[where[0]], where[1]
    terms = question_terms(question)
    counted = store._ledger.memories.frequencies(terms)
    weights = relevance.weights(counted.holding, counted.records)
    hits = store.recall(question, scope=scope, limit=WEIGHED, mode=mode).result.hits
    good = [str(hit.memory.id) in gold for hit in hits]
    shown = [_found(hit, terms, weights, one) for hit, one in zip(hits[:SHOWN], good[:SHOWN], strict=True)]
    return Asked(name, mode, bool(gold), any(good), tuple(shown))


def _found(hit: Hit, terms: Sequence[str], weights: dict[str, float], gold: bool) -> Found:
    words = relevance.words_of(hit.memory)
    cosine = next((part.raw for part in hit.contributions if part.name == VECTOR), None)
    told = relevance.signals(terms, words, cosine, relevance.CALIBRATED_SPACE, weights)
    plain = relevance.signals(terms, words, cosine, relevance.CALIBRATED_SPACE, {})
    return Found(told.share, told.weight, plain.share, plain.weight, told.cosine, gold)


# Fitting


def _judged(way: Way, asked: Iterable[Asked]) -> Judged:
    """Judge each set's answers by what the other sets teach."""
    answers = [one for one in asked if one.mode == way.mode]
    rows = [np.array([way.row(hit) for hit in one.hits], dtype=np.float64) for one in answers]
    taught = {name: _fitted(way, answers, rows, besides=name) for name in dict.fromkeys(one.set for one in answers)}
    values = [way.model(taught[one.set], row) for one, row in zip(answers, rows, strict=True)]
    return Judged(answers, values, _fitted(way, answers, rows))


def _fitted(way: Way, answers: Sequence[Asked], rows: Sequence[Numbers], besides: str | None = None) -> Numbers:
    chosen = [place for place, one in enumerate(answers) if one.set != besides]
    taught = [answers[place] for place in chosen]
    right = np.array([one.right for one in taught], dtype=np.float64)
    return fit_best(way.model, way.start, [rows[place] for place in chosen], right, _weights(taught))


def _weights(asked: Sequence[Asked]) -> Numbers:
    sorts = [(one.set, one.answerable) for one in asked]
    counts = {sort: sorts.count(sort) for sort in set(sorts)}
    return np.array([QUESTIONS_PER_SET / counts[sort] for sort in sorts])


# Reporting


def _report(judged: dict[str, Judged], others: dict[str, Judged]) -> str:
    parts = ["Constants", ""]
    parts += [f"{name}: {', '.join(f'{one:.2f}' for one in found.constants)}" for name, found in judged.items()]
    for name, found in judged.items():
        parts += ["", f"{name}: each set judged by constants fitted on the others", "", *_table(found)]
        parts += ["", *_curves(found)]
    parts += ["", "Compared with other models, and with another value for the answer", "", *_comparison(judged, others)]
    return "\n".join(parts)


def _table(found: Judged) -> list[str]:
    lines = [
        "| set | answerable / not | Brier (base rate's) | ECE | AUC | ≥ 0.4, answerable | ≥ 0.4, not "
        "| of answers ≥ 0.4: gold in 20 | in 5 | of hits ≥ 0.4: gold |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    sets = dict.fromkeys(one.set for one in found.asked)
    return [*lines, *(_line(name, found.part(name)) for name in sets), _line("all", found)]


def _line(name: str, found: Judged) -> str:
    answerable = np.array([one.answerable for one in found.asked])
    best, right, weigh = found.best, found.right, found.weigh
    base = float(np.average(right, weights=weigh))
    passed = best >= GOOD_ENOUGH
    # Precision among questions that have an answer: how many have none is the user's affair, not a set's.
    told = passed & answerable
    shown = np.array([any(hit.gold for hit in one.hits) for one in found.asked])
    hits = [
        (value >= GOOD_ENOUGH, hit.gold, weight)
        for one, values, weight in zip(found.asked, found.hits, weigh, strict=True)
        for hit, value in zip(one.hits, values, strict=True)
        if one.answerable
    ]
    gold = [(one, weight) for good, one, weight in hits if good]
    cells = [
        f"{answerable.sum()} / {(~answerable).sum()}",
        f"{brier(best, right, weigh):.3f} ({brier(base, right, weigh):.3f})",
        f"{calibration_error(best, right, weigh):.3f}",
        f"{separation(best, right, weigh):.3f}",
        _percent(passed[answerable], weigh[answerable]),
        _percent(passed[~answerable], weigh[~answerable]),
        _percent(right[told], weigh[told]),
        _percent(shown[told], weigh[told]),
        _percent([one for one, _ in gold], [weight for _, weight in gold]),
    ]
    return f"| {name} | {' | '.join(cells)} |"


def _percent(some: Sequence[float] | np.ndarray, weigh: Sequence[float] | np.ndarray) -> str:
    return f"{100 * float(np.average(some, weights=weigh)):.0f} %" if len(some) else "–"


def _curves(found: Judged) -> list[str]:
    values = np.concatenate(found.hits)
    gold = np.array([hit.gold for one in found.asked for hit in one.hits], dtype=np.float64)
    weigh = np.repeat(found.weigh, [len(one.hits) for one in found.asked])
    lines = [
        "| value | answers: foretold | observed | n | hits: foretold | gold | n |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for place, (answer, hit) in enumerate(zip(_curve(found), curve(values, gold, weigh), strict=True)):
        lines.append(f"| {place / 10:.1f} to {(place + 1) / 10:.1f} | {_cells(answer)} | {_cells(hit)} |")
    return lines


def _curve(found: Judged) -> list[Bin | None]:
    return curve(found.best, found.right, found.weigh)


def _cells(found: Bin | None) -> str:
    return "– | – | 0" if found is None else f"{found.foretold:.2f} | {found.observed:.2f} | {found.count}"


def _comparison(judged: dict[str, Judged], others: dict[str, Judged]) -> list[str]:
    lines = ["| judged by | Brier | ECE | AUC |", "| --- | --- | --- | --- |"]
    for name, found in {**judged, **others}.items():
        lines.append(_compared(name, found.best, found))
    for name, found in judged.items():
        several = np.array([1 - np.prod(1 - values) for values in found.hits])
        lines.append(_compared(f"{name}; any of the hits, as if each stood alone", several, found))
    return lines


def _compared(name: str, values: Numbers, found: Judged) -> str:
    right, weigh = found.right, found.weigh
    figures = (brier(values, right, weigh), calibration_error(values, right, weigh), separation(values, right, weigh))
    return f"| {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} |"


def _svg(curves: dict[str, list[Bin | None]]) -> str:
    """Draw observed against foretold; a point's area goes with how many answers it stands for."""
    colours = ("#1f6feb", "#bf5700")
    marks: list[str] = []
    for place, ((name, bins), colour) in enumerate(zip(curves.items(), colours, strict=True)):
        points = [(40 + 300 * one.foretold, 320 - 300 * one.observed, one.count) for one in bins if one is not None]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        marks.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        marks += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{min(9.0, 1.5 + n**0.5 / 3):.1f}" fill="{colour}"/>'
            for x, y, n in points
        ]
        marks.append(f'<text x="52" y="{38 + 18 * place}" fill="{colour}">{name}</text>')
    ticks = "".join(
        f'<text x="{40 + 300 * tick / 5:.0f}" y="336" text-anchor="middle">{tick / 5:.1f}</text>'
        f'<text x="34" y="{324 - 300 * tick / 5:.0f}" text-anchor="end">{tick / 5:.1f}</text>'
        for tick in range(6)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 360" font-family="sans-serif" font-size="12" '
        'fill="#57606a"><rect width="360" height="360" fill="#ffffff"/>'
        '<path d="M40 20V320H340M40 320L340 20" fill="none" stroke="#afb8c1"/>'
        f'{ticks}<text x="190" y="354" text-anchor="middle">value</text>'
        '<text x="12" y="170" text-anchor="middle" transform="rotate(-90 12 170)">share of answers that were right</text>'
        f"{''.join(marks)}</svg>\n"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.calibrate", description=__doc__.partition("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="units and questions, as bench.retrieval reads them")
    parser.add_argument("--cache", type=Path, help="keep stores and what was asked of them in this folder")
    parser.add_argument("--svg", type=Path, help="draw the calibration curve into this file")
    return parser


if __name__ == "__main__":
    main()
