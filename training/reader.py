"""Train the reader of decisions: networks whose weights are averaged, and the likelihood of its answers.

Nothing of `bench/data/decisions` is used here.
"""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.reader_examples import DECISION, Example, Row, of_question
from training.reader_files import TRAINED_FILE
from training.reader_network import ReaderNetwork
from training.reader_train import Plan, Prepared, nearest_others, nearness, scores_of, text_vectors, train

PLANS = Plan(), Plan(seed=1, dropout=0.15), Plan(seed=2, agreement=5.0)
ORDER = 7
# So many of a hundred conversations are held out, to learn how likely an answer is right.
HELD_PERCENT = 6
# How many conversations are read for a question.
READ = 8
FIGURES_FILE = "figures.json"


def run_training(prepared: Path, out: Path) -> None:
    """Train networks, and write the mean of their weights with the regressions that judge its answers."""
    out.mkdir(parents=True, exist_ok=True)
    stored = Prepared(prepared, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    talks = random.Random(ORDER).sample(stored.talks, len(stored.talks))
    learnt, held = [one for one in talks if not is_held(one)], [one for one in talks if is_held(one)]
    near = nearest_others(nearness(stored, learnt))
    states = [train(stored, learnt, near, plan).state_dict() for plan in PLANS]
    mean = {name: torch.stack([one[name].float() for one in states]).mean(0).half().cpu() for name in states[0]}
    torch.save(mean, out / TRAINED_FILE)
    write_figures(stored, mean, held, out)


def is_held(talk: Row) -> bool:
    """Return whether a conversation is held out; the same ones at each run."""
    return int(hashlib.sha256(talk["id"].encode()).hexdigest(), 16) % 100 < HELD_PERCENT


def write_figures(stored: Prepared, state: Mapping[str, Tensor], held: Sequence[Row], out: Path) -> None:
    """Write how likely an answer is right, and which questions ask for reasons."""
    network = stored.network(dropout=0.0)
    network.load_state_dict({name: value.float() for name, value in state.items()})
    inputs, right = answers_of(stored, network, held)
    figures = {
        "choice": fit_choice(inputs, right).tolist(),
        "asks_reason": fit_asks_reason(stored, stored.talks).tolist(),
        "right_decision": float(right.mean()),
    }
    (out / FIGURES_FILE).write_text(json.dumps(figures) + "\n", encoding="utf-8")


def answers_of(
    prepared: Prepared, network: ReaderNetwork, held: Sequence[Row], read: int = READ
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Answer the questions of conversations that a network has not seen, each from the `read` nearest of these.

    Return for each conversation that was read the inputs of its likelihood, and whether its answer is right.
    """
    examples, rows = list[Example](), list[tuple[float, float]]()
    for number, (talk, near) in enumerate(zip(held, nearness(prepared, held), strict=True)):
        for asked, distances in zip(talk["questions"], near, strict=True):
            for other in np.argsort(-distances, kind="stable")[:read].tolist():
                examples.append(of_question(talk, asked) if other == number else unanswered(held[other], asked))
                rows.append((float(distances[other]), float(distances.max() - distances[other])))
    inputs, right = list[list[float]](), list[bool]()
    for one, (whole, behind), (heads, none) in zip(examples, rows, scores_of(prepared, network, examples), strict=True):
        best = int(heads[:, DECISION].argmax())
        inputs.append([1.0, float(heads[best, DECISION]) - none, whole, behind])
        right.append(best in one.parts[DECISION])
    return np.array(inputs), np.array(right, np.float64)


def unanswered(talk: Row, asked: Row) -> Example:
    """Return a question with a conversation that does not answer it."""
    return of_question(talk, {"ask": asked["ask"], "asks": asked["asks"], "answerable": False})


def fit_asks_reason(prepared: Prepared, talks: Sequence[Row]) -> NDArray[np.float64]:
    """Fit the logistic regression of `asks_for_reason` on the vectors of all questions."""
    asked = [one for talk in talks for one in talk["questions"]]
    vectors = text_vectors(prepared, [one["ask"] for one in asked])
    wants = np.array([one["asks"] in ("why", "why_not") for one in asked], np.float64)
    # Most questions ask why, so each way of asking counts the same in all.
    counts = Counter(one["asks"] for one in asked)
    weights = np.array([len(asked) / len(counts) / counts[one["asks"]] for one in asked])
    return fit_choice(np.hstack([np.ones((len(asked), 1)), vectors]), wants, ridge=0.1, weights=weights)


def fit_choice(
    inputs: NDArray[np.float64],
    right: NDArray[np.float64],
    ridge: float = 1e-3,
    weights: NDArray[np.float64] | float = 1.0,
) -> NDArray[np.float64]:
    """Fit a logistic regression, such as that of `likelihood_of`, by Newton's method."""
    fitted = np.zeros(inputs.shape[1])
    for _ in range(30):
        share = 1 / (1 + np.exp(-inputs @ fitted))
        gradient = inputs.T @ (weights * (share - right)) + ridge * fitted
        curvature = (inputs * (weights * share * (1 - share))[:, None]).T @ inputs + ridge * np.eye(inputs.shape[1])
        fitted -= np.linalg.solve(curvature, gradient)
    return fitted
