"""The reader's network in PyTorch: the encoder's trunk over a question and messages as one sequence, and a score per message."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.joint_network import WIDTH, JointNetwork, Sequences
from training.reader_examples import ACTS, DECISION, LABELS, PARTS, REASONS, REPLACED, Example

LINK_WIDTH = 64
# The parts that are sought for a decision: its reasons, and what it replaced.
LINKED = (REASONS, REPLACED)


class ReaderNetwork(JointNetwork):
    """Reads question and messages together, and scores every message."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__(dropout)
        self.heads, self.none = nn.Linear(WIDTH, len(PARTS) + len(ACTS)), nn.Linear(WIDTH, 1)
        # What a message is for the decision: a product of two projections, added to its own score.
        self.linked, self.linking = (nn.Linear(WIDTH, len(LINKED) * LINK_WIDTH) for _ in range(2))
        self.first_choice = nn.Linear(WIDTH, 1)
        """From the deciding message: that it replaced nothing."""

    def forward(self, batch: "Batch", words: Tensor) -> "Scores":
        """Return the scores of every message."""
        whole, said = self.read(batch, words)
        heads, none = self.heads(said).float(), self.none(whole).float()[:, 0]
        decision = self._decision(heads, batch)
        deciding = said[torch.arange(len(said)), decision]
        links = self._links(said, deciding).float()
        heads = torch.cat(
            [heads[..., :REASONS], heads[..., REASONS : REPLACED + 1] + links, heads[..., REPLACED + 1 :]], -1
        )
        return Scores(heads, none, self.first_choice(deciding).float()[:, 0], decision)

    def _decision(self, heads: Tensor, batch: "Batch") -> Tensor:
        """Return the place of the decision: in training a right one, if there is one, else the likeliest."""
        scores = heads[..., DECISION].masked_fill(~batch.present, -1e9)
        if self.training:
            scores = scores + 1e6 * batch.labels[..., DECISION]
        return scores.argmax(1)

    def _links(self, said: Tensor, deciding: Tensor) -> Tensor:
        shape = (len(LINKED), LINK_WIDTH)
        linked, linking = self.linked(said).unflatten(-1, shape), self.linking(deciding).unflatten(-1, shape)
        return (linked * linking[:, None]).sum(-1) / LINK_WIDTH**0.5


class Scores(NamedTuple):
    """What the network says: log-odds of each message, of no message, and of a decision that replaced nothing."""

    heads: Tensor
    none: Tensor
    first_choice: Tensor
    decision: Tensor


class Batch(Sequences):
    """Examples as tensors, padded to the longest."""

    def __init__(self, examples: Sequence[Example], begin: int, end: int, device: torch.device) -> None:
        super().__init__([one.layout(begin, end) for one in examples], device)
        labels = np.zeros((*self.present.shape, len(PARTS) + len(ACTS)), np.float32)
        for row, one in enumerate(examples):
            for part, named in enumerate(one.parts):
                labels[row, list(named), part] = 1
            for place, said in enumerate(one.acts):
                labels[row, place, len(PARTS) :] = [bool(LABELS[act] & said) for act in ACTS]
        self.labels = self.tensor(labels)
        self.knows_reasons = self.tensor(np.array([one.knows_reasons for one in examples]))
        self.knows_acts = self.tensor(np.array([bool(one.acts) for one in examples]))


# The log-odds of a message that is only padding: small, but its logarithm is still a number in half precision.
ABSENT = -30.0
# What the reasons, what was replaced, what is stale and the acts count next to the decision.
LOSS_WEIGHTS = {"reasons": 1.5, "replaced": 0.5, "stale": 0.3, "acts": 0.5}


def loss_of(scores: Scores, batch: Batch) -> Tensor:
    """Return the loss: the decision is one of the messages or none, and so is what it replaced; a reason is a label of its own."""
    heads, labels, present = scores.heads, batch.labels, batch.present
    known = batch.knows_reasons
    single = functional.binary_cross_entropy_with_logits(heads, labels, reduction="none")
    replaced = pointed(heads[..., REPLACED], labels[..., REPLACED], scores.first_choice, present)
    losses = {
        "reasons": mean_of(single[..., REASONS], present & known[:, None]),
        "replaced": mean_of(replaced, known),
        "stale": mean_of(single[..., REPLACED + 1], present & known[:, None]),
        "acts": mean_of(single[..., len(PARTS) :].mean(-1), present & batch.knows_acts[:, None]),
    }
    decision = pointed(heads[..., DECISION], labels[..., DECISION], scores.none, present).mean()
    return decision + sum(LOSS_WEIGHTS[name] * loss for name, loss in losses.items())


def pointed(scores: Tensor, labels: Tensor, none: Tensor, present: Tensor) -> Tensor:
    """Return the loss of choosing one of the messages that are labelled, or none if none is."""
    shares = torch.cat([scores.masked_fill(~present, -1e9), none[:, None]], 1).log_softmax(1)
    right = shares[:, :-1].masked_fill(labels == 0, -1e9).logsumexp(1)
    return -torch.where(labels.sum(1) > 0, right, shares[:, -1])


def disagreement_of(scores: Scores, present: Tensor) -> Tensor:
    """Return how far two readings of the same examples differ, the second half of the batch being the first once more.

    Dropout makes them differ. A network that learns to read the same twice is surer where it is right, as several networks are.
    """
    half = len(present) // 2
    present = present[:half]
    heads = scores.heads
    decision = _pointed_difference(heads[..., DECISION], scores.none, present)
    replaced = _pointed_difference(heads[..., REPLACED], scores.first_choice, present)
    reasons = mean_of(odds_difference(heads[..., REASONS]), present)
    return decision + LOSS_WEIGHTS["replaced"] * replaced + reasons


def odds_difference(odds: Tensor) -> Tensor:
    """Return the symmetric divergence of log-odds from those of the same examples, read once more."""
    one, other = odds.chunk(2)
    return (one.sigmoid() - other.sigmoid()) * (one - other)


def _pointed_difference(scores: Tensor, none: Tensor, present: Tensor) -> Tensor:
    """Return the symmetric divergence of two readings that choose one of the messages, or none."""
    one, other = (
        torch.cat([part.masked_fill(~present, ABSENT), nothing[:, None]], 1).log_softmax(1)
        for part, nothing in zip(scores.chunk(2), none.chunk(2), strict=True)
    )
    return ((one.exp() - other.exp()) * (one - other)).sum(1).mean() / 2


def mean_of(losses: Tensor, known: Tensor) -> Tensor:
    return (losses * known).sum() / known.sum().clamp(min=1)
