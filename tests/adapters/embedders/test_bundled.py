"""The bundled model: its files are intact and small, and damage is found."""

import json
import shutil
from pathlib import Path

import pytest

from satchel.adapters.embedders import bundled
from satchel.adapters.embedders.model_files import CHINESE_FILE, GRAPH_FILE, MODEL_FILES, TENSORS_FILE, damage
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.domain.embedding import BUNDLED_MODEL, JUDGE_MODEL, READER_MODEL, LocalModels, ModelStatus, cosine
from satchel.domain.envelope import Outcome
from tests.adapters.embedders import reference
from tests.tables import each_case

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
    assert LocalModels(sound, absent, sound, sound).outcome is Outcome.DONE
    assert LocalModels(sound, damaged, sound, sound).outcome is Outcome.FAILED
    assert LocalModels(damaged, absent, sound, sound).outcome is Outcome.FAILED
    assert LocalModels(sound, absent, sound, damaged).outcome is Outcome.FAILED


def test_a_quick_check_reads_every_byte_too(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bundled.FOLDER, tmp_path / "model"))
    assert damage(BUNDLED_MODEL, folder, quick=True) == ""
    data = bytearray((folder / TENSORS_FILE).read_bytes())
    data[-1] ^= 1
    (folder / TENSORS_FILE).write_bytes(data)

    assert damage(BUNDLED_MODEL, folder, quick=True) == f"{TENSORS_FILE} is damaged"


def test_a_manifest_of_an_earlier_version_is_checked_by_its_only_hash(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bundled.FOLDER, tmp_path / "model"))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"].values():
        del entry["crc32"]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert damage(BUNDLED_MODEL, folder, quick=True) == ""
    (folder / GRAPH_FILE).write_bytes((folder / GRAPH_FILE).read_bytes()[:-1] + b"x")

    assert damage(BUNDLED_MODEL, folder, quick=True) == f"{GRAPH_FILE} is damaged"


@each_case("name", [READER_MODEL, JUDGE_MODEL])
def test_the_networks_are_checked_too(name: str) -> None:
    assert bundled.network_status(name).installed


def test_every_platform_gives_the_reference_vectors(encoder: OnnxEncoder) -> None:
    for text, expected in reference.read():
        (found,) = encoder.embed([text])
        assert cosine(found, expected) >= reference.LEAST_COSINE, text
