"""The weights that trainings take from the shipped encoder are those it computes with."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from training.reader_prepare import LAYER_PARTS, trunk

from satchel.adapters.embedders.bundled import FOLDER, bundled_encoder
from satchel.adapters.embedders.model_files import CHINESE_FILE, TOKENIZER_FILE
from satchel.adapters.embedders.text_tokens import read_tokens
from satchel.adapters.reader.words import read_words

HEADS = 12
Floats = NDArray[np.float32]


def _norm(weights: dict[str, Any], name: str, x: Floats) -> Floats:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    found: Floats = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return found


def _linear(weights: dict[str, Any], name: str, x: Floats) -> Floats:
    found: Floats = x @ (weights[f"{name}.int8"] * weights[f"{name}.scale"]) + weights[f"{name}.bias"]
    return found


def _attended(weights: dict[str, Any], layer: str, x: Floats) -> Floats:
    query, key, value = (
        _linear(weights, f"{layer}.{part}", x).reshape(len(x), HEADS, -1).swapaxes(0, 1) for part in LAYER_PARTS[:3]
    )
    odds = query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])
    shares = np.exp(odds - odds.max(axis=-1, keepdims=True))
    mixed: Floats = (shares / shares.sum(axis=-1, keepdims=True) @ value).swapaxes(0, 1).reshape(x.shape)
    return mixed


def _vector(weights: dict[str, Any], ids: list[int]) -> Floats:
    x = _norm(weights, "norm", read_words().of(np.array(ids)) + weights["positions.weight"][: len(ids)])
    for number in range(6):
        layer = f"layers.{number}"
        mixed = _linear(weights, f"{layer}.attended", _attended(weights, layer, x))
        x = _norm(weights, f"{layer}.attended_norm", x + mixed)
        wide = _linear(weights, f"{layer}.wide", x)
        gelu = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = _norm(weights, f"{layer}.norm", x + _linear(weights, f"{layer}.narrow", gelu))
    mean: Floats = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize("text", ["We ship on Thursdays, because the bakery is closed on Fridays.", "發布日是星期四"])
def test_the_layers_give_the_vectors_of_the_shipped_encoder(text: str) -> None:
    tokens = read_tokens(FOLDER / TOKENIZER_FILE, FOLDER / CHINESE_FILE, 256)

    found = _vector(trunk(), list(tokens.ids(text)))

    assert float(found @ np.array(bundled_encoder().embed([text])[0])) > 0.98
