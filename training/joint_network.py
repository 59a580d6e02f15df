"""What the reader's and the judge's network have in common: the encoder's layers over a question and texts as one sequence."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from satchel.adapters.reader.layout import Layout
from training.network import LAYERS, Encoder

WIDTH, INNER, POSITIONS = 384, 1536, 512


class JointNetwork(nn.Module):
    """Reads a question and texts together; word vectors are those of the encoder, and are not trained."""

    def __init__(self, dropout: float = 0.1, layers: Sequence[int] = range(LAYERS)) -> None:
        super().__init__()
        self.from_layers = tuple(layers)
        """Which layers of the encoder it begins with."""
        self.trunk = Encoder(1, POSITIONS, WIDTH, INNER, len(self.from_layers))
        self.trunk.set_dropout(dropout)
        # Added to the tokens of the texts, so that they differ from those of the question.
        self.message = nn.Parameter(torch.zeros(WIDTH))
        self.hidden = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Dropout(dropout))

    def load_trunk(self, stored: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Take the weights of the encoder, which are int8 with a scale per column."""
        state, kept = self.trunk.state_dict(), _only_layers(stored, self.from_layers)
        for name, value in kept.items():
            if name.endswith(".int8"):
                floats = value.astype(np.float32) * kept[name.replace(".int8", ".scale")]
                state[name.replace(".int8", ".weight")] = torch.from_numpy(floats.T.copy())
            elif not name.endswith(".scale"):
                state[name] = torch.from_numpy(value.astype(np.float32))
        state["types.weight"] = torch.zeros_like(state["types.weight"])  # part of the positions
        self.trunk.load_state_dict(state)

    def read(self, sequences: "Sequences", words: Tensor) -> tuple[Tensor, Tensor]:
        """Return what was read: of the whole, and of each text."""
        trunk, places = self.trunk, torch.arange(sequences.ids.shape[1], device=sequences.ids.device)
        x = functional.embedding(sequences.ids, words) + trunk.positions(places)
        x = trunk.dropout(trunk.norm(x + (sequences.owner >= 0)[..., None] * self.message))
        visible = sequences.mask[:, None, None, :]
        for layer in trunk.layers:
            x = layer(x, visible)
        shares = functional.one_hot(sequences.owner + 1, sequences.present.shape[1] + 1)[..., 1:].to(x.dtype)
        means = shares.transpose(1, 2) @ x / shares.sum(1)[..., None].clamp(min=1)
        return self.hidden(x[:, 0]), self.hidden(means)


def _only_layers(stored: Mapping[str, np.ndarray[Any, Any]], layers: Sequence[int]) -> dict[str, np.ndarray[Any, Any]]:
    """Return the weights of some layers, numbered from 0."""
    found = {name: value for name, value in stored.items() if not name.startswith("layers.")}
    for place, layer in enumerate(layers):
        before = f"layers.{layer}."
        found |= {
            f"layers.{place}.{name.removeprefix(before)}": value
            for name, value in stored.items()
            if name.startswith(before)
        }
    return found


class Sequences:
    """Laid out texts as tensors, padded to the longest."""

    def __init__(self, laid: Sequence[Layout], device: torch.device) -> None:
        length, most = max(len(one.ids) for one in laid), max(len(one.spans) for one in laid)
        ids, owner = np.zeros((len(laid), length), np.int64), np.full((len(laid), length), -1, np.int64)
        mask, present = np.zeros((len(laid), length), bool), np.zeros((len(laid), most), bool)
        for row, layout in enumerate(laid):
            ids[row, : len(layout.ids)], mask[row, : len(layout.ids)] = layout.ids, True
            present[row, : len(layout.spans)] = True
            if layout.spans:
                first, lengths = layout.spans[0][0], [stop - start for start, stop in layout.spans]
                owner[row, first : len(layout.ids)] = np.repeat(np.arange(len(lengths)), lengths)
        self.device = device
        self.ids, self.owner, self.mask, self.present = (self.tensor(one) for one in (ids, owner, mask, present))

    def tensor(self, value: np.ndarray[Any, Any]) -> Tensor:
        """Return an array on the device."""
        return torch.from_numpy(value).to(self.device)
