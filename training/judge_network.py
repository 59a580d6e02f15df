"""The judge's network in PyTorch: layers of the encoder over a prompt and memories as one sequence, and log-odds per memory."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.joint_network import WIDTH, JointNetwork, Sequences
from training.judge_examples import Example
from training.reader_network import mean_of


class JudgeNetwork(JointNetwork):
    """Reads prompt and memories together, and says of every memory whether it belongs in front of the prompt."""

    def __init__(self, dropout: float = 0.1, layers: Sequence[int] = (0, 1, 2)) -> None:
        super().__init__(dropout, layers)
        self.wanted, self.any = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, 1)

    def forward(self, batch: "Batch", words: Tensor) -> "Judgement":
        """Return the log-odds of every memory."""
        whole, memories = self.read(batch, words)
        return Judgement(self.wanted(memories).float()[..., 0], self.any(whole).float()[:, 0])


class Judgement(NamedTuple):
    """The log-odds that each memory belongs in front of the prompt, and that any does."""

    wanted: Tensor
    any: Tensor


class Batch(Sequences):
    """Examples as tensors, padded to the longest."""

    def __init__(self, examples: Sequence[Example], begin: int, end: int, device: torch.device) -> None:
        super().__init__([one.layout(begin, end) for one in examples], device)
        wanted, fine = np.zeros(self.present.shape, np.float32), np.zeros(self.present.shape, bool)
        for row, one in enumerate(examples):
            wanted[row, list(one.wanted)] = 1
            fine[row, list(one.fine)] = True
        self.wanted, self.fine = self.tensor(wanted), self.tensor(fine)


def loss_of(judged: Judgement, batch: Batch, any_weight: float, beside_weight: float) -> Tensor:
    """Return the loss: every memory that is not merely fine is wanted or not, and so is any of them.

    `beside_weight` is what an unwanted memory counts beside a wanted one, where it does less harm than alone.
    """
    single = functional.binary_cross_entropy_with_logits(judged.wanted, batch.wanted, reduction="none")
    some = batch.wanted.amax(1)
    is_beside = (some[:, None] > 0) & (batch.wanted == 0)
    weights = (batch.present & ~batch.fine) * torch.where(is_beside, beside_weight, 1.0)
    return mean_of(single, weights) + any_weight * functional.binary_cross_entropy_with_logits(judged.any, some)
