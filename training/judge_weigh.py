"""Weigh the judgements of held-out stores with what else is known of a memory: a logistic regression.

It prints the weights for `src/satchel/turns/admission.py`. A memory beside a wanted one does less harm than one in front of a
prompt that needs none, so it counts less.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.reader_files import JUDGED_FILE

BESIDE_WEIGHT = 0.05
RIDGE = 1e-2
NAMES = ("base", "judged", "relevance", "own", "is_governing_rule")

Array = NDArray[np.float64]


def weigh(trained: Path) -> dict[str, float]:
    """Return what each signal counts."""
    with gzip.open(trained / JUDGED_FILE, "rt", encoding="ascii") as file:
        rows = list(examples(json.load(file)))
    inputs, is_wanted, counts = (np.array([row[part] for row in rows]) for part in range(3))
    return {name: round(float(one), 3) for name, one in zip(NAMES, fitted(inputs, is_wanted, counts), strict=True)}


def examples(prompts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[list[float], float, float]]:
    """Yield the signals of each memory, whether it is wanted, and what that counts."""
    for one in prompts:
        some = any(one["is_wanted"])
        for place, judged in enumerate(one["judged"]):
            if not one["is_fine"][place]:
                is_wanted = one["is_wanted"][place]
                known = [one["relevance"][place], one["own"], float(one["is_rule"][place])]
                weight = BESIDE_WEIGHT if some and not is_wanted else 1.0
                yield [1.0, judged, *known], float(is_wanted), weight


def fitted(inputs: Array, right: Array, counts: Array) -> Array:
    """Fit a logistic regression by Newton's method."""
    found = np.zeros(inputs.shape[1])
    for _ in range(40):
        share = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (counts * (share - right)) + RIDGE * found
        curvature = (inputs * (counts * share * (1 - share))[:, None]).T @ inputs + RIDGE * np.eye(len(found))
        found -= np.linalg.solve(curvature, gradient)
    return found
