"""Fit the weights by which a text reads as an order to the agent: python -m training.orders

Attacks and harmless texts are those of tests/data/injection whose digest is even; the others are held out and measured by
`python -m bench injection`. The texts of training/authored and training/prompts are harmless too. A text is as bad as its
worst passage, so the passage of an attack that counts is chosen again after each fit.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satchel.domain.safety.orders.combinations import COMBINATIONS
from satchel.domain.safety.orders.inspect import NAMES, combinations_of, passages

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "data" / "injection"
TARGET = ROOT / "src" / "satchel" / "domain" / "safety" / "orders" / "weights.py"
# How strongly a weight is drawn to what it is worth beforehand: a cue alone nothing, a combination 1.
CUE_RIDGE, COMBINATION_RIDGE = 8.0, 4.0
ATTACK_WEIGHT = 3.0
FITS = 3
# Added to the threshold that the folds find: it rests on few cases, and a harmless text that is kept away costs more.
MARGIN = 0.7
STEPS = 150
FOLDS = 4
# Harmless passages in one fit: those that the last one scored highest.
MAX_HARMLESS = 4_000
# Cues that may speak against an order; the others cannot.
EITHER_WAY = ("two_sentences", "code", "question", "not", "you", "mention", "quoted", "urgent", "role")

Numbers = NDArray[np.float32]
Passages = list[int]
PLACE = {name: place for place, name in enumerate(COMBINATIONS)}
WIDTH = len(NAMES) + len(PLACE)
PRIOR: Numbers = np.array([0.0] * len(NAMES) + [1.0] * len(PLACE), np.float32)
RIDGE: Numbers = np.array([CUE_RIDGE] * len(NAMES) + [COMBINATION_RIDGE] * len(PLACE), np.float32)
LEAST: Numbers = np.array([-9.0 if name in EITHER_WAY else 0.0 for name in (*NAMES, *PLACE)], np.float32)


def is_held(text: str) -> bool:
    """Return whether a case is put aside for measuring."""
    return sha256(text.encode()).digest()[0] % 2 == 1


def cases(name: str) -> list[Passages]:
    """Return the passages of each case that may be learned from."""
    rows = (json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines())
    return [_passages(row["text"]) for row in rows if not is_held(row["text"])]


def other_harmless() -> Iterator[Passages]:
    """Yield the passages of the authored texts of other trainings."""
    for path in sorted((*ROOT.glob("training/authored/*.jsonl"), *ROOT.glob("training/prompts/*.jsonl"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from map(_passages, _texts(json.loads(line)))


def _texts(row: dict[str, Any]) -> list[str]:
    return [row["prompt"]] if "prompt" in row else row["units"]


def _passages(text: str) -> Passages:
    return sorted(passages(text)) or [0]


def vectors(found: Sequence[int]) -> Numbers:
    """Return the cues of passages, and the combinations they have, as numbers."""
    rows = np.zeros((len(found), WIDTH), np.float32)
    for row, cues in zip(rows, found, strict=True):
        row[: len(NAMES)] = [cues >> place & 1 for place in range(len(NAMES))]
        row[[len(NAMES) + PLACE[name] for name in combinations_of(cues)]] = 1
    return rows


def fit(attacks: Sequence[Passages], harmless: Sequence[Passages]) -> tuple[Numbers, float]:
    """Return the weights and the bias that tell attacks from harmless passages."""
    counts = Counter(one for found in harmless for one in found if one)
    known = sorted(counts)
    rows, shares = vectors(known), np.array([min(counts[one], 5) for one in known], np.float32)
    worst = [vectors(found) for found in attacks]
    weights, bias = PRIOR, -3.0
    for _ in range(FITS):
        order = np.argsort(-(rows @ weights), kind="stable")[:MAX_HARMLESS]
        chosen = np.vstack([one[np.argmax(one @ weights)] for one in worst])
        signs = np.concatenate([np.ones(len(chosen)), np.zeros(len(order))]).astype(np.float32)
        costs = np.concatenate([np.full(len(chosen), ATTACK_WEIGHT, np.float32), shares[order]])
        weights, bias = _descend(np.vstack([chosen, rows[order]]), signs, costs, weights, bias)
    return weights, bias


def _descend(rows: Numbers, signs: Numbers, costs: Numbers, weights: Numbers, bias: float) -> tuple[Numbers, float]:
    """Minimise the ridge-regularised logistic loss with Adam."""
    across = np.ascontiguousarray(rows.T)
    mean, square = np.zeros(len(weights) + 1), np.zeros(len(weights) + 1)
    for step in range(1, STEPS + 1):
        error = costs * (1 / (1 + np.exp(-(rows @ weights + np.float32(bias)))) - signs)
        slope = np.append(across @ error + RIDGE * (weights - PRIOR), error.sum())
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        rate = 0.08 * (1 - step / STEPS / 1.2)
        change = rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights, bias = np.maximum((weights - change[:-1]).astype(np.float32), LEAST), bias - float(change[-1])
    return weights, bias


def threshold(attacks: Sequence[Passages], harmless: Sequence[Passages], others: Sequence[Passages]) -> float:
    """Return the score that no harmless case exceeds in a fit without it."""
    scores = list[float]()
    for fold in range(FOLDS):
        seen = [found for place, found in enumerate(harmless) if place % FOLDS != fold]
        known = [found for place, found in enumerate(attacks) if place % FOLDS != fold]
        weights, bias = fit(known, [*seen, *others])
        scores += [_score(found, weights, bias) for found in harmless[fold::FOLDS]]
    return max(scores)


def _score(found: Passages, weights: Numbers, bias: float) -> float:
    return float((vectors(found) @ weights).max()) + bias


def written(weights: Numbers, bias: float) -> str:
    """Return the module of the weights."""
    rounded = [round(float(one), 2) for one in weights]
    alone = [f'    "{name}": {one},' for name, one in zip(NAMES, rounded, strict=False) if one]
    combined = [f'    "{name}": {one},' for name, one in zip(PLACE, rounded[len(NAMES) :], strict=True) if one]
    return "\n".join(
        [
            '"""Weights of the cues and combinations of an order to the agent, written by `python -m training.orders`."""\n',
            f"BIAS = {bias:.2f}",
            "SINGLES: dict[str, float] = {",
            *alone,
            "}",
            "COMBINED: dict[str, float] = {",
            *combined,
            "}\n",
        ]
    )


def main() -> None:
    """Fit the weights and write their module."""
    attacks, harmless, others = cases("attacks.jsonl"), cases("harmless.jsonl"), list(other_harmless())
    limit = threshold(attacks, harmless, others)
    weights, bias = fit(attacks, [*harmless, *others])
    TARGET.write_text(written(weights, bias - limit - MARGIN), encoding="utf-8")


if __name__ == "__main__":
    main()
