"""Builds the ONNX graph of a BERT sentence encoder such as all-MiniLM-L6-v2 from its weights."""

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

from satchel.adapters.embedders.runtime import load_runtime, open_session

OPSET = 17
# The IR version of opset 17; a newer one would only exclude older runtimes.
IR_VERSION = 8
# Makes the softmax of a masked position exactly zero, without overflow.
MASKED = -10_000.0

# Tensors of at least this size go into the external file.
EXTERNAL_FROM_BYTES = 1024

Weights = Mapping[str, NDArray[Any]]


class Architecture(Struct, frozen=True):
    """Parameters that the shapes of the weights do not show. The defaults are those of all-MiniLM-L6-v2."""

    layers: int = 6
    heads: int = 12
    epsilon: float = 1e-12


MINILM_L6 = Architecture()


class _GraphBuilder(Struct):
    """Collects nodes and constants; every value gets a new name."""

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
        # The quantizer derives the names of its own nodes from these.
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"n{len(self.nodes)}", **attributes))
        return names


def build(weights: Weights, architecture: Architecture = MINILM_L6, *, int8_words: bool = False) -> onnx.ModelProto:
    """Return the graph before quantization: token ids and mask in, one unit vector per row out."""
    builder = _GraphBuilder()
    hidden = _embeddings(builder, weights, architecture, int8_words)
    bias = _mask_bias(builder)
    for layer in range(architecture.layers):
        hidden = _layer(builder, weights, f"encoder.layer.{layer}.", architecture, hidden, bias)
    _pool(builder, hidden)
    return _model(builder, width=weights["embeddings.word_embeddings.weight"].shape[1])


def build_trunk(weights: Weights, architecture: Architecture = MINILM_L6) -> onnx.ModelProto:
    """Return the graph of the layers alone, before quantization: the word vectors of one text in, the states of its tokens out."""
    builder, width = _GraphBuilder(), weights["embeddings.position_embeddings.weight"].shape[1]
    hidden = _with_positions(builder, weights, architecture, "words")
    for layer in range(architecture.layers):
        hidden = _layer(builder, weights, f"encoder.layer.{layer}.", architecture, hidden, None)
    builder.nodes.append(helper.make_node("Identity", [hidden], ["states"], name="output"))
    words, states = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "length", width]) for name in ("words", "states")
    )
    return _checked(builder, "trunk", [words], [states])


def write(
    weights: Weights, target: Path, tensors: str, architecture: Architecture = MINILM_L6, *, int8_words: bool = False
) -> None:
    """Write the int8 graph to ``target``, and its tensors to the file ``tensors`` in the same folder.

    Word embeddings, half of the weights, stay float unless ``int8_words`` is given.
    """
    write_int8(build(weights, architecture, int8_words=int8_words), target, tensors)


def write_int8(model: onnx.ModelProto, target: Path, tensors: str) -> None:
    """Quantize a graph, fuse its nodes, and write it to ``target``, and its tensors to the file ``tensors`` beside it."""
    floats, whole = target.with_name("float.onnx"), target.with_name("int8.onnx")
    onnx.save_model(model, floats)
    _quantize(floats, whole)
    # Tensors in an external file are memory-mapped: loading takes a third of the time and half of the memory.
    onnx.save_model(
        onnx.load_model(whole), target, save_as_external_data=True, location=tensors, size_threshold=EXTERNAL_FROM_BYTES
    )
    floats.unlink()
    whole.unlink()
    fuse(target)


def fuse(target: Path) -> None:
    """Write a graph again with its nodes fused, as every start would otherwise fuse them: loading takes half of the time."""
    # The fused graph refers to the same file of tensors.
    fused = target.with_name("fused.onnx")
    open_session(load_runtime(), target, fused_to=fused)
    fused.replace(target)


def _quantize(source: Path, target: Path) -> None:
    quantization = load_runtime("onnxruntime.quantization")
    with _quiet(), _detect_short_write():
        # Only MatMul, per channel: all as int8 per tensor dropped from .99 to .96 cosine. reduce_range: otherwise
        # processors without VNNI may saturate and give different results.
        quantization.quantize_dynamic(
            source,
            target,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=quantization.QuantType.QInt8,
        )


@contextmanager
def _detect_short_write() -> Iterator[None]:
    # On a full disk the quantizer does not notice its short write, and fails to read the file.
    from google.protobuf.message import DecodeError

    try:
        yield
    except (DecodeError, onnx.checker.ValidationError) as error:
        raise OSError(errno.EIO, "a file was written incompletely; the disk may be full") from error


@contextmanager
def _quiet() -> Iterator[None]:
    # The quantizer logs advice to preprocess the model, which a user cannot act on.
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _embeddings(d: _GraphBuilder, w: Weights, a: Architecture, int8_words: bool) -> str:
    table = w["embeddings.word_embeddings.weight"]
    words = _int8_rows(d, table) if int8_words else d.op("Gather", d.const(table), "input_ids")
    return _with_positions(d, w, a, words)


