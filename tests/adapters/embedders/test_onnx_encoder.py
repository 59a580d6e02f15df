"""The local model: quality, loading and errors."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.embedders import onnx_encoder
from satchel.adapters.embedders.model_files import TENSORS_FILE
from satchel.adapters.embedders.onnx_encoder import DIMENSIONS, OnnxEncoder, default_threads
from satchel.domain.embedding import MINILM_MODEL, Vector
from satchel.errors import EmbeddingFailed
from tests.adapters.embedders import tiny


def likeness(model: OnnxEncoder, a: str, b: str) -> float:
    x, y = model.embed([a, b])
    return sum(p * q for p, q in zip(x, y, strict=True))


@pytest.mark.parametrize(
    ("text", "paraphrase", "stranger"),
    [
        ("Which database do we use?", "The data is stored in PostgreSQL.", "She baked bread on Sunday."),
        ("How do I log in?", "Signing in to your account", "The river floods in spring."),
        ("The build fails on macOS.", "Compilation is broken on Apple machines.", "He likes green tea."),
    ],
)
def test_a_paraphrase_is_nearer_than_an_unrelated_text(
    encoder: OnnxEncoder, text: str, paraphrase: str, stranger: str
) -> None:
    assert likeness(encoder, text, paraphrase) > likeness(encoder, text, stranger) + 0.15


def test_tokens_beyond_256_are_ignored(encoder: OnnxEncoder) -> None:
    long = "word " * 254
    cut, whole, longer = encoder.embed([long, long + "banana", "word " * 253])
    assert cut == whole != longer


def test_the_number_of_threads_does_not_change_a_vector(tiny_model: Path) -> None:
    texts = ["the cat", "a dog ran home", "one two three"] * 5
    assert tiny.encoder(tiny_model, threads=1).embed(texts) == tiny.encoder(tiny_model, threads=4).embed(texts)


def test_name_and_dimensions_are_known_without_a_model(tmp_path: Path) -> None:
    model = tiny.encoder(tmp_path / "nowhere")
    assert (model.name, model.dimensions, model.embed([])) == (MINILM_MODEL, DIMENSIONS, [])


def test_the_default_is_between_one_and_four_threads() -> None:
    assert 1 <= default_threads() <= 4


def test_importing_the_module_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'onnxruntime', 'tokenizers', 'onnx', 'http.client'}"
    names = "bundled, hashing, onnx_encoder, openai_compatible, weights"
    code = f"import sys; from satchel.adapters.embedders import {names}; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_loading_and_embedding_write_nothing_to_the_terminal(tiny_model: Path) -> None:
    lines = [
        "import pathlib, sys",
        "from satchel.adapters.embedders.onnx_encoder import OnnxEncoder",
        f"OnnxEncoder({MINILM_MODEL!r}, pathlib.Path(sys.argv[1]), '').embed(['a', 'b'])",
    ]
    command = [sys.executable, "-W", "error", "-c", "\n".join(lines), str(tiny_model)]
    done = subprocess.run(command, check=True, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed) as caught:
        tiny.encoder(tmp_path / "model").embed(["text"])
    assert (caught.value.code, caught.value.hint) == ("model_missing", tiny.HINT)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *[("model.onnx", damage) for damage in ("gone", "empty", "cut", "garbage")],
        *[("tokenizer.json", damage) for damage in ("gone", "empty", "cut", "garbage")],
        # Wrong numbers in a file of the right size are only found by weights.status, which reads every byte.
        *[("model.onnx.data", damage) for damage in ("gone", "empty", "cut")],
    ],
)
def test_a_broken_model_has_another_code_than_a_missing_one(
    tiny_model: Path, tmp_path: Path, name: str, damage: str
) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    victim = folder / name
    whole = victim.read_bytes()
    victim.unlink()
    if damage != "gone":
        victim.write_bytes({"empty": b"", "cut": whole[: len(whole) // 2], "garbage": b"\xff" * len(whole)}[damage])
    with pytest.raises(EmbeddingFailed) as caught:
        tiny.encoder(folder).embed(["text"])
    assert (caught.value.code, caught.value.hint) == ("model_broken", tiny.HINT)
    assert "\n" not in caught.value.message


def test_an_unreadable_folder_is_a_broken_model(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed) as caught:
        tiny.encoder(tmp_path / ("x" * 5000)).embed(["text"])
    assert caught.value.code == "model_broken"


def test_a_repaired_model_is_loaded_by_the_same_embedder(tiny_model: Path, tmp_path: Path) -> None:
    model = tiny.encoder(tmp_path / "model")
    with pytest.raises(EmbeddingFailed):
        model.embed(["the cat"])
    shutil.copytree(tiny_model, tmp_path / "model")
    assert model.embed(["the cat"]) == tiny.encoder(tiny_model).embed(["the cat"])


def test_a_model_behind_a_link_is_found(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tiny_model, target_is_directory=True)
    assert tiny.encoder(tmp_path / "link").embed(["a"]) == tiny.encoder(tiny_model).embed(["a"])


def test_weights_that_were_changed_are_not_used(tiny_model: Path, tmp_path: Path) -> None:
    """The library itself accepts any numbers of the right shape."""
    copy = tmp_path / "changed"
    shutil.copytree(tiny_model, copy)
    tensors = copy / TENSORS_FILE
    data = bytearray(tensors.read_bytes())
    data[len(data) // 2] ^= 1
    tensors.chmod(0o600)
    tensors.write_bytes(data)
    with pytest.raises(EmbeddingFailed, match=f"{TENSORS_FILE} is damaged") as error:
        tiny.encoder(copy).embed(["a text"])
    assert error.value.code == "model_broken"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that are embedded from now on."""
    made: list[str] = []
    real = onnx_encoder._embed

    def embed(engine: Any, text: str) -> Vector:
        made.append(text)
        return real(engine, text)

    monkeypatch.setattr(onnx_encoder, "_embed", embed)
    return made


def test_a_question_that_comes_again_is_not_embedded_again(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted(monkeypatch)
    model = tiny.encoder(tiny_model)

    (first,) = model.embed(["the cat"])
    first[0] = 7.0
    (again,) = model.embed(["the cat"])

    assert made == ["the cat"]
    assert again[0] != 7.0, "a caller may change its vector"
    assert model.embed(["the cat", "a dog"])[0] == again


def test_a_long_text_is_not_kept(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted(monkeypatch)
    model = tiny.encoder(tiny_model)

    for _ in range(2):
        model.embed(["a" * (onnx_encoder.MAX_RECENT_CHARS + 1)])

    assert len(made) == 2
