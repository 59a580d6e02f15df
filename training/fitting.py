"""Fit a network to examples that are generated again for each epoch."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn

# Batches are made of examples of similar length, from this many at a time.
SORTED = 1_024

T = TypeVar("T")


@dataclass(frozen=True)
class Schedule:
    """The numbers of a training."""

    epochs: int = 8
    batch: int = 32
    rate: float = 1.5e-4
    warm_up: float = 0.06
    average: float = 0.003
    dropout: float = 0.1
    seed: int = 0


def fit(
    network: nn.Module,
    schedule: Schedule,
    examples: Callable[[], Sequence[T]],
    loss_of: Callable[[Sequence[T]], Tensor],
    length_of: Callable[[T], int],
) -> dict[str, Tensor]:
    """Train a network; return the moving average of its weights."""
    is_fused = next(network.parameters()).is_cuda
    optimizer = torch.optim.AdamW(network.parameters(), lr=schedule.rate, weight_decay=0.01, fused=is_fused)
    shuffled, step, average = random.Random(schedule.seed), 0, dict[str, Tensor]()
    network.train()
    for _ in range(schedule.epochs):
        batches = _batches(examples(), schedule.batch, shuffled, length_of)
        steps = schedule.epochs * len(batches)
        for several in batches:
            for group in optimizer.param_groups:
                warm = min(1, (step + 1) / (schedule.warm_up * steps))
                group["lr"] = schedule.rate * warm * max(0.02, 1 - step / steps)
            loss = loss_of(several)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            step += 1
            _move_average(average, network.state_dict(), max(schedule.average, 1 / (step + 1)))
    return average


@torch.no_grad()
def _move_average(average: dict[str, Tensor], state: dict[str, Tensor], share: float) -> None:
    if not average:
        average |= {name: value.clone() for name, value in state.items()}
    torch._foreach_lerp_(list(average.values()), list(state.values()), share)


def _batches(examples: Sequence[T], size: int, shuffled: random.Random, length_of: Callable[[T], int]) -> list[list[T]]:
    order = shuffled.sample(examples, len(examples))
    parts = [sorted(order[at : at + SORTED], key=length_of) for at in range(0, len(order), SORTED)]
    batches = [part[at : at + size] for part in parts for at in range(0, len(part), size)]
    shuffled.shuffle(batches)
    return batches
