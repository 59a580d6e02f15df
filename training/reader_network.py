"""The reader's network in PyTorch: the encoder's trunk over a question and messages as one sequence, and a score per message."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.network import Encoder
from training.reader_examples import ACTS, DECISION, LABELS, PARTS, REASONS, REPLACED, Example

WIDTH, INNER, POSITIONS = 384, 1536, 512
LINK_WIDTH = 64
# The parts that are sought for a decision: its reasons, and what it replaced.
LINKED = (REASONS, REPLACED)


class ReaderNetwork(nn.Module):
    """Reads question and messages together; word vectors are those of the encoder, and are not trained."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.trunk = Encoder(1, POSITIONS, WIDTH, INNER)
        self.trunk.set_dropout(dropout)
        # Added to the tokens of messages, so that they differ from those of the question.
        self.message = nn.Parameter(torch.zeros(WIDTH))
        self.hidden = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Dropout(dropout))
        self.heads, self.none = nn.Linear(WIDTH, len(PARTS) + len(ACTS)), nn.Linear(WIDTH, 1)
        # What a message is for the decision: a product of two projections, added to its own score.
        self.linked, self.linking = (nn.Linear(WIDTH, len(LINKED) * LINK_WIDTH) for _ in range(2))
        self.first_choice = nn.Linear(WIDTH, 1)
        """From the deciding message: that it replaced nothing."""

    def load_trunk(self, stored: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Take the weights of the encoder, which are int8 with a scale per column."""
        state = self.trunk.state_dict()
        for name, value in stored.items():
            if name.endswith(".int8"):
                floats = value.astype(np.float32) * stored[name.replace(".int8", ".scale")]
                state[name.replace(".int8", ".weight")] = torch.from_numpy(floats.T.copy())
            elif not name.endswith(".scale"):
                state[name] = torch.from_numpy(value.astype(np.float32))
        state["types.weight"] = torch.zeros_like(state["types.weight"])  # part of the positions
        self.trunk.load_state_dict(state)

    def forward(self, batch: "Batch", words: Tensor) -> "Scores":
        """Return the scores of every message."""
        trunk, places = self.trunk, torch.arange(batch.ids.shape[1], device=batch.ids.device)
        x = functional.embedding(batch.ids, words) + trunk.positions(places)
        x = trunk.dropout(trunk.norm(x + (batch.owner >= 0)[..., None] * self.message))
        visible = batch.mask[:, None, None, :]
        for layer in trunk.layers:
            x = layer(x, visible)
        shares = functional.one_hot(batch.owner + 1, batch.labels.shape[1] + 1)[..., 1:].to(x.dtype)
        means = shares.transpose(1, 2) @ x / shares.sum(1)[..., None].clamp(min=1)
        said = self.hidden(means)
        heads, none = self.heads(said).float(), self.none(self.hidden(x[:, 0])).float()[:, 0]
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


class Batch:
    """Examples as tensors, padded to the longest."""

    def __init__(self, examples: Sequence[Example], begin: int, end: int, device: torch.device) -> None:
        laid = [one.layout(begin, end) for one in examples]
        length, most = max(len(one.ids) for one in laid), max(len(one.messages) for one in examples)
        ids, owner = np.zeros((len(laid), length), np.int64), np.full((len(laid), length), -1, np.int64)
        mask, present = np.zeros((len(laid), length), bool), np.zeros((len(laid), most), bool)
        labels = np.zeros((len(laid), most, len(PARTS) + len(ACTS)), np.float32)
        for row, (one, layout) in enumerate(zip(examples, laid, strict=True)):
            ids[row, : len(layout.ids)], mask[row, : len(layout.ids)] = layout.ids, True
            present[row, : len(one.messages)] = True
            for place, (start, stop) in enumerate(layout.spans):
                owner[row, start:stop] = place
            for part, named in enumerate(one.parts):
                labels[row, list(named), part] = 1
            for place, said in enumerate(one.acts):
                labels[row, place, len(PARTS) :] = [bool(LABELS[act] & said) for act in ACTS]
        self.ids, self.owner, self.mask, self.present, self.labels, self.knows_reasons, self.knows_acts = (
            torch.from_numpy(value).to(device)
            for value in (
                ids,
                owner,
                mask,
                present,
                labels,
                np.array([one.knows_reasons for one in examples]),
                np.array([bool(one.acts) for one in examples]),
            )
        )


# What the reasons, what was replaced, what is stale and the acts count next to the decision.
LOSS_WEIGHTS = {"reasons": 1.5, "replaced": 0.5, "stale": 0.3, "acts": 0.5}


def loss_of(scores: Scores, batch: Batch) -> Tensor:
    """Return the loss: the decision is one of the messages or none, and so is what it replaced; a reason is a label of its own."""
    heads, labels, present = scores.heads, batch.labels, batch.present
    known = batch.knows_reasons
    single = functional.binary_cross_entropy_with_logits(heads, labels, reduction="none")
    replaced = _pointed(heads[..., REPLACED], labels[..., REPLACED], scores.first_choice, present)
    losses = {
        "reasons": _mean(single[..., REASONS], present & known[:, None]),
        "replaced": _mean(replaced, known),
        "stale": _mean(single[..., REPLACED + 1], present & known[:, None]),
        "acts": _mean(single[..., len(PARTS) :].mean(-1), present & batch.knows_acts[:, None]),
    }
    decision = _pointed(heads[..., DECISION], labels[..., DECISION], scores.none, present).mean()
    return decision + sum(LOSS_WEIGHTS[name] * loss for name, loss in losses.items())


def _pointed(scores: Tensor, labels: Tensor, none: Tensor, present: Tensor) -> Tensor:
    """Return the loss of choosing one of the messages that are labelled, or none if none is."""
    shares = torch.cat([scores.masked_fill(~present, -1e9), none[:, None]], 1).log_softmax(1)
    right = shares[:, :-1].masked_fill(labels == 0, -1e9).logsumexp(1)
    return -torch.where(labels.sum(1) > 0, right, shares[:, -1])


def _mean(losses: Tensor, known: Tensor) -> Tensor:
    return (losses * known).sum() / known.sum().clamp(min=1)
