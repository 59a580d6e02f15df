"""Train the reader that is in the package further, on conversations that it has not seen.

A part of the new conversations is held out, to fit how likely an answer is right. Half an hour on two cores.
"""

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from satchel.adapters.embedders.model_files import SCORES_FILE
from satchel.adapters.reader.network import FOLDER
from training import reader_prepare
from training.fitting import Schedule, fit
from training.reader import FIGURES_FILE, answers_of, fit_asks_reason, fit_choice
from training.reader_examples import Example, Examples, Row, Variation
from training.reader_files import TRAINED_FILE
from training.reader_network import ReaderNetwork, loss_of
from training.reader_train import Nearest, Prepared, example_length, nearest_others, nearness

# One after the other, each with examples and further seen conversations of its own.
ROUNDS = (Schedule(1, rate=5e-5, average=0.02, seed=3), Schedule(1, rate=4e-5, average=0.02, seed=11))
# What is new counts this much in the weights. The rest are those of the package, which know more conversations.
NEW_SHARE = 0.65
HELD_PERCENT = 14
# How many conversations are read for a question that was held out: those held out are few.
READ = 4


@dataclass(frozen=True)
class Shares:
    """How many of the questions are asked, of their own conversation and of another one, and how many talks have no question."""

    own: float
    other: float
    topic: float = 0.08


NEW, SEEN = Shares(0.72, 0.22), Shares(0.15, 0.08)
# So many seen conversations keep the network from forgetting.
SEEN_TALKS = 260


def run_further(prepared: Path, out: Path, new_from: int) -> None:
    """Train further; conversations from number `new_from` on are new. Write what `reader-export` reads."""
    out.mkdir(parents=True, exist_ok=True)
    stored = Prepared(prepared, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    seen, new = stored.talks[:new_from], stored.talks[new_from:]
    held, learnt = [one for one in new if is_held(one)], [one for one in new if not is_held(one)]
    before = packaged_network(stored)
    network = packaged_network(stored)
    for plan in ROUNDS:
        talks = [*learnt, *random.Random(plan.seed).sample(seen, min(SEEN_TALKS, len(seen)))]
        train_round(stored, network, talks, len(learnt), plan)
    mean = {
        name: NEW_SHARE * value.float() + (1 - NEW_SHARE) * before.state_dict()[name].float()
        for name, value in network.state_dict().items()
    }
    torch.save({name: value.half().cpu() for name, value in mean.items()}, out / TRAINED_FILE)
    network.load_state_dict(mean)
    inputs, right = answers_of(stored, network, held, READ)
    figures = {
        "choice": fit_choice(inputs, right).tolist(),
        "asks_reason": fit_asks_reason(stored, stored.talks).tolist(),
        "right_decision": float(right.mean()),
    }
    (out / FIGURES_FILE).write_text(json.dumps(figures) + "\n", encoding="utf-8")


def is_held(talk: Row) -> bool:
    """Return whether a new conversation is held out; the same ones at each run."""
    return int(hashlib.sha256(talk["id"].encode()).hexdigest(), 16) % 100 < HELD_PERCENT


def packaged_network(stored: Prepared) -> ReaderNetwork:
    """Return the network of the package with float weights."""
    network = stored.network(dropout=0.1)
    network.load_trunk(reader_prepare.trunk(FOLDER))
    with np.load(FOLDER / SCORES_FILE, allow_pickle=False) as scores:
        own = {name: torch.from_numpy(scores[name].astype(np.float32)) for name in scores.files}
    state = network.state_dict()
    network.load_state_dict({**state, **{name: value for name, value in own.items() if name in state}})
    return network.to(stored.device)


def train_round(stored: Prepared, network: ReaderNetwork, talks: Sequence[Row], new: int, plan: Schedule) -> None:
    """Train a network on conversations, of which the first `new` are new; it keeps the mean of its last weights."""
    with reduced(stored), torch.no_grad():
        near = nearest_others(nearness(stored, talks))
    examples = list(_examples(talks, near, new, plan.seed))

    def loss(several: Sequence[Example]) -> Tensor:
        batch = stored.batch(several)
        with reduced(stored):
            scores = network(batch, stored.words)
        return loss_of(scores, batch)

    torch.manual_seed(plan.seed)
    network.load_state_dict(fit(network, plan, lambda: examples, loss, example_length))


def reduced(stored: Prepared) -> torch.autocast:
    """Return a context that computes in bfloat16, on a processor too: half of the time where it has instructions for it."""
    return torch.autocast(stored.device.type, torch.bfloat16)


def _examples(talks: Sequence[Row], near: Nearest, new: int, seed: int) -> Iterator[Example]:
    made, chosen = Examples(talks, Variation(), seed), random.Random(seed)
    for number, talk in enumerate(talks):
        shares = NEW if number < new else SEEN
        for asked, others in zip(talk["questions"], near[number], strict=True):
            if chosen.random() < shares.own:
                yield made.own(talk, asked)
            if others and chosen.random() < shares.other:
                yield made.other(talks[chosen.choice(others)], asked)
        if chosen.random() < shares.topic:
            yield made.topic(talk)
