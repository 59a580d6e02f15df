"""Train the reader of decisions, and write its weights into the package: `python -m training decisions`.

The models of acts and the networks see no message of `bench/data/decisions`. Its half `tuned` sets the general level of the
likelihoods, and nothing else.
"""

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from bench.decisions import DATA
from numpy.typing import NDArray
from tests.adapters.reader import reference

from satchel.adapters.reader.acts import Floats
from satchel.adapters.reader.network import WEIGHTS_FILE, Scores
from satchel.adapters.reader.reader import MAX_READ, likelihood_of
from satchel.ports.reading import DecisionQuestion
from training.reader_examples import Example, Store, embed_texts, read_rows
from training.reader_network import ReaderNetwork, fit_acts, scores_of, train_network

# Conversations are held out in this many parts, to score acts and to learn how likely an answer is right.
FOLDS = 5
SEEDS = range(3)
# Conversations that are compared with a question before the nearest of them are read.
COMPARED = 8
# The heads that answer questions; the others only help the network to learn.
ANSWERING_HEADS = 3


def learn(target: Path = WEIGHTS_FILE, cache: Path | None = None) -> None:
    """Fit everything and write it. `cache` is a file for the vectors of the texts."""
    torch.set_num_threads(1)
    rows, tuned = read_rows(), read_rows(DATA / "tuned.jsonl")
    vectors = embed_texts([*rows, *tuned], cache)
    store = Store(rows, vectors)
    acts, act_bases = score_acts(store)
    own = store.own_examples()
    examples = [*own, *store.other_examples(own, seed=0)]
    features = np.vstack([one.features for one in examples])
    means, deviations = features.mean(axis=0), features.std(axis=0) + np.float32(1e-6)
    choice = fit_choice(*held_out_answers(store, own, examples, means, deviations))
    networks = [train_network(examples, means, deviations, seed) for seed in SEEDS]
    others = Store(tuned, vectors)
    for talk in others.talks:
        talk.scores = talk.inputs @ acts + act_bases
    choice[0] += level(others, networks, choice, means, deviations)
    tensors = {f"{number}/{name}": value for number, one in enumerate(networks) for name, value in _tensors(one)}
    single = {"acts": acts, "act_bases": act_bases, "means": means, "deviations": deviations}
    halved = {name: value.astype(np.float16) for name, value in {**single, **tensors}.items()}
    # Few and small numbers whose last digits matter.
    exact = {"means": means, "deviations": deviations, "choice": choice}
    np.savez_compressed(target, **{**halved, **exact})
    record_reference(networks, means, deviations)


def record_reference(networks: Sequence[ReaderNetwork], means: Floats, deviations: Floats) -> None:
    """Record what the networks give for fixed inputs, which a test compares with NumPy."""
    question, vectors, waves = reference.inputs(len(means))
    asked = DecisionQuestion("", array("f", question.tolist()), (), {})
    one = Example.of_inputs(asked, vectors, waves * deviations + means)
    reference.write(scores_of(networks, [one], means, deviations)[0])


def score_acts(store: Store) -> tuple[Floats, Floats]:
    """Fit the models of acts, and score each message by models that have not seen its conversation."""
    for fold in range(FOLDS):
        seen = [talk for number, talk in enumerate(store.talks) if number % FOLDS != fold]
        weights, bases = fit_acts(np.vstack([one.inputs for one in seen]), np.vstack([one.acts for one in seen]))
        for talk in store.talks[fold::FOLDS]:
            talk.scores = talk.inputs @ weights + bases
    return fit_acts(np.vstack([one.inputs for one in store.talks]), np.vstack([one.acts for one in store.talks]))


def held_out_answers(
    store: Store, own: Sequence[Example], examples: Sequence[Example], means: Floats, deviations: Floats
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Answer every question by a network that has not seen its conversation, from the others that it has not seen.

    Return for each discussion that was read the inputs of its likelihood, and whether its answer is right.
    """
    inputs, right = list[list[float]](), list[bool]()
    for fold in range(FOLDS):
        network = train_network(
            [one for one in examples if one.home % FOLDS != fold and one.talk_number % FOLDS != fold],
            means,
            deviations,
            fold,
        )
        among = range(fold, len(store.talks), FOLDS)
        for asked in (one for one in own if one.home % FOLDS == fold):
            read = _candidates(store, asked, among)
            best = max(one.near.whole for one in read)
            for one, scores in zip(read, scores_of([network], read, means, deviations), strict=True):
                inputs.append([1.0, margin(scores), one.near.whole, best - one.near.whole])
                right.append(is_right(one, scores))
    return np.array(inputs), np.array(right, np.float64)


def _candidates(store: Store, asked: Example, among: Sequence[int]) -> list[Example]:
    near = store.nearest(asked.question, COMPARED, among)
    compared = [
        asked if number == asked.home else Example(asked.home, number, store.talks[number], asked.asked, asked.question)
        for number in near
    ]
    return sorted(compared, key=lambda one: -one.near.whole)[:MAX_READ]


def margin(scores: Scores) -> float:
    """Return the log-odds of the best message over those of none."""
    return float(scores.decision.max()) - scores.none


def is_right(example: Example, scores: Scores) -> bool:
    """Return whether the best message made the decision that was asked for."""
    return bool(example.labels[0, int(scores.decision.argmax())])


def fit_choice(inputs: NDArray[np.float64], right: NDArray[np.float64]) -> Floats:
    """Fit the logistic regression of `likelihood_of` by Newton's method."""
    fitted = np.zeros(inputs.shape[1])
    for _ in range(30):
        share = 1 / (1 + np.exp(-inputs @ fitted))
        gradient = inputs.T @ (share - right) + 1e-3 * fitted
        curvature = (inputs * (share * (1 - share))[:, None]).T @ inputs + 1e-3 * np.eye(inputs.shape[1])
        fitted -= np.linalg.solve(curvature, gradient)
    return fitted.astype(np.float32)


def level(store: Store, networks: Sequence[ReaderNetwork], choice: Floats, means: Floats, deviations: Floats) -> float:
    """Return what to add to the log-odds of answers, so that their mean likelihood is the share of right answers."""
    likelihoods, right = list[float](), list[bool]()
    for asked in store.own_examples():
        read = _candidates(store, asked, range(len(store.talks)))
        best = max(one.near.whole for one in read)
        scored = [
            (likelihood_of(choice, margin(scores), one.near.whole, best - one.near.whole), is_right(one, scores))
            for one, scores in zip(read, scores_of(networks, read, means, deviations), strict=True)
        ]
        likelihood, is_answer = max(scored)
        likelihoods.append(likelihood)
        right.append(is_answer)
    odds, steps = np.array(likelihoods), np.linspace(-3, 3, 601)
    odds = np.log(odds / (1 - odds))
    means_by_step = [float(np.mean(1 / (1 + np.exp(-odds - step)))) for step in steps]
    return float(steps[np.argmin(np.abs(np.array(means_by_step) - np.mean(right)))])


def _tensors(network: ReaderNetwork) -> list[tuple[str, Floats]]:
    named = {name: value.numpy() for name, value in network.state_dict().items()}
    for name in ("heads.weight", "heads.bias"):
        named[name] = named[name][:ANSWERING_HEADS]
    return list(named.items())
