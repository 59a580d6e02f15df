"""Fitting the constants of relevance, and measuring how far a fit can be trusted."""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# From constants, and one row of signals per record, to the chance that each is right.
Model = Callable[[Numbers, Numbers], Numbers]

BINS = 10
# So little that it only keeps a constant finite which the data say nothing about.
RIDGE = 1e-3
STEP = 1e-5
NEVER, ALWAYS = 1e-9, 1 - 1e-9
LEAST_GAIN = 1e-8
MOST_ROUNDS = 200
MOST_DAMPING = 1e9


class Bin(Struct, frozen=True):
    """A range of values: what was foretold there, what came true, and of how many."""

    foretold: float
    observed: float
    count: int


def by_sum(constants: Numbers, rows: Numbers) -> Numbers:
    """Log-odds that every signal adds to; for (share, weight) it is what `relevance.value` makes of words."""
    return _chance(constants[0] + rows @ constants[1:])


def by_either(constants: Numbers, rows: Numbers) -> Numbers:
    """Meaning or words, as `relevance.value` has it; rows are (cosine, share, weight)."""
    return 1 - (1 - by_sum(constants[:2], rows[:, :1])) * (1 - by_sum(constants[2:], rows[:, 1:]))


def fit_best(
    model: Model, start: Sequence[float], answers: Sequence[Numbers], right: Numbers, weigh: Numbers
) -> Numbers:
    """Fit constants so that the best record of each answer foretells whether the answer is right.

    Which record is the best depends on the constants: both are found in turn, until neither changes.
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
    """Find the likeliest constants: damped Newton steps with the expected curvature."""
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


def curve(foretold: Numbers, right: Numbers, weigh: Numbers) -> list[Bin | None]:
    """Return the calibration curve in ten equal ranges; None where no value fell."""
    places = np.minimum((foretold * BINS).astype(int), BINS - 1)
    return [_bin(foretold[some], right[some], weigh[some]) for some in (places == place for place in range(BINS))]


def calibration_error(foretold: Numbers, right: Numbers, weigh: Numbers) -> float:
    """Return the mean distance between what was foretold and what came true, over the ranges of the curve."""
    places = np.minimum((foretold * BINS).astype(int), BINS - 1)
    off = [abs(float(np.sum((weigh * (foretold - right))[places == place]))) for place in range(BINS)]
    return sum(off) / float(weigh.sum())


def brier(foretold: Numbers | float, right: Numbers, weigh: Numbers) -> float:
    """Return the mean squared distance between what was foretold and what came true."""
    return float(np.average((foretold - right) ** 2, weights=weigh))


def separation(foretold: Numbers, right: Numbers, weigh: Numbers) -> float:
    """Return the chance that what is right has the higher value (area under the ROC curve; a tie counts half).

    Where all are right, or none is, there is nothing to tell apart.
    """
    won = 0.0
    wrong = right == 0
    if wrong.all() or not wrong.any():
        return 0.5
    for one, weight in zip(foretold[~wrong], weigh[~wrong], strict=True):
        won += weight * float(np.sum(weigh[wrong] * ((foretold[wrong] < one) + 0.5 * (foretold[wrong] == one))))
    return won / float(weigh[~wrong].sum() * weigh[wrong].sum())


def _bin(foretold: Numbers, right: Numbers, weigh: Numbers) -> Bin | None:
    if not len(foretold):
        return None
    return Bin(float(np.average(foretold, weights=weigh)), float(np.average(right, weights=weigh)), len(foretold))


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
