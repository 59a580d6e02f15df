"""The reader's network: two transformer layers over one vector per message, in NumPy.

`python -m training decisions` trains several of them with PyTorch; their outputs are averaged.
"""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from msgspec import Struct

from satchel.adapters.reader.acts import Floats

WEIGHTS_FILE = Path(__file__).parent / "weights.npz"
WIDTH, HEADS, LAYERS = 128, 4, 2
# The most messages that are read at once. Training discussions are hardly longer.
MAX_MESSAGES = 28
# Vectors have unit length, so their values and products are small.
VECTOR_SCALE, PRODUCT_SCALE = 6.0, 40.0
FEATURES_SHARE = 0.3
MAX_DEVIATION = 4.0
DECISION, REASON, REPLACED = range(3)

Tensors = Mapping[str, Floats]


class ReaderWeights(Struct, frozen=True):
    """What training has fitted."""

    acts: Floats
    act_bases: Floats
    means: Floats
    deviations: Floats
    choice: Floats
    """The logistic regression of `reader.likelihood_of`: its base and factors."""
    networks: tuple[Tensors, ...]


class Scores(Struct, frozen=True):
    """What the networks say about a discussion, as log-odds."""

    decision: Floats
    """By message, that it made the decision that the question asks about."""
    reason: Floats
    replaced: Floats
    none: float
    """That no message did."""


@cache
def load_weights(path: Path = WEIGHTS_FILE) -> ReaderWeights:
    """Read the weights that come with the package."""
    with np.load(path, allow_pickle=False) as stored:
        named = {name: np.asarray(stored[name], np.float32) for name in stored.files}
    count = 1 + max(int(name.split("/")[0]) for name in named if name[0].isdigit())
    networks = tuple(
        {name.removeprefix(f"{number}/"): value for name, value in named.items() if name.startswith(f"{number}/")}
        for number in range(count)
    )
    return ReaderWeights(
        named["acts"], named["act_bases"], named["means"], named["deviations"], named["choice"], networks
    )


def standardized(features: Floats, weights: ReaderWeights) -> Floats:
    """Return features as deviations from the mean of the training data."""
    deviations: Floats = (features - weights.means) / weights.deviations
    return np.clip(deviations, -MAX_DEVIATION, MAX_DEVIATION)


def score(question: Floats, vectors: Floats, features: Floats, weights: ReaderWeights) -> Scores:
    """Return the mean scores of the networks for a question and the messages of a discussion."""
    inputs = standardized(features, weights)
    made = [_forward(tensors, question, vectors, inputs) for tensors in weights.networks]
    heads = np.mean([one for one, _ in made], axis=0)
    none = float(np.mean([one for _, one in made]))
    return Scores(heads[:, DECISION], heads[:, REASON], heads[:, REPLACED], none)


def _forward(tensors: Tensors, question: Floats, vectors: Floats, features: Floats) -> tuple[Floats, float]:
    places = np.arange(len(vectors))
    shown = _linear(tensors, "features", features)
    messages = (
        _linear(tensors, "message", vectors * VECTOR_SCALE)
        + vectors * question * PRODUCT_SCALE @ tensors["product.weight"].T
        + shown
        + tensors["from_start.weight"][places]
        + tensors["from_end.weight"][places[::-1]]
    )
    # The question is read as one more message, with the largest value of each feature.
    strongest = _linear(tensors, "features", features.max(axis=0))
    asked = _linear(tensors, "question", question * VECTOR_SCALE) + FEATURES_SHARE * strongest
    state = np.vstack([asked, messages])
    for layer in range(LAYERS):
        state = _layer(tensors, f"encoder.layers.{layer}", state)
    state = _gelu(_linear(tensors, "hidden.1", _normalized(tensors, "hidden.0", state)))
    return _linear(tensors, "heads", state[1:]), float(_linear(tensors, "none", state[0])[0])


def _layer(tensors: Tensors, name: str, state: Floats) -> Floats:
    state = state + _attention(tensors, f"{name}.self_attn", _normalized(tensors, f"{name}.norm1", state))
    inner = _gelu(_linear(tensors, f"{name}.linear1", _normalized(tensors, f"{name}.norm2", state)))
    return state + _linear(tensors, f"{name}.linear2", inner)


def _attention(tensors: Tensors, name: str, state: Floats) -> Floats:
    joined = state @ tensors[f"{name}.in_proj_weight"].T + tensors[f"{name}.in_proj_bias"]
    size = WIDTH // HEADS
    queries, keys, values = joined.reshape(len(state), 3, HEADS, size).transpose(1, 2, 0, 3)
    scores = queries @ keys.transpose(0, 2, 1) / math.sqrt(size)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = shares / shares.sum(axis=-1, keepdims=True) @ values
    return _linear(tensors, f"{name}.out_proj", mixed.transpose(1, 0, 2).reshape(len(state), WIDTH))


def _linear(tensors: Tensors, name: str, values: Floats) -> Floats:
    result: Floats = values @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
    return result


def _normalized(tensors: Tensors, name: str, values: Floats) -> Floats:
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    result: Floats = centred / spread * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
    return result


def _gelu(values: Floats) -> Floats:
    result: Floats = 0.5 * values * (1 + _erf(values / np.float32(math.sqrt(2))))
    return result


def _erf(values: Floats) -> Floats:
    """Return the error function by Abramowitz and Stegun 7.1.26, which is exact to 1.5e-7."""
    size = np.abs(values)
    t = 1 / (1 + 0.3275911 * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    result: Floats = np.sign(values) * (1 - series * np.exp(-(size**2)))
    return result
