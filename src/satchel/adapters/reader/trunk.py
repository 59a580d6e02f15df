"""The layers of a sentence encoder over several texts as one sequence, which the networks of the package have in common.

The layers have int8 weights and run on ONNX Runtime; what scores their output runs in NumPy. `python -m training` trains both.
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from satchel.adapters.embedders import bundled, model_files
from satchel.adapters.embedders.model_files import (
    CHINESE_FILE,
    GRAPH_FILE,
    MANIFEST_FILE,
    NETWORK_FILES,
    SCORES_FILE,
    TENSORS_FILE,
    TOKENIZER_FILE,
)
from satchel.adapters.embedders.runtime import load_runtime, open_session
from satchel.adapters.embedders.text_tokens import TextTokens, read_tokens
from satchel.adapters.reader.layout import Layout
from satchel.adapters.reader.words import Floats, read_words
from satchel.errors import Unavailable
from satchel.threads import run_in_background

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MAX_TEXT_TOKENS = 256

Tensors = Mapping[str, Floats]


class Trunk(Struct, frozen=True):
    """Loaded layers, with the tensors that score their output."""

    session: "InferenceSession"
    tokens: TextTokens
    tensors: Tensors

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, which may be any string."""
        # Replace lone surrogates, which cannot be encoded as UTF-8.
        return self.tokens.parts(text.encode("utf-8", "replace").decode("utf-8"))

    def states(self, layout: Layout) -> tuple[Floats, Floats]:
        """Read a sequence; return the state of its first token, and the mean state of each text."""
        words = read_words().of(np.array(layout.ids, np.int64))
        words[layout.spans[0][0] :] += self.tensors["message"]
        (found,) = self.session.run(None, {"words": words[None]})
        states: Floats = found[0]
        return states[0], np.stack([states[start:stop].mean(axis=0) for start, stop in layout.spans])


def load_trunk(model: str, folder: Path, broken: Callable[[str], Unavailable]) -> Trunk:
    """Load layers that come with the package, and check every byte of them. `broken` makes the error of a reason."""
    checked = run_in_background(
        lambda: model_files.damage(model, folder, NETWORK_FILES, quick=True) or _other_encoder(folder)
    )
    onnxruntime = load_runtime()
    try:
        tokens = read_tokens(bundled.FOLDER / TOKENIZER_FILE, bundled.FOLDER / CHINESE_FILE, MAX_TEXT_TOKENS)
        session = open_session(onnxruntime, folder / GRAPH_FILE)
        with np.load(folder / SCORES_FILE, allow_pickle=False) as stored:
            tensors = {name: np.asarray(stored[name], np.float32) for name in stored.files}
    # Both libraries raise Exception or direct subclasses of it.
    except Exception as error:
        raise broken(checked.result() or str(error).split("\n", 1)[0]) from error
    if problem := checked.result():
        raise broken(problem)
    return Trunk(session, tokens, tensors)


def encoder_hash() -> str:
    """Return the hash of the encoder's tensors, whose word vectors the networks use."""
    manifest = json.loads((bundled.FOLDER / MANIFEST_FILE).read_bytes())
    found: str = manifest["files"][TENSORS_FILE]["sha256"]
    return found


def _other_encoder(folder: Path) -> str:
    trained_with = json.loads((folder / MANIFEST_FILE).read_bytes()).get("encoder_sha256")
    return "" if trained_with == encoder_hash() else "it was trained with another encoder"


def hidden(tensors: Tensors, states: Floats) -> Floats:
    """Return what the scores are computed from."""
    centred = states - states.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    scaled = centred / spread * tensors["hidden.0.weight"] + tensors["hidden.0.bias"]
    return _gelu(linear(tensors, "hidden.1", scaled))


def linear(tensors: Tensors, name: str, values: Floats) -> Floats:
    """Apply a linear layer."""
    result: Floats = values @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
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
