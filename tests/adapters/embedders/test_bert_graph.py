"""The ONNX graph compared with the same computation in NumPy."""

import logging
import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

from satchel.adapters.embedders import bert_graph
from tests.adapters.embedders import tiny

Array = NDArray[Any]
WEIGHTS = tiny.weights()
IDS = np.random.default_rng(3).integers(0, 40, (5, 23))
LENGTHS = np.array([23, 1, 7, 22, 12])
MASK = (np.arange(23)[None, :] < LENGTHS[:, None]).astype(np.int64)


def run(model: bytes | str, ids: Array = IDS, mask: Array = MASK) -> Array:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"input_ids": ids, "attention_mask": mask})[0])


def forward(w: dict[str, Array], ids: Array) -> Array:
    """BERT for one text without padding, mean pooled, of unit length."""
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(w, "embeddings.LayerNorm", x + w["embeddings.token_type_embeddings.weight"][0])
    for layer in range(tiny.ARCHITECTURE.layers):
        p = f"encoder.layer.{layer}."
        mixed = dense(w, p + "attention.output.dense", attention(w, p + "attention.self.", x))
        x = norm(w, p + "attention.output.LayerNorm", mixed + x)
        wide = dense(w, p + "intermediate.dense", x)
        bent = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(w, p + "output.LayerNorm", dense(w, p + "output.dense", bent) + x)
    mean = x.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def attention(w: dict[str, Array], prefix: str, x: Array) -> Array:
    q, k, v = (
        np.split(dense(w, prefix + part, x), tiny.ARCHITECTURE.heads, axis=1) for part in ("query", "key", "value")
    )
    heads = []
    for a, b, c in zip(q, k, v, strict=True):
        scores = np.exp(a @ b.T / math.sqrt(a.shape[1]))
        heads.append(scores / scores.sum(axis=1, keepdims=True) @ c)
    return np.concatenate(heads, axis=1)


def dense(w: dict[str, Array], name: str, x: Array) -> Array:
    return np.asarray(x @ w[name + ".weight"].T + w[name + ".bias"])


def norm(w: dict[str, Array], name: str, x: Array) -> Array:
    spread = np.sqrt(x.var(axis=-1, keepdims=True) + tiny.ARCHITECTURE.epsilon)
    return np.asarray((x - x.mean(axis=-1, keepdims=True)) / spread * w[name + ".weight"] + w[name + ".bias"])


def expected() -> Array:
    return np.stack([forward(WEIGHTS, row[:length]) for row, length in zip(IDS, LENGTHS, strict=True)])


def test_the_float_graph_computes_what_numpy_computes() -> None:
    found = run(bert_graph.build(WEIGHTS, tiny.ARCHITECTURE).SerializeToString())
    assert (found * expected()).sum(axis=1).min() > 0.99999


def test_the_layers_alone_give_the_states_whose_mean_is_the_vector() -> None:
    model = bert_graph.build_trunk(WEIGHTS, tiny.ARCHITECTURE).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    words = WEIGHTS["embeddings.word_embeddings.weight"][IDS[:1]].astype(np.float32)
    (states,) = session.run(None, {"words": words})
    mean = np.asarray(states)[0].mean(axis=0)

    assert np.asarray(states).shape == words.shape
    assert float(mean / np.linalg.norm(mean) @ expected()[0]) > 0.99999


def test_padding_changes_nothing() -> None:
    model = bert_graph.build(WEIGHTS, tiny.ARCHITECTURE).SerializeToString()
    padded = run(model)
    for i, length in enumerate(LENGTHS):
        alone = run(model, IDS[i : i + 1, :length], MASK[i : i + 1, :length])
        np.testing.assert_allclose(alone[0], padded[i], atol=1e-5)


