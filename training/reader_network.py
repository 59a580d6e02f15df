"""The reader's models in PyTorch: linear models of the acts, and the network that `adapters/reader/network.py` runs."""

import random
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from satchel.adapters.reader.acts import ACTS, Floats
from satchel.adapters.reader.network import (
    FEATURES_SHARE,
    HEADS,
    LAYERS,
    MAX_DEVIATION,
    MAX_MESSAGES,
    PRODUCT_SCALE,
    VECTOR_SCALE,
    WIDTH,
    Scores,
)
from training.reader_examples import PARTS, Example

ACT_PENALTY = 10.0
EPOCHS, BATCH, RATE, WARM_UP = 4, 48, 7e-4, 0.05
# Batches are made of discussions of similar length, from this many examples at a time.
SORTED = 1_024
AVERAGE = 0.01
# What the reasons, what was replaced, what is stale and the acts count next to the decision.
LOSS_WEIGHTS = (1.5, 1.0, 0.3, 0.3)
DROPOUT, VECTOR_DROPOUT, FEATURE_DROPOUT = 0.25, 0.3, 0.1


def fit_acts(inputs: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """Fit a logistic regression for each act; rare acts weigh as much as their absence. Return weights and bases."""
    x, y = torch.from_numpy(np.hstack([inputs, np.ones((len(inputs), 1), np.float32)])), torch.from_numpy(labels)
    share = y.mean(0).clamp(1e-6, 1 - 1e-6)
    costs = torch.where(y > 0, 0.5 / share, 0.5 / (1 - share))
    weights = torch.zeros(x.shape[1], y.shape[1], requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=150, history_size=10, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        fit = functional.binary_cross_entropy_with_logits(x @ weights, y, weight=costs, reduction="sum")
        total = fit + 0.5 * ACT_PENALTY * (weights**2).sum()
        total.backward()
        return total

    optimizer.step(loss)
    fitted = weights.detach().numpy()
    return fitted[:-1], fitted[-1]


class ReaderNetwork(nn.Module):
    """Transformer layers over the question and the messages of a discussion."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.message, self.question = nn.Linear(384, WIDTH), nn.Linear(384, WIDTH)
        self.product, self.features = nn.Linear(384, WIDTH, bias=False), nn.Linear(features, WIDTH)
        self.from_start, self.from_end = nn.Embedding(MAX_MESSAGES, WIDTH), nn.Embedding(MAX_MESSAGES, WIDTH)
        for table in (self.from_start, self.from_end):
            nn.init.normal_(table.weight, std=0.05)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, DROPOUT, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.hidden = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Dropout(DROPOUT))
        self.heads, self.none = nn.Linear(WIDTH, len(PARTS) + len(ACTS)), nn.Linear(WIDTH, 1)
        self.drop, self.drop_vectors = nn.Dropout(DROPOUT), nn.Dropout(VECTOR_DROPOUT)
        self.drop_features = nn.Dropout(FEATURE_DROPOUT)

    def forward(self, batch: "Batch") -> tuple[Tensor, Tensor]:
        """Return the scores of every message, and that of no message."""
        vectors, question, features = batch.vectors, batch.question, batch.features
        messages = (
            self.message(self.drop_vectors(vectors * VECTOR_SCALE))
            + self.product(self.drop_vectors(vectors * question[:, None] * PRODUCT_SCALE))
            + self.features(self.drop_features(features))
            + self.from_start(batch.from_start)
            + self.from_end(batch.from_end)
        )
        strongest = features.masked_fill(~batch.mask[..., None], -MAX_DEVIATION).amax(1)
        asked = self.question(self.drop_vectors(question * VECTOR_SCALE)) + FEATURES_SHARE * self.features(strongest)
        state = torch.cat([asked[:, None], self.drop(messages)], 1)
        padding = torch.cat([torch.zeros(len(vectors), 1, dtype=torch.bool), ~batch.mask], 1)
        state = self.hidden(self.encoder(state, src_key_padding_mask=padding))
        return self.heads(state[:, 1:]), self.none(state[:, 0])[:, 0]


class Batch:
    """Examples as tensors, padded to the longest."""

    def __init__(self, examples: Sequence[Example], means: Floats, deviations: Floats) -> None:
        count, longest = len(examples), max(len(one.vectors) for one in examples)
        vectors = np.zeros((count, longest, 384), np.float32)
        features = np.zeros((count, longest, len(means)), np.float32)
        labels = np.zeros((count, longest, len(PARTS) + len(ACTS)), np.float32)
        mask = np.zeros((count, longest), bool)
        places = np.zeros((2, count, longest), np.int64)
        for row, one in enumerate(examples):
            size = len(one.vectors)
            vectors[row, :size], mask[row, :size] = one.vectors, True
            features[row, :size] = np.clip((one.features - means) / deviations, -MAX_DEVIATION, MAX_DEVIATION)
            labels[row, :size] = np.hstack([one.labels.T, one.acts])
            places[:, row, :size] = np.arange(size), np.arange(size)[::-1]
        self.vectors, self.features = torch.from_numpy(vectors), torch.from_numpy(features)
        self.labels, self.mask = torch.from_numpy(labels), torch.from_numpy(mask)
        self.from_start, self.from_end = torch.from_numpy(places)
        self.question = torch.from_numpy(np.array([one.question.vector for one in examples], np.float32))
        self.reason_known = torch.tensor([one.reason_known for one in examples])


def loss_of(heads: Tensor, none: Tensor, batch: Batch) -> Tensor:
    """Return the loss: the decision is one of the messages or none, everything else is a label of its own."""
    labels, mask = batch.labels, batch.mask
    scores = torch.cat([heads[..., 0].masked_fill(~mask, -1e9), none[:, None]], 1).log_softmax(1)
    decided = labels[..., 0].sum(1) > 0
    right = scores[:, :-1].masked_fill(labels[..., 0] == 0, -1e9).logsumexp(1)
    total = -torch.where(decided, right, scores[:, -1]).mean()
    single = functional.binary_cross_entropy_with_logits(heads, labels, reduction="none")
    known = (mask & batch.reason_known[:, None]).float()
    for part, weight in enumerate(LOSS_WEIGHTS[:-1], 1):
        total = total + weight * (single[..., part] * known).sum() / known.sum().clamp(min=1)
    of_acts = single[..., len(PARTS) :].mean(-1) * mask
    return total + LOSS_WEIGHTS[-1] * of_acts.sum() / mask.sum()


def train_network(examples: Sequence[Example], means: Floats, deviations: Floats, seed: int) -> ReaderNetwork:
    """Train one network; return the moving average of its weights."""
    torch.manual_seed(seed)
    shuffled, network = random.Random(seed), ReaderNetwork(len(means))
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.05)
    average, step, steps = dict[str, Tensor](), 0, EPOCHS * (len(examples) // BATCH + len(examples) // SORTED + 1)
    network.train()
    for _ in range(EPOCHS):
        for several in _batches(examples, shuffled):
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, step / (WARM_UP * steps)) * max(0.02, 1 - step / steps)
            batch = Batch(several, means, deviations)
            heads, none = network(batch)
            loss = loss_of(heads, none, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            step += 1
            for name, value in network.state_dict().items():
                average[name] = average[name].lerp(value, AVERAGE) if name in average else value.clone()
    network.load_state_dict(average)
    return network.eval()


def _batches(examples: Sequence[Example], shuffled: random.Random) -> list[list[Example]]:
    order = shuffled.sample(examples, len(examples))
    parts = [sorted(order[at : at + SORTED], key=lambda one: len(one.vectors)) for at in range(0, len(order), SORTED)]
    batches = [part[at : at + BATCH] for part in parts for at in range(0, len(part), BATCH)]
    shuffled.shuffle(batches)
    return batches


@torch.no_grad()
def scores_of(
    networks: Sequence[ReaderNetwork], examples: Sequence[Example], means: Floats, deviations: Floats
) -> list[Scores]:
    """Return the mean scores of networks for examples, as the reader would."""
    found = list[Scores]()
    for at in range(0, len(examples), 256):
        several = examples[at : at + 256]
        made = [network(Batch(several, means, deviations)) for network in networks]
        heads = torch.stack([one for one, _ in made]).mean(0).numpy()
        none = torch.stack([one for _, one in made]).mean(0)
        for row, one in enumerate(several):
            decision, reason, replaced = heads[row, : len(one.vectors), :3].T
            found.append(Scores(decision, reason, replaced, float(none[row])))
    return found
