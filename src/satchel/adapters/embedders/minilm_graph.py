"""The ONNX graph of a BERT sentence encoder such as all-MiniLM-L6-v2, made from its bare weights."""

import errno
import logging
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from msgspec import Struct, field
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from satchel.adapters.embedders.runtime import load_runtime

OPSET = 17
# Opset 17 belongs to IR version 8; a newer IR number would only shut out older runtimes.
IR_VERSION = 8
# Large enough that the softmax of a masked position is exactly zero, small enough never to overflow.
MASKED = -10_000.0

MAPPED_FROM_BYTES = 1024

Weights = Mapping[str, NDArray[Any]]


class Architecture(Struct, frozen=True):
    """What the shapes of the weights do not tell. The defaults are those of all-MiniLM-L6-v2."""

    layers: int = 6
    heads: int = 12
    epsilon: float = 1e-12


MINILM_L6 = Architecture()


class _Draft(Struct):
    """Nodes and constants in the order of writing; every value gets a fresh name."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def const(self, value: NDArray[Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def number(self, value: float) -> str:
        return self.const(np.array(value, dtype=np.float32))

    def ints(self, *values: int) -> str:
        return self.const(np.array(values, dtype=np.int64))

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        return self.ops(kind, *inputs, outputs=1, **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        # Nodes need names: the quantiser derives the names of its own nodes from them.
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"n{len(self.nodes)}", **attributes))
        return names


def build(weights: Weights, architecture: Architecture = MINILM_L6) -> onnx.ModelProto:
    """Return the float graph: token ids and mask in, one unit vector per row out."""
    draft = _Draft()
    hidden = _embeddings(draft, weights, architecture)
    bias = _mask_bias(draft)
    for layer in range(architecture.layers):
        hidden = _layer(draft, weights, f"encoder.layer.{layer}.", architecture, hidden, bias)
    _pool(draft, hidden)
    return _model(draft, width=weights["embeddings.word_embeddings.weight"].shape[1])


def write(weights: Weights, target: Path, tensors: str, architecture: Architecture = MINILM_L6) -> None:
    """Write the int8 graph as ``target``, and its tensors beside it in a file named ``tensors``."""
    floats, whole = target.with_name("float.onnx"), target.with_name("int8.onnx")
    onnx.save_model(build(weights, architecture), floats)
    _quantise(floats, whole)
    # Tensors in their own file are mapped, not read: loading takes a third of the time and half of the memory.
    # Still plain ONNX, so the folder works on any processor.
    onnx.save_model(
        onnx.load_model(whole), target, save_as_external_data=True, location=tensors, size_threshold=MAPPED_FROM_BYTES
    )
    floats.unlink()
    whole.unlink()


def _quantise(source: Path, target: Path) -> None:
    quantization = load_runtime("onnxruntime.quantization")
    with _quiet(), _short_write_is_an_error():
        # Only MatMul, per channel: everything as int8 per tensor fell from .99 to .96 cosine. reduce_range: without
        # it, processors lacking VNNI may saturate in the inner loop and answer differently from the others.
        quantization.quantize_dynamic(
            source,
            target,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=quantization.QuantType.QInt8,
        )


@contextmanager
def _short_write_is_an_error() -> Iterator[None]:
    # The quantiser writes a file of its own without looking at the result, and fails to read it when the disk was full.
    from google.protobuf.message import DecodeError

    try:
        yield
    except (DecodeError, onnx.checker.ValidationError) as error:
        raise OSError(errno.EIO, "a file could not be written whole, perhaps the disk is full") from error


@contextmanager
def _quiet() -> Iterator[None]:
    # The quantiser advises on the root logger to preprocess the model first; nobody at the terminal can act on that.
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _embeddings(d: _Draft, w: Weights, a: Architecture) -> str:
    words = d.op("Gather", d.const(w["embeddings.word_embeddings.weight"]), "input_ids")
    # Positions by Slice: a Gather by Range is fused into a Slice with a scalar start, which fails at run time.
    length = d.op("Shape", "input_ids", start=1, end=2)
    # Token type 0 everywhere, so its row is simply a part of every position.
    positions = w["embeddings.position_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
    places = d.op("Slice", d.const(positions), d.ints(0), length, d.ints(0))
    return _norm(d, w, "embeddings.LayerNorm", a, d.op("Add", words, places))


def _mask_bias(d: _Draft) -> str:
    mask = d.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = d.op("Mul", d.op("Sub", d.number(1.0), mask), d.number(MASKED))
    return d.op("Unsqueeze", hidden, d.ints(1, 2))


def _layer(d: _Draft, w: Weights, prefix: str, a: Architecture, x: str, bias: str) -> str:
    context = _attention(d, w, prefix + "attention.self.", a, x, bias)
    attended = _dense(d, w, prefix + "attention.output.dense", context)
    x = _norm(d, w, prefix + "attention.output.LayerNorm", a, d.op("Add", attended, x))
    wide = _gelu(d, _dense(d, w, prefix + "intermediate.dense", x))
    return _norm(d, w, prefix + "output.LayerNorm", a, d.op("Add", _dense(d, w, prefix + "output.dense", wide), x))


def _attention(d: _Draft, w: Weights, prefix: str, a: Architecture, x: str, bias: str) -> str:
    width = w[prefix + "query.weight"].shape[0]
    size = width // a.heads
    heads = d.ints(0, 0, a.heads, size)

    def split(part: str, order: list[int]) -> str:
        return d.op("Transpose", d.op("Reshape", _dense(d, w, prefix + part, x), heads), perm=order)

    query, key, value = split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]), split("value", [0, 2, 1, 3])
    scores = d.op("Div", d.op("MatMul", query, key), d.number(math.sqrt(size)))
    mixed = d.op("MatMul", d.op("Softmax", d.op("Add", scores, bias), axis=-1), value)
    return d.op("Reshape", d.op("Transpose", mixed, perm=[0, 2, 1, 3]), d.ints(0, 0, width))


def _dense(d: _Draft, w: Weights, name: str, x: str) -> str:
    # PyTorch keeps weights as (out, in); MatMul wants (in, out).
    product = d.op("MatMul", x, d.const(w[name + ".weight"].T))
    return d.op("Add", product, d.const(w[name + ".bias"]))


def _norm(d: _Draft, w: Weights, name: str, a: Architecture, x: str) -> str:
    scale, shift = d.const(w[name + ".weight"]), d.const(w[name + ".bias"])
    return d.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=a.epsilon)


def _gelu(d: _Draft, x: str) -> str:
    bent = d.op("Add", d.op("Erf", d.op("Div", x, d.number(math.sqrt(2.0)))), d.number(1.0))
    return d.op("Mul", d.op("Mul", x, bent), d.number(0.5))


def _pool(d: _Draft, x: str) -> None:
    mask = d.op("Unsqueeze", d.op("Cast", "attention_mask", to=TensorProto.FLOAT), d.ints(2))
    total = d.op("ReduceSum", d.op("Mul", x, mask), d.ints(1), keepdims=0)
    mean = d.op("Div", total, d.op("Max", d.op("ReduceSum", mask, d.ints(1), keepdims=0), d.number(1e-9)))
    length = d.op("Max", d.op("ReduceL2", mean, axes=[1], keepdims=1), d.number(1e-12))
    d.nodes.append(helper.make_node("Div", [mean, length], ["embedding"], name="unit"))


def _model(d: _Draft, width: int) -> onnx.ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", width])
    graph = helper.make_graph(d.nodes, "sentence_encoder", inputs, [output], initializer=d.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    return model
