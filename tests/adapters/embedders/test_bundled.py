"""The bundled model: its files are intact and small, and damage is found."""

import json
import shutil
from pathlib import Path

import pytest

from satchel.adapters.embedders import bundled
from satchel.adapters.embedders.model_files import CHINESE_FILE, MODEL_FILES
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.domain.embedding import BUNDLED_MODEL, LocalModels, ModelStatus, cosine
from satchel.domain.envelope import Outcome
from tests.adapters.embedders import reference

MAX_BYTES = 32_000_000


def test_the_model_is_intact_and_small() -> None:
    found = bundled.status()
    assert (found.installed, found.name, found.problem) == (True, BUNDLED_MODEL, "")
    assert sum(path.stat().st_size for path in bundled.FOLDER.iterdir()) < MAX_BYTES


def test_the_manifest_covers_the_model_files() -> None:
    manifest = json.loads((bundled.FOLDER / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["model"], manifest["licence"]) == (BUNDLED_MODEL, "Apache-2.0")
    assert set(manifest["files"]) == {*MODEL_FILES, CHINESE_FILE}
    assert {name: one["bytes"] for name, one in manifest["files"].items()} == {
        name: (bundled.FOLDER / name).stat().st_size for name in (*MODEL_FILES, CHINESE_FILE)
    }


def test_the_licence_of_the_weights_is_beside_them() -> None:
    assert "Apache License" in (bundled.FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "all-MiniLM-L6-v2" in (bundled.FOLDER / "NOTICE").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MODEL_FILES)
def test_one_changed_byte_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(bundled.FOLDER, tmp_path / "model")
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 0x80
    (folder / name).write_bytes(data)
    monkeypatch.setattr(bundled, "FOLDER", folder)
    assert bundled.status().problem == f"{name} is damaged"


def test_only_damage_is_a_failure() -> None:
    sound = ModelStatus(True, "a", "/a", 1)
    absent = ModelStatus(False, "b", "/b", 0, "not installed")
    damaged = ModelStatus(False, "b", "/b", 0, "model.onnx is damaged")
    assert LocalModels(sound, absent).outcome is Outcome.DONE
    assert LocalModels(sound, damaged).outcome is Outcome.FAILED
    assert LocalModels(damaged, absent).outcome is Outcome.FAILED


def test_every_platform_gives_the_reference_vectors(encoder: OnnxEncoder) -> None:
    for text, expected in reference.read():
        (found,) = encoder.embed([text])
        assert cosine(found, expected) >= reference.LEAST_COSINE, text
