"""Train the judge's network on prepared stores."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from satchel.adapters.reader.layout import grouped
from satchel.adapters.reader.words import read_words
from training.fitting import Schedule, fit
from training.judge_examples import Example, Examples, Row, Variation
from training.judge_network import Batch, JudgeNetwork, loss_of
from training.network import autocast
from training.reader_files import TOKENS_FILE, TRUNK_FILE


@dataclass(frozen=True)
class Plan(Schedule):
    """The numbers of a training."""

    layers: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    """The layers of the encoder that the network begins with."""
    epochs: int = 10
    batch: int = 64
    rate: float = 2e-4
    any_weight: float = 0.5
    """What it counts to say whether any memory is wanted, next to saying which."""
    beside_weight: float = 0.5
    """What an unwanted memory beside a wanted one counts."""
    variation: Variation = field(default_factory=Variation)


class Prepared:
    """What `judge_prepare` wrote, and the word vectors of the shipped encoder."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        with gzip.open(folder / TOKENS_FILE, "rt", encoding="ascii") as file:
            stored: dict[str, Any] = json.load(file)
        self.begin: int = stored["begin"]
        self.end: int = stored["end"]
        self.stores: list[Row] = stored["stores"]
        self.questions: list[Row] = stored["questions"]
        self.general: list[Row] = stored["general"]
        with np.load(folder / TRUNK_FILE, allow_pickle=False) as arrays:
            self.trunk = dict(arrays)
        self.device = device
        self.words = torch.from_numpy(read_words().rows()).to(device)

    def batch(self, examples: Sequence[Example]) -> Batch:
        """Return examples as tensors."""
        return Batch(examples, self.begin, self.end, self.device)


def train(prepared: Prepared, stores: Sequence[Row], plan: Plan) -> JudgeNetwork:
    """Train a network on some stores; return the mean of its last weights."""
    # All networks begin alike, so that their weights can be averaged.
    torch.manual_seed(0)
    network = JudgeNetwork(plan.dropout, plan.layers)
    network.load_trunk(prepared.trunk)
    network.to(prepared.device)
    torch.manual_seed(plan.seed)
    made = Examples(stores, prepared.questions, prepared.general, plan.variation, plan.seed)

    def loss(examples: Sequence[Example]) -> Tensor:
        batch = prepared.batch(examples)
        with autocast():
            judged = network(batch, prepared.words)
        return loss_of(judged, batch, plan.any_weight, plan.beside_weight)

    network.load_state_dict(fit(network, plan, made.epoch, loss, lambda one: one.length))
    return network.eval()


@torch.no_grad()
def judged(prepared: Prepared, network: JudgeNetwork, prompts: Sequence[Sequence[Example]]) -> list[list[float]]:
    """Return the log-odds of the memories of each prompt, which are read in groups."""
    network.eval()
    examples = [one for several in prompts for one in several]
    order = sorted(range(len(examples)), key=lambda place: examples[place].length)
    found: dict[int, list[float]] = {}
    for at in range(0, len(order), 128):
        places = order[at : at + 128]
        with autocast():
            wanted, _ = network(prepared.batch([examples[place] for place in places]), prepared.words)
        found |= {place: wanted[row, : len(examples[place].memories)].tolist() for row, place in enumerate(places)}
    following = iter(found[place] for place in range(len(examples)))
    return [_joined([next(following) for _ in several]) for several in prompts]


def _joined(groups: Sequence[Sequence[float]]) -> list[float]:
    """Return the log-odds of all groups in the order of the memories."""
    odds = [0.0] * sum(map(len, groups))
    for places, group in zip(grouped(len(odds)), groups, strict=True):
        for place, one in zip(places, group, strict=True):
            odds[place] = one
    return odds
