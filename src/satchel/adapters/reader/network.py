"""The reader's network: the layers of a sentence encoder over a question and messages as one sequence, and a score per message.

The layers have int8 weights and run on ONNX Runtime; what scores their output runs in NumPy. `python -m training` trains both.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from satchel.adapters.embedders import bundled, model_files
from satchel.adapters.embedders.model_files import CHINESE_FILE, GRAPH_FILE, MANIFEST_FILE, TENSORS_FILE, TOKENIZER_FILE
from satchel.adapters.embedders.onnx_encoder import session_options
from satchel.adapters.embedders.runtime import load_runtime
from satchel.adapters.embedders.text_tokens import TextTokens
from satchel.adapters.reader.layout import Layout, lay_out
from satchel.adapters.reader.words import Floats, read_words
from satchel.errors import Unavailable
from satchel.threads import run_in_background

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MODEL = "satchel-reader-1"
FOLDER = bundled.FOLDER.parent / MODEL
SCORES_FILE = "scores.npz"
FILES = (GRAPH_FILE, TENSORS_FILE, SCORES_FILE)
# The columns of the scores of a message, as training orders them.
DECISION, REASON, REPLACED, _STALE, SETTLES, _, _, _, UNDECIDED, _, _ = range(11)
MAX_TEXT_TOKENS = 256

Tensors = Mapping[str, Floats]


class Scores(Struct, frozen=True):
    """What the network says about a discussion, as log-odds."""

    decision: Floats
    """By message, that it made the decision that the question asks about."""
    reason: Floats
    replaced: Floats
    """By message, that it was replaced, rather than that nothing was."""
    none: float
    """That no message made the decision."""
    settles: Floats
    undecided: Floats


class ReaderNetwork(Struct, frozen=True):
    """The loaded network."""

    session: "InferenceSession"
    tokens: TextTokens
    tensors: Tensors

    def score(self, question: str, messages: Sequence[str]) -> Scores:
        """Read messages with a question, which may be empty."""
        begin, end = self.tokens.ids("")
        return self.score_tokens(lay_out(self._encode(question), [self._encode(one) for one in messages], begin, end))

    def score_tokens(self, layout: Layout) -> Scores:
        """Read a sequence of tokens."""
        words = read_words().of(np.array(layout.ids, np.int64))
        words[layout.spans[0][0] :] += self.tensors["message"]
        (found,) = self.session.run(None, {"words": words[None]})
        states: Floats = found[0]
        return score_states(self.tensors, states[0], np.stack([states[a:b].mean(axis=0) for a, b in layout.spans]))

    def _encode(self, text: str) -> list[int]:
        # Replace lone surrogates, which cannot be encoded as UTF-8.
        return self.tokens.parts(text.encode("utf-8", "replace").decode("utf-8"))


def score_states(tensors: Tensors, question: Floats, messages: Floats) -> Scores:
    """Return the scores of messages from their states."""
    said, asked = _hidden(tensors, messages), _hidden(tensors, question)
    heads = _linear(tensors, "heads", said)
    deciding = said[int(heads[:, DECISION].argmax())]
    linked = _linear(tensors, "linked", said).reshape(len(said), 2, -1)
    linking = _linear(tensors, "linking", deciding).reshape(2, -1)
    # What a message is for the decision: a reason, or what it replaced.
    links = (linked * linking).sum(axis=-1) / math.sqrt(linking.shape[-1])
    first_choice = float(_linear(tensors, "first_choice", deciding)[0])
    return Scores(
        decision=heads[:, DECISION],
        reason=heads[:, REASON] + links[:, 0],
        replaced=heads[:, REPLACED] + links[:, 1] - first_choice,
        none=float(_linear(tensors, "none", asked)[0]),
        settles=heads[:, SETTLES],
        undecided=heads[:, UNDECIDED],
    )


@cache
def load_network(folder: Path = FOLDER) -> ReaderNetwork:
    """Load the network that comes with the package, and check every byte of it."""
    checked = run_in_background(lambda: model_files.damage(MODEL, folder, FILES) or _other_encoder(folder))
    onnxruntime = load_runtime()
    import tokenizers

    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(bundled.FOLDER / TOKENIZER_FILE))
        session = onnxruntime.InferenceSession(
            str(folder / GRAPH_FILE), session_options(onnxruntime), providers=["CPUExecutionProvider"]
        )
        with np.load(folder / SCORES_FILE, allow_pickle=False) as stored:
            tensors = {name: np.asarray(stored[name], np.float32) for name in stored.files}
    # Both libraries raise Exception or direct subclasses of it.
    except Exception as error:
        raise _broken(checked.result() or str(error).split("\n", 1)[0]) from error
    if problem := checked.result():
        raise _broken(problem)
    return ReaderNetwork(session, TextTokens(tokenizer, bundled.FOLDER / CHINESE_FILE, MAX_TEXT_TOKENS), tensors)


def encoder_hash() -> str:
    """Return the hash of the encoder's tensors, whose word vectors the reader uses."""
    manifest = json.loads((bundled.FOLDER / MANIFEST_FILE).read_bytes())
    found: str = manifest["files"][TENSORS_FILE]["sha256"]
    return found


def _other_encoder(folder: Path) -> str:
    trained_with = json.loads((folder / MANIFEST_FILE).read_bytes()).get("encoder_sha256")
    return "" if trained_with == encoder_hash() else "it was trained with another encoder"


def _broken(reason: str) -> Unavailable:
    message = f"the model that reads discussions is broken: {reason}"
    return Unavailable(message, code="reader_broken", hint=bundled.REINSTALL_HINT)


def _hidden(tensors: Tensors, states: Floats) -> Floats:
    centred = states - states.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    scaled = centred / spread * tensors["hidden.0.weight"] + tensors["hidden.0.bias"]
    return _gelu(_linear(tensors, "hidden.1", scaled))


def _linear(tensors: Tensors, name: str, values: Floats) -> Floats:
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
