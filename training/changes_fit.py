"""Learn whether a newer memory changes an older one: two logistic regressions over features of the pair.

`changes/pairs-*.jsonl` has pairs of which half are changes and half are close neighbours; `changes/stores.jsonl` names the changes
among the memories of `turns/*.jsonl`, whose other pairs are not changes.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.domain.change_likelihood import COSINE_FEATURES, changed_features, subject_features
from satchel.domain.changes import LIKELY_CHANGE, MIN_COSINE, VERY_LIKELY, VERY_LIKELY_BY_WORDS, MinOdds
from satchel.domain.embedding import BUNDLED_MODEL
from satchel.domain.statements.comparable import analyse
from training.logistic import Array, fit_logistic

HERE = Path(__file__).parent
PAIRS, STORES, CHANGED = HERE / "changes", HERE / "turns", HERE / "changes" / "stores.jsonl"
TARGET = HERE.parent / "src" / "satchel" / "domain" / "change_weights.py"
FOLDS = 8
RIDGE = (0.3, 3.0)
# Pairs of the stores that are not changes are many, and most of them are easy; the second model sees those that the first
# takes for the same subject.
OTHER_WEIGHT, STORE_WEIGHT = 0.3, 0.3


class Example(Struct, frozen=True):
    """A pair of memories."""

    older: str
    newer: str
    changes: bool
    group: str
    """Examples of one group are held out together."""
    in_store: bool


class Features(Struct, frozen=True):
    """The features of all examples, of each model, with a leading one."""

    same_subject: Array
    changed: Array


def learn(target: Path = TARGET) -> str:
    """Fit the weights, write the module that holds them, and return what cross-validation finds."""
    examples = [*_pairs(), *_store_pairs()]
    vectors = _vectors(sorted({text for one in examples for text in (one.older, one.newer)}))
    examples = [one for one in examples if vectors[one.older] @ vectors[one.newer] >= MIN_COSINE or not one.in_store]
    features = _features(examples, vectors)
    by_words = Features(
        np.delete(features.same_subject, range(1, 1 + COSINE_FEATURES[0]), axis=1),
        np.delete(features.changed, range(1, 1 + COSINE_FEATURES[1]), axis=1),
    )
    found = list[str]()
    for name, several, very_likely in (
        ("with vectors", features, VERY_LIKELY),
        ("words only", by_words, VERY_LIKELY_BY_WORDS),
    ):
        odds = _held_out(examples, several)
        found += _report(f"{name}, very likely", examples, odds, very_likely)
        found += _report(f"{name}, likely", examples, odds, LIKELY_CHANGE)
    everything = np.ones(len(examples), dtype=bool)
    target.write_text(
        _module(_fit(examples, features, everything), _fit(examples, by_words, everything)), encoding="utf-8"
    )
    return "\n".join(found)


def _read(path: Path) -> Iterator[dict[str, object]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _pairs() -> Iterator[Example]:
    for path in sorted(PAIRS.glob("pairs-*.jsonl")):
        for one in _read(path):
            older = str(one["older"])
            yield Example(older, str(one["newer"]), bool(one["changes"]), older, in_store=False)


def _store_pairs() -> Iterator[Example]:
    changed: dict[str, dict[str, set[str]]] = {}
    for one in _read(CHANGED):
        changed.setdefault(str(one["store"]), {}).setdefault(str(one["newer"]), set()).add(str(one["older"]))
    for path in sorted(STORES.glob("*.jsonl")):
        for store in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            known = changed.get(store["store"], {})
            for first, second in combinations(store["memories"], 2):
                # The order of a store says nothing, but what changes something is newer.
                newer, older = (first, second) if first["id"] in known else (second, first)
                is_change = older["id"] in known.get(newer["id"], ())
                yield Example(older["text"], newer["text"], is_change, store["store"], in_store=True)


def _vectors(texts: Sequence[str]) -> dict[str, Array]:
    found = OnnxEncoder(BUNDLED_MODEL, FOLDER, "").embed(texts)
    return {text: np.array(one, dtype=np.float64) for text, one in zip(texts, found, strict=True)}


def _features(examples: Sequence[Example], vectors: dict[str, Array]) -> Features:
    analysed = {text: analyse(text) for one in examples for text in (one.older, one.newer)}
    pairs = [
        (analysed[one.newer], analysed[one.older], float(vectors[one.newer] @ vectors[one.older])) for one in examples
    ]
    return Features(
        np.array([(1.0, *subject_features(*pair)) for pair in pairs]),
        np.array([(1.0, *changed_features(*pair)) for pair in pairs]),
    )


def _fit(examples: Sequence[Example], features: Features, used: NDArray[np.bool_]) -> tuple[Array, Array]:
    changes = np.array([one.changes for one in examples])
    other = np.array([one.in_store and not one.changes for one in examples])
    in_store = np.array([one.in_store for one in examples])
    first, second = features.same_subject, features.changed
    weights = np.where(other, OTHER_WEIGHT, 1.0)
    subject = fit_logistic(first[used], (~other)[used].astype(float), weights[used], _ridge(first, RIDGE[0]))
    seen = used & (~other | (first @ subject > 0))
    weights = np.where(in_store, STORE_WEIGHT, 1.0)
    changed = fit_logistic(second[seen], changes[seen].astype(float), weights[seen], _ridge(second, RIDGE[1]))
    return subject, changed


def _ridge(features: Array, ridge: float) -> Array:
    return np.array([1e-6, *[ridge] * (features.shape[1] - 1)])


def _held_out(examples: Sequence[Example], features: Features) -> tuple[Array, Array]:
    """Return the log-odds of each example by models that have not seen it."""
    fold = np.array([zlib.crc32(one.group.encode()) % FOLDS for one in examples])
    subject, changed = np.zeros(len(examples)), np.zeros(len(examples))
    for number in range(FOLDS):
        fitted, held = _fit(examples, features, fold != number), fold == number
        subject[held], changed[held] = features.same_subject[held] @ fitted[0], features.changed[held] @ fitted[1]
    return subject, changed


def _report(name: str, examples: Sequence[Example], odds: tuple[Array, Array], least: MinOdds) -> Iterator[str]:
    called = (odds[0] >= least.same_subject) & (odds[1] >= least.changed)
    changes = np.array([one.changes for one in examples])
    in_store = np.array([one.in_store for one in examples])
    for where, part in (("pairs", ~in_store), ("stores", in_store)):
        right, wrong = int((called & changes & part).sum()), int((called & ~changes & part).sum())
        precision, recall = right / max(1, right + wrong), right / int((changes & part).sum())
        yield f"{name}, {where}: precision {precision:.3f}, recall {recall:.3f}, {wrong} wrong"


def _module(fitted: tuple[Array, Array], by_words: tuple[Array, Array]) -> str:
    def table(name: str, values: Array) -> str:
        return f"{name} = (\n{''.join(f'    {value:.3f},{chr(10)}' for value in values)})\n"

    return (
        '"""Weights of `change_likelihood`, each after its base, written by `python -m training changes`."""\n\n'
        + table("SAME_SUBJECT", fitted[0])
        + table("CHANGED", fitted[1])
        + table("SAME_SUBJECT_BY_WORDS", by_words[0])
        + table("CHANGED_BY_WORDS", by_words[1])
    )