def test_the_int8_graph_stays_near(tmp_path: Path) -> None:
    bert_graph.write(WEIGHTS, tmp_path / "g.onnx", "g.data", tiny.ARCHITECTURE)
    found = run(str(tmp_path / "g.onnx"))
    assert (found * expected()).sum(axis=1).min() > 0.98
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(len(IDS)), abs=1e-5)


def test_only_the_graph_and_its_tensors_are_left(tmp_path: Path) -> None:
    bert_graph.write(WEIGHTS, tmp_path / "g.onnx", "g.data", tiny.ARCHITECTURE)
    assert {path.name for path in tmp_path.iterdir()} == {"g.onnx", "g.data"}


def test_the_weight_matrices_are_int8_and_the_tables_are_not(tmp_path: Path) -> None:
    bert_graph.write(WEIGHTS, tmp_path / "g.onnx", "g.data", tiny.ARCHITECTURE)
    model = onnx.load_model(tmp_path / "g.onnx")
    assert model.opset_import[0].version == bert_graph.OPSET
    kinds = [tensor.data_type for tensor in model.graph.initializer if len(tensor.dims) == 2]
    assert kinds.count(onnx.TensorProto.INT8) == 6 * tiny.ARCHITECTURE.layers
    assert kinds.count(onnx.TensorProto.FLOAT) == 2  # words and positions


def test_the_graph_is_written_as_it_is_run(tmp_path: Path) -> None:
    target = tmp_path / "g.onnx"
    bert_graph.write(WEIGHTS, target, "g.data", tiny.ARCHITECTURE)
    written = target.read_bytes()
    kinds = {node.op_type for node in onnx.load_model(target).graph.node}
    bert_graph.fuse(target)

    assert "DynamicQuantizeMatMul" in kinds
    assert "SkipLayerNormalization" not in kinds
    assert target.read_bytes() == written


def test_the_same_weights_give_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        bert_graph.write(WEIGHTS, tmp_path / name / "g.onnx", "g.data", tiny.ARCHITECTURE)
    for file in ("g.onnx", "g.data"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_the_quantizer_logs_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    bert_graph.write(WEIGHTS, tmp_path / "g.onnx", "g.data", tiny.ARCHITECTURE)
    assert (*capfd.readouterr(), caplog.text) == ("", "", "")
    assert logging.root.manager.disable == logging.NOTSET  # others may log again


def test_a_partly_written_graph_is_reported_as_a_disk_error(tmp_path: Path) -> None:
    (tmp_path / "float.onnx").write_bytes(b"\xff" * 1000)
    with pytest.raises(OSError, match="disk"):
        bert_graph._quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx")


def test_int8_words_stay_near_and_are_the_only_further_int8_table(tmp_path: Path) -> None:
    bert_graph.write(WEIGHTS, tmp_path / "g.onnx", "g.data", tiny.ARCHITECTURE, int8_words=True)
    model = onnx.load_model(tmp_path / "g.onnx")
    kinds = [tensor.data_type for tensor in model.graph.initializer if len(tensor.dims) == 2]
    assert kinds.count(onnx.TensorProto.INT8) == 6 * tiny.ARCHITECTURE.layers + 1
    found = run(str(tmp_path / "g.onnx"))
    assert (found * expected()).sum(axis=1).min() > 0.98


def test_rounding_the_words_alone_changes_almost_nothing() -> None:
    found = run(bert_graph.build(WEIGHTS, tiny.ARCHITECTURE, int8_words=True).SerializeToString())
    assert (found * expected()).sum(axis=1).min() > 0.999


def test_a_word_without_weights_stays_zero() -> None:
    zero = WEIGHTS | {"embeddings.word_embeddings.weight": np.zeros_like(WEIGHTS["embeddings.word_embeddings.weight"])}
    exact = run(bert_graph.build(zero, tiny.ARCHITECTURE).SerializeToString())
    rounded = run(bert_graph.build(zero, tiny.ARCHITECTURE, int8_words=True).SerializeToString())
    np.testing.assert_allclose(rounded, exact, atol=1e-6)