def _with_positions(d: _GraphBuilder, w: Weights, a: Architecture, words: str) -> str:
    # Slice, because a Gather by Range is fused into a Slice with a scalar start, which fails at run time.
    length = d.op("Shape", words, start=1, end=2)
    # The token type is always 0, so its row is added to every position.
    positions = w["embeddings.position_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
    places = d.op("Slice", d.const(positions), d.ints(0), length, d.ints(0))
    return _norm(d, w, "embeddings.LayerNorm", a, d.op("Add", words, places))


def _int8_rows(d: _GraphBuilder, table: NDArray[Any]) -> str:
    # One scale per row: a rare word with one large value does not make the others coarse.
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12).astype(np.float32) / 127
    rows = d.op("Gather", d.const(np.rint(table / scales).astype(np.int8)), "input_ids")
    return d.op("Mul", d.op("Cast", rows, to=TensorProto.FLOAT), d.op("Gather", d.const(scales), "input_ids"))


def _mask_bias(d: _GraphBuilder) -> str:
    mask = d.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = d.op("Mul", d.op("Sub", d.number(1.0), mask), d.number(MASKED))
    return d.op("Unsqueeze", hidden, d.ints(1, 2))


def _layer(d: _GraphBuilder, w: Weights, prefix: str, a: Architecture, x: str, bias: str | None) -> str:
    context = _attention(d, w, prefix + "attention.self.", a, x, bias)
    attended = _dense(d, w, prefix + "attention.output.dense", context)
    x = _norm(d, w, prefix + "attention.output.LayerNorm", a, d.op("Add", attended, x))
    wide = _gelu(d, _dense(d, w, prefix + "intermediate.dense", x))
    return _norm(d, w, prefix + "output.LayerNorm", a, d.op("Add", _dense(d, w, prefix + "output.dense", wide), x))


def _attention(d: _GraphBuilder, w: Weights, prefix: str, a: Architecture, x: str, bias: str | None) -> str:
    width = w[prefix + "query.weight"].shape[0]
    size = width // a.heads
    heads = d.ints(0, 0, a.heads, size)

    def split(part: str, order: list[int]) -> str:
        return d.op("Transpose", d.op("Reshape", _dense(d, w, prefix + part, x), heads), perm=order)

    query, key, value = split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]), split("value", [0, 2, 1, 3])
    scores = d.op("Div", d.op("MatMul", query, key), d.number(math.sqrt(size)))
    # Without a bias every token sees every other.
    visible = scores if bias is None else d.op("Add", scores, bias)
    mixed = d.op("MatMul", d.op("Softmax", visible, axis=-1), value)
    return d.op("Reshape", d.op("Transpose", mixed, perm=[0, 2, 1, 3]), d.ints(0, 0, width))


def _dense(d: _GraphBuilder, w: Weights, name: str, x: str) -> str:
    # PyTorch stores weights as (out, in); MatMul needs (in, out).
    product = d.op("MatMul", x, d.const(w[name + ".weight"].T))
    return d.op("Add", product, d.const(w[name + ".bias"]))


def _norm(d: _GraphBuilder, w: Weights, name: str, a: Architecture, x: str) -> str:
    scale, shift = d.const(w[name + ".weight"]), d.const(w[name + ".bias"])
    return d.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=a.epsilon)


def _gelu(d: _GraphBuilder, x: str) -> str:
    bent = d.op("Add", d.op("Erf", d.op("Div", x, d.number(math.sqrt(2.0)))), d.number(1.0))
    return d.op("Mul", d.op("Mul", x, bent), d.number(0.5))


def _pool(d: _GraphBuilder, x: str) -> None:
    mask = d.op("Unsqueeze", d.op("Cast", "attention_mask", to=TensorProto.FLOAT), d.ints(2))
    total = d.op("ReduceSum", d.op("Mul", x, mask), d.ints(1), keepdims=0)
    mean = d.op("Div", total, d.op("Max", d.op("ReduceSum", mask, d.ints(1), keepdims=0), d.number(1e-9)))
    length = d.op("Max", d.op("ReduceL2", mean, axes=[1], keepdims=1), d.number(1e-12))
    d.nodes.append(helper.make_node("Div", [mean, length], ["embedding"], name="unit"))


def _model(d: _GraphBuilder, width: int) -> onnx.ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", width])
    return _checked(d, "sentence_encoder", inputs, [output])


def _checked(
    d: _GraphBuilder, name: str, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]
) -> onnx.ModelProto:
    graph = helper.make_graph(d.nodes, name, inputs, outputs, initializer=d.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    return model
