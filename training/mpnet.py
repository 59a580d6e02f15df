"""The network of the teachers in PyTorch: MPNet, as all-mpnet-base-v2 is one, over the tokens of the encoder.

It is an encoder with larger layers that also see how far apart two tokens are.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from training.mpnet_source import LAYERS, POSITIONS
from training.network import HEADS, Encoder

WIDTH, INNER, EPSILON = 768, 3072, 1e-5
# Distances before and after a token that are told apart: half of them each, the near ones one by one.
BUCKETS, NEAR, FARTHEST = 32, 8, 128


class Mpnet(Encoder):
    """Token ids in, one unit vector per text out."""

    def __init__(self, words: int) -> None:
        super().__init__(words, POSITIONS, WIDTH, INNER, LAYERS, EPSILON)
        nn.init.zeros_(self.types.weight)
        # Frozen: attention is faster if what is added to its scores is not trained.
        self.distances = nn.Embedding(BUCKETS, HEADS).requires_grad_(False)

    def visible(self, mask: Tensor) -> Tensor:
        """Return what is added to the scores that tokens have for each other."""
        added = self.distances(buckets(mask.shape[1]).to(mask.device)).permute(2, 0, 1)[None]
        added = added.masked_fill(~mask[:, None, None, :].bool(), -1e4)
        return added.bfloat16() if torch.is_autocast_enabled("cuda") else added


def buckets(length: int) -> Tensor:
    """Return the bucket of the distance from each token to each token."""
    places = torch.arange(length)
    apart = places[:, None] - places[None, :]
    far = apart.abs()
    beyond = NEAR + (far.clamp(min=1) / NEAR).log() / math.log(FARTHEST / NEAR) * (BUCKETS // 2 - NEAR)
    bucket = torch.where(far < NEAR, far, beyond.long().clamp(max=BUCKETS // 2 - 1))
    return bucket + (apart < 0) * (BUCKETS // 2)


def load_mpnet(path: Path) -> Mpnet:
    """Load weights that are int8 with a scale per row; see `training.mpnet_source`."""
    with np.load(path, allow_pickle=False) as file:
        stored: Mapping[str, np.ndarray[Any, Any]] = dict(file)
    network = Mpnet(len(stored["words.weight"]))
    state = network.state_dict()
    for name, value in stored.items():
        if not name.endswith(".scale"):
            floats = value.astype(np.float32)
            scale = stored.get(f"{name}.scale")
            state[name] = torch.from_numpy(floats if scale is None else floats * scale.astype(np.float32))
    network.load_state_dict(state)
    return network
