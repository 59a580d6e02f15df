"""Fit the constants of relevance by maximum likelihood, and measure the calibration of a fit."""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from satchel.recall.relevance import MAX_BY_MEANING

Numbers = NDArray[np.float64]
# From constants and one row of signals per record to the probability that each is right.
Model = Callable[[Numbers, Numbers], Numbers]

BINS = 10
# Only keeps a constant finite that the data do not determine.
RIDGE = 1e-3
STEP = 1e-5
NEVER, ALWAYS = 1e-9, 1 - 1e-9
LEAST_GAIN = 1e-8
MOST_ROUNDS = 200
MOST_DAMPING = 1e9


class Bin(Struct, frozen=True):
    """One bin of a calibration curve: mean prediction, observed share, and count."""

    predicted: float
    observed: float
    count: int


def by_sum(constants: Numbers, rows: Numbers) -> Numbers:
    """Logistic model, linear in every signal; for (share, weight) it is the words part of a relevance."""
    return _chance(constants[0] + rows @ constants[1:])


def by_either(constants: Numbers, rows: Numbers) -> Numbers:
    """Noisy-or of meaning and words, as in `relevance_from`; rows are (cosine, share, weight)."""
    by_meaning = MAX_BY_MEANING * by_sum(constants[:2], rows[:, :1])
    return 1 - (1 - by_meaning) * (1 - by_sum(constants[2:], rows[:, 1:]))


def fit_best(
    model: Model, start: Sequence[float], answers: Sequence[Numbers], right: Numbers, weigh: Numbers
) -> Numbers:
    """Fit constants so that the best record of each answer predicts whether the answer is right.

    Which record is best depends on the constants: both are updated in turn until neither changes.
    """
    constants = np.array(start, dtype=np.float64)
    rows = np.concatenate(answers)
    ends = np.cumsum([len(answer) for answer in answers])
    spans = list(zip(np.r_[0, ends[:-1]].tolist(), ends.tolist(), strict=True))
    best = [begin for begin, _ in spans]
    for _ in range(MOST_ROUNDS):
        constants = fit(model, constants, rows[best], right, weigh)
        values = model(constants, rows)
        again = [begin + int(np.argmax(values[begin:end])) for begin, end in spans]
        if again == best:
            break
        best = again
    return constants


def fit(model: Model, start: Numbers, rows: Numbers, right: Numbers, weigh: Numbers) -> Numbers:
    """Find the maximum-likelihood constants by damped Newton steps with the expected curvature."""
    constants, damping = start, 1e-3
    reached = _likelihood(model, constants, rows, right, weigh)
    for _ in range(MOST_ROUNDS):
        chance = np.clip(model(constants, rows), NEVER, ALWAYS)
        slopes = _slopes(model, constants, rows)
        certainty = weigh / (chance * (1 - chance))
        gradient = slopes.T @ (certainty * (right - chance)) - RIDGE * constants
        curvature = (slopes * certainty[:, None]).T @ slopes + RIDGE * np.eye(len(constants))
        gain = -1.0
        while gain < 0 and damping < MOST_DAMPING:
            step = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), gradient)
            gain = _likelihood(model, constants + step, rows, right, weigh) - reached
            damping = damping * 5 if gain < 0 else damping / 5
        if gain < 0:
            break
        constants, reached = constants + step, reached + gain
        if gain < LEAST_GAIN:
            break
    return constants


def curve(predicted: Numbers, right: Numbers, weigh: Numbers) -> list[Bin | None]:
    """Return the calibration curve in ten equal bins; None for an empty bin."""
    places = np.minimum((predicted * BINS).astype(int), BINS - 1)
    return [_bin(predicted[some], right[some], weigh[some]) for some in (places == place for place in range(BINS))]


def calibration_error(predicted: Numbers, right: Numbers, weigh: Numbers) -> float:
    """Return the expected calibration error over the bins of the curve."""
    places = np.minimum((predicted * BINS).astype(int), BINS - 1)
    off = [abs(float(np.sum((weigh * (predicted - right))[places == place]))) for place in range(BINS)]
    return sum(off) / float(weigh.sum())


def brier(predicted: Numbers | float, right: Numbers, weigh: Numbers) -> float:
    """Return the mean squared error of the predictions (Brier score)."""
    return float(np.average((predicted - right) ** 2, weights=weigh))


def separation(predicted: Numbers, right: Numbers, weigh: Numbers) -> float:
    """Return the area under the ROC curve; ties count half, and 0.5 if all are right or none is."""
    won = 0.0
    wrong = right == 0
    if wrong.all() or not wrong.any():
        return 0.5
    for one, weight in zip(predicted[~wrong], weigh[~wrong], strict=True):
        won += weight * float(np.sum(weigh[wrong] * ((predicted[wrong] < one) + 0.5 * (predicted[wrong] == one))))
    return won / float(weigh[~wrong].sum() * weigh[wrong].sum())


def _bin(predicted: Numbers, right: Numbers, weigh: Numbers) -> Bin | None:
    if not len(predicted):
        return None
    return Bin(float(np.average(predicted, weights=weigh)), float(np.average(right, weights=weigh)), len(predicted))


def _likelihood(model: Model, constants: Numbers, rows: Numbers, right: Numbers, weigh: Numbers) -> float:
    chance = np.clip(model(constants, rows), NEVER, ALWAYS)
    fits = weigh * (right * np.log(chance) + (1 - right) * np.log(1 - chance))
    return float(fits.sum() - RIDGE * constants @ constants / 2)


def _slopes(model: Model, constants: Numbers, rows: Numbers) -> Numbers:
    nudges = STEP * np.eye(len(constants))
    changes = [model(constants + nudge, rows) - model(constants - nudge, rows) for nudge in nudges]
    return np.stack(changes, axis=1) / (2 * STEP)


def _chance(log_odds: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -500, 500))), dtype=np.float64)
