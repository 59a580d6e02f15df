"""The network in PyTorch: a BERT encoder with mean pooling, as all-MiniLM-L6-v2 is one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from satchel.adapters.embedders.text_tokens import TextTokens

LAYERS, HEADS, EPSILON = 6, 12, 1e-12
MAX_TOKENS = 256


class Layer(nn.Module):
    """Self-attention and a feed-forward block, each followed by layer normalization."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attended = nn.Linear(width, width)
        self.attended_norm = nn.LayerNorm(width, EPSILON)
        self.wide, self.narrow = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm = nn.LayerNorm(width, EPSILON)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the hidden states of the next layer."""
        batch, length, width = x.shape
        query, key, value = (
            part(x).view(batch, length, HEADS, width // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        share = self.dropout.p if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=share)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        x = self.attended_norm(x + self.dropout(self.attended(mixed)))
        return self.norm(x + self.dropout(self.narrow(functional.gelu(self.wide(x)))))


class Encoder(nn.Module):
    """Token ids in, one unit vector per text out."""

    def __init__(self, words: int, positions: int, width: int, inner: int, layers: int = LAYERS) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(positions, width)
        self.types = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, EPSILON)
        self.layers = nn.ModuleList(Layer(width, inner) for _ in range(layers))
        self.dropout = nn.Dropout(0.0)

    def set_dropout(self, share: float) -> None:
        """Set the share of activations that training drops."""
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = share

    def hidden(self, ids: Tensor, mask: Tensor, table: Tensor | None = None) -> Tensor:
        """Return the last hidden states; `table` stands for the model's own word vectors."""
        places = torch.arange(ids.shape[1], device=ids.device)
        words = self.words(ids) if table is None else functional.embedding(ids, table)
        x = self.dropout(self.norm(words + self.positions(places) + self.types.weight[0]))
        visible = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, visible)
        return x

    def forward(self, ids: Tensor, mask: Tensor, table: Tensor | None = None) -> Tensor:
        """Return the mean of the last hidden states as unit vectors."""
        weights = mask.unsqueeze(-1)
        mean = (self.hidden(ids, mask, table).float() * weights).sum(1) / weights.sum(1)
        return functional.normalize(mean, dim=-1)


_LAYER_NAMES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "wide",
    "output.dense": "narrow",
    "output.LayerNorm": "norm",
}
_NAMES = {
    "words.weight": "embeddings.word_embeddings.weight",
    "positions.weight": "embeddings.position_embeddings.weight",
    "types.weight": "embeddings.token_type_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
} | {
    f"layers.{layer}.{own}.{part}": f"encoder.layer.{layer}.{theirs}.{part}"
    for layer in range(LAYERS)
    for theirs, own in _LAYER_NAMES.items()
    for part in ("weight", "bias")
}


def load_encoder(path: Path) -> Encoder:
    """Load weights in the layout of all-MiniLM-L6-v2."""
    weights = {name: value.float() for name, value in load_file(path).items()}
    words, width = weights[_NAMES["words.weight"]].shape
    positions = weights[_NAMES["positions.weight"]].shape[0]
    inner = weights["encoder.layer.0.intermediate.dense.weight"].shape[0]
    encoder = Encoder(words, positions, width, inner)
    encoder.load_state_dict({own: weights[theirs] for own, theirs in _NAMES.items()})
    return encoder


def exported(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a state dictionary in the layout of all-MiniLM-L6-v2, in half precision; it may have fewer layers."""
    named = {own: theirs for own, theirs in _NAMES.items() if own in state}
    return {theirs: state[own].detach().half().cpu().contiguous() for own, theirs in named.items()}


class Texts:
    """Turns texts into batches of token ids on a device; each text is tokenized once."""

    def __init__(self, tokenizer: Path, chinese: Path | None, device: torch.device) -> None:
        # A file that does not exist is a model without Chinese words.
        words = chinese or tokenizer.with_name("no-chinese-words")
        self._tokens = TextTokens(Tokenizer.from_file(str(tokenizer)), words, MAX_TOKENS)
        self._device = device
        self._known: dict[str, list[int]] = {}
        self.first_chinese = self._tokens.first_chinese

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        if text not in self._known:
            self._known[text] = self._tokens.ids(text)
        return self._known[text]

    def joined(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of several texts as one."""
        begin, *_, end = self.ids("")
        return [begin, *(token for text in texts for token in self.ids(text)[1:-1]), end][:MAX_TOKENS]

    def batch(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Return padded ids and their mask."""
        return self.padded([self.ids(text) for text in texts])

    def padded(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return rows of ids as one batch, with its mask."""
        lengths = np.array([len(row) for row in rows])
        ids = np.zeros((len(rows), int(lengths.max())), dtype=np.int32)
        is_token = np.arange(ids.shape[1]) < lengths[:, None]
        ids[is_token] = np.concatenate([np.asarray(row, np.int32) for row in rows])
        mask = (torch.arange(ids.shape[1], device=self._device) < self._sent(lengths)[:, None]).float()
        return self._sent(ids), mask

    def _sent(self, values: np.ndarray[Any, Any]) -> Tensor:
        """Return an array on the device. From pinned memory it is copied while the device computes."""
        found = torch.from_numpy(values)
        return found.pin_memory().to(self._device, non_blocking=True) if self._device.type == "cuda" else found


def vectors_of(encoder: Encoder, texts: Texts, wanted: Sequence[str], together: int = 192) -> Tensor:
    """Return one unit vector per text; only texts of similar length are padded together."""
    order = sorted(range(len(wanted)), key=lambda place: len(texts.ids(wanted[place])))
    # The weights are cast once for the whole context.
    with autocast():
        vectors = [
            encoder(*texts.batch([wanted[place] for place in order[start : start + together]])).float()
            for start in range(0, len(order), together)
        ]
    return torch.cat(vectors)[torch.tensor(order, device=vectors[0].device).argsort()]


@torch.no_grad()
def embed(encoder: Encoder, texts: Texts, wanted: Sequence[str]) -> Tensor:
    """Return one unit vector per text, to measure or to mine with."""
    encoder.eval()
    return vectors_of(encoder, texts, wanted, together=256)


def autocast() -> torch.autocast:
    """Return a context that computes in bfloat16 on an accelerator."""
    return torch.autocast("cuda", torch.bfloat16, enabled=torch.cuda.is_available())
