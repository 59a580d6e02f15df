"""Train the reader's network on prepared conversations."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from satchel.adapters.reader.words import read_words
from training.fitting import Schedule, fit
from training.network import autocast
from training.reader_examples import REPLACED, Example, Examples, Row, Variation
from training.reader_files import TOKENS_FILE, TRUNK_FILE
from training.reader_network import Batch, ReaderNetwork, disagreement_of, loss_of

Nearest = Sequence[Sequence[Sequence[int]]]
"""For each question of each conversation, the nearest other conversations."""
# From how many of the nearest other conversations one is chosen.
NEAREST = 8


@dataclass(frozen=True)
class Plan(Schedule):
    """The numbers of a training."""

    others: int = 2
    """Of how many other conversations each question is asked."""
    topics: float = 0.3
    """The share of conversations that are read without a question."""
    variation: Variation = field(default_factory=Variation)
    agreement: float = 3.0
    """How much it counts that two readings of an example agree."""


class Prepared:
    """What `reader_prepare` wrote, and the word vectors of the shipped encoder."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        with gzip.open(folder / TOKENS_FILE, "rt", encoding="ascii") as file:
            stored: dict[str, Any] = json.load(file)
        self.begin: int = stored["begin"]
        self.end: int = stored["end"]
        self.talks: list[Row] = stored["talks"]
        with np.load(folder / TRUNK_FILE, allow_pickle=False) as arrays:
            self.trunk = dict(arrays)
        self.device = device
        self.words = torch.from_numpy(read_words().rows()).to(device)

    def batch(self, examples: Sequence[Example]) -> Batch:
        """Return examples as tensors."""
        return Batch(examples, self.begin, self.end, self.device)

    def network(self, dropout: float) -> ReaderNetwork:
        """Return an untrained network with the encoder's trunk."""
        made = ReaderNetwork(dropout)
        made.load_trunk(self.trunk)
        return made.to(self.device)


def train(prepared: Prepared, talks: Sequence[Row], near: Nearest, plan: Plan) -> ReaderNetwork:
    """Train a network on conversations, of which `near` names the nearest others; return the mean of its last weights."""
    # All networks begin alike, so that their weights can be averaged.
    torch.manual_seed(0)
    network = prepared.network(plan.dropout)
    torch.manual_seed(plan.seed)
    made = Examples(talks, plan.variation, plan.seed)

    def loss(examples: Sequence[Example]) -> Tensor:
        batch = prepared.batch([*examples, *examples])
        with autocast():
            scores = network(batch, prepared.words)
        return loss_of(scores, batch) + plan.agreement * disagreement_of(scores, batch.present)

    average = fit(network, plan, lambda: list(_talk_examples(made, talks, near, plan)), loss, example_length)
    network.load_state_dict(average)
    return network.eval()


def _talk_examples(made: Examples, talks: Sequence[Row], near: Nearest, plan: Plan) -> Iterator[Example]:
    chosen = made.chosen
    for number, talk in enumerate(talks):
        for asked, others in zip(talk["questions"], near[number], strict=True):
            yield made.own(talk, asked)
            for other in chosen.sample(others, min(plan.others, len(others))):
                yield made.other(talks[other], asked)
        if chosen.random() < plan.topics:
            yield made.topic(talk)


def example_length(one: Example) -> int:
    """Return about how many tokens an example has."""
    return sum(map(len, one.messages)) + len(one.question)


@torch.no_grad()
def scores_of(prepared: Prepared, network: ReaderNetwork, examples: Sequence[Example]) -> list[tuple[Any, float]]:
    """Return the scores of messages and of none for each example."""
    network.eval()
    order = sorted(range(len(examples)), key=lambda place: sum(map(len, examples[place].messages)))
    found: dict[int, tuple[Any, float]] = {}
    for at in range(0, len(order), 128):
        places = order[at : at + 128]
        batch = prepared.batch([examples[place] for place in places])
        with autocast():
            scores = network(batch, prepared.words)
        heads, none, first = (one.cpu().numpy() for one in scores[:3])
        for row, place in enumerate(places):
            # What was replaced is compared with nothing.
            heads[row, :, REPLACED] -= first[row]
            found[place] = heads[row, : len(examples[place].messages)], float(none[row])
    return [found[place] for place in range(len(examples))]


@torch.no_grad()
def text_vectors(prepared: Prepared, texts: Sequence[Sequence[int]]) -> np.ndarray[Any, Any]:
    """Return a vector per text, as the encoder gives it."""
    trunk = prepared.network(0.0).trunk.eval()
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    found = np.zeros((len(texts), 384), np.float32)
    for at in range(0, len(order), 256):
        places = order[at : at + 256]
        length = max(len(texts[place]) for place in places) + 2
        ids, mask = np.zeros((len(places), length), np.int64), np.zeros((len(places), length), np.float32)
        for row, place in enumerate(places):
            whole = [prepared.begin, *texts[place], prepared.end]
            ids[row, : len(whole)], mask[row, : len(whole)] = whole, 1
        with autocast():
            vectors = trunk(
                torch.from_numpy(ids).to(prepared.device), torch.from_numpy(mask).to(prepared.device), prepared.words
            )
        found[places] = vectors.float().cpu().numpy()
    return found


def nearness(prepared: Prepared, talks: Sequence[Row]) -> list[np.ndarray[Any, Any]]:
    """Return for each conversation a row per question: how near each conversation is to it."""
    texts = [one["text"] for talk in talks for one in talk["messages"]]
    asked = [one["ask"] for talk in talks for one in talk["questions"]]
    vectors = text_vectors(prepared, [*texts, *asked])
    cosines = vectors[len(texts) :] @ vectors[: len(texts)].T
    bounds = np.cumsum([0, *(len(talk["messages"]) for talk in talks)])
    near = np.stack(
        [np.sort(cosines[:, start:stop], axis=1)[:, -3:].mean(axis=1) for start, stop in pairwise(bounds)],
        axis=1,
    )
    counts = np.cumsum([0, *(len(talk["questions"]) for talk in talks)])
    return [near[start:stop] for start, stop in pairwise(counts)]


def nearest_others(near: Sequence[np.ndarray[Any, Any]]) -> Nearest:
    """Return for each question the other conversations that are nearest to it."""
    return [
        [[one for one in np.argsort(-row, kind="stable")[: NEAREST + 1].tolist() if one != number] for row in rows]
        for number, rows in enumerate(near)
    ]
