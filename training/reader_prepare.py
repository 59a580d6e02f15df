"""Gather what the training of the reader needs in a folder: conversations as tokens, and the trunk of the shipped encoder.

A machine that trains needs only PyTorch, NumPy and this repository then.
"""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from tokenizers import Tokenizer

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.model_files import CHINESE_FILE, GRAPH_FILE, TOKENIZER_FILE
from satchel.adapters.embedders.text_tokens import TextTokens
from training.reader_files import TOKENS_FILE, TRUNK_FILE

CONVERSATIONS = Path(__file__).parent / "decisions"
MAX_TEXT_TOKENS = 256
POSITIONS, WIDTH = 512, 384
_QUANTIZED = "_quant"
LAYER_PARTS = ("query", "key", "value", "attended", "wide", "narrow")

Encode = Callable[[str], list[int]]


def prepare(out: Path) -> None:
    """Write the folder."""
    out.mkdir(parents=True, exist_ok=True)
    tokens = TextTokens(Tokenizer.from_file(str(FOLDER / TOKENIZER_FILE)), FOLDER / CHINESE_FILE, MAX_TEXT_TOKENS)
    begin, end = tokens.ids("")
    talks = [tokenized(row, tokens.parts) for row in read_rows()]
    prepared = {"begin": begin, "end": end, "talks": talks}
    with gzip.open(out / TOKENS_FILE, "wt", encoding="ascii") as file:
        json.dump(prepared, file, separators=(",", ":"))
    arrays: dict[str, Any] = trunk()
    np.savez_compressed(out / TRUNK_FILE, **arrays)


def read_rows(folder: Path = CONVERSATIONS) -> list[dict[str, Any]]:
    """Read the labelled conversations of every file in a folder, in the order of the names."""
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for one in files for line in one.read_text(encoding="utf-8").splitlines()]


def tokenized(row: dict[str, Any], encode: Encode) -> dict[str, Any]:
    """Return a conversation with tokens instead of texts."""
    return {
        "id": row["id"],
        "messages": [
            {
                "name": encode(f"{one['by']}:") if one.get("by") else [],
                "role": encode(f"{one['role']}:") if one.get("role", "user") != "user" else [],
                "text": encode(one["content"]),
                "acts": one.get("acts", []),
            }
            for one in row["messages"]
        ],
        "questions": [{**one, **completed(one, row), "ask": encode(one["ask"])} for one in row["questions"]],
    }


def completed(asked: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return the labels of a question that other labels of its conversation imply.

    Reasons are labelled once for a decision, and what held before is a text where no message decided it.
    """
    if not asked["answerable"]:
        return {}
    decision = set(asked["decision"])
    others = [one for one in row["questions"] if one["answerable"] and decision & set(one["decision"])]
    reasons = asked.get("reasons") or sorted({number for one in others for number in one.get("reasons") or ()})
    before = (asked.get("before") or "").casefold()
    named = [one["number"] for one in row["messages"][: max(decision) - 1] if before in one["content"].casefold()]
    return {"reasons": reasons, "replaced": asked.get("replaced") or (named if before else [])}


def trunk(folder: Path = FOLDER) -> dict[str, np.ndarray[Any, Any]]:
    """Return the weights of the shipped encoder without its word vectors, by their names in `training.network`."""
    model = onnx.load_model(folder / GRAPH_FILE)
    tensors = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    # ONNX Runtime has merged the products with their scales and biases, under the names that they were quantized with.
    products = sorted((node for node in model.graph.node if node.name.endswith(_QUANTIZED)), key=_number)
    found = {"positions.weight": next(one for one in tensors.values() if one.shape == (POSITIONS, WIDTH))}
    for place, node in enumerate(products):
        name, stored = f"layers.{place // len(LAYER_PARTS)}.{LAYER_PARTS[place % len(LAYER_PARTS)]}", node.input[1]
        found[f"{name}.int8"], found[f"{name}.scale"] = tensors[stored], tensors[stored.replace("_quantized", "_scale")]
        found[f"{name}.bias"] = tensors[node.input[-1]]
    norms = (node for node in model.graph.node if node.op_type == "LayerNormalization")
    for place, node in enumerate(sorted(norms, key=_number)):
        layer, part = divmod(place - 1, 2)
        name = f"layers.{layer}.{('attended_norm', 'norm')[part]}" if place else "norm"
        found[f"{name}.weight"], found[f"{name}.bias"] = (tensors[one] for one in node.input[1:3])
    return found


def _number(node: onnx.NodeProto) -> int:
    """Return the number that the graph builder gave a node."""
    return int(node.name.removeprefix("n").removesuffix(_QUANTIZED))
