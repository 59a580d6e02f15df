"""Installing the model: atomic, private, once."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from satchel.adapters.embedders import model_files
from satchel.adapters.embedders.model_files import MODEL_FILES
from satchel.adapters.embedders.weights import install
from satchel.adapters.embedders.weights_source import Recipe
from satchel.domain.embedding import MINILM_MODEL, ModelStatus
from satchel.errors import Refused, Unavailable
from tests.adapters.embedders import tiny


@pytest.fixture
def source(tiny_files: dict[str, bytes], tmp_path: Path) -> Path:
    return tiny.folder(tmp_path / "source", tiny_files)


@pytest.fixture
def recipe(tiny_files: dict[str, bytes]) -> Recipe:
    return tiny.recipe(tiny_files)


@pytest.fixture
def copy(tiny_model: Path, tmp_path: Path) -> Path:
    """An installed model that a test may damage."""
    return shutil.copytree(tiny_model, tmp_path / "models" / "model")


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def status(folder: Path) -> ModelStatus:
    return model_files.status(MINILM_MODEL, folder)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir() if path != folder and path.suffix != ".lock")


def test_an_installed_model_is_intact_and_embeds(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "model"
    found = install(folder, source=source, recipe=recipe)
    size = sum((folder / name).stat().st_size for name in MODEL_FILES)
    assert found == status(folder) == ModelStatus(True, MINILM_MODEL, str(folder), size)
    assert len(tiny.encoder(folder).embed(["the cat"])) == 1
    assert leftovers(folder) == []


def test_the_manifest_and_the_licence_are_installed(tiny_model: Path, tiny_files: dict[str, bytes]) -> None:
    manifest = json.loads((tiny_model / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["model"], manifest["licence"]) == (MINILM_MODEL, "Apache-2.0")
    assert set(manifest["files"]) == set(MODEL_FILES)
    assert (tiny_model / "LICENSE").read_bytes() == tiny_files["LICENSE"]
    assert (tiny_model / "NOTICE").read_bytes() == tiny_files["NOTICE"]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_files_are_private_whatever_the_umask(source: Path, recipe: Recipe, tmp_path: Path, mask: int) -> None:
    folder = tmp_path / "new" / "models" / "model"
    with umask(mask):
        install(folder, source=source, recipe=recipe)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (folder, folder.parent, folder.parent.parent)} == {0o700}


def test_a_second_install_needs_no_source(copy: Path, tmp_path: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in copy.iterdir()}
    assert install(copy, source=tmp_path / "nowhere").installed
    assert before == {path.name: path.stat().st_mtime_ns for path in copy.iterdir()}


def test_a_missing_folder_is_not_installed(tmp_path: Path) -> None:
    assert status(tmp_path / "model") == ModelStatus(False, MINILM_MODEL, str(tmp_path / "model"), 0, "not installed")


@pytest.mark.parametrize("name", [*MODEL_FILES, "manifest.json"])
@pytest.mark.parametrize("damage", ["gone", "one byte", "empty"])
def test_any_damage_is_found_and_repaired(copy: Path, source: Path, recipe: Recipe, name: str, damage: str) -> None:
    victim = copy / name
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 0x80
    victim.unlink()
    if damage != "gone":
        victim.write_bytes(data if damage == "one byte" else b"")
    found = status(copy)
    assert not found.installed
    assert name in found.problem
    assert install(copy, source=source, recipe=recipe).installed
    assert leftovers(copy) == []


@pytest.mark.parametrize("manifest", ["[]", "{}", '{"files": []}', '{"files": {"model.onnx": 1}}', "[" * 100_000])
def test_a_manifest_of_another_shape_is_damage(copy: Path, manifest: str) -> None:
    (copy / "manifest.json").write_text(manifest, encoding="utf-8")
    assert status(copy).problem == "manifest.json is damaged"


def test_refused_weights_leave_no_files(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    (source / "model.safetensors").write_bytes(b"something else")
    folder = tmp_path / "models" / "model"
    with pytest.raises(Refused) as caught:
        install(folder, source=source, recipe=recipe)
    assert caught.value.code == "weights_mismatch"
    assert not folder.exists()
    assert leftovers(folder) == []


def test_an_unwritable_folder_is_unavailable(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(Unavailable) as caught:
        install(tmp_path / "file" / "model", source=source, recipe=recipe)
    assert caught.value.code == "unwritable"
    assert "\n" not in caught.value.message


def test_a_full_disk_is_unavailable(
    source: Path, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1))
    with pytest.raises(Unavailable) as caught:
        install(tmp_path / "models" / "model", source=source, recipe=recipe)
    assert caught.value.code == "disk_full"


def test_concurrent_installs_end_with_one_intact_model(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "model"
    builds: list[str] = []
    found: list[ModelStatus] = []

    def run() -> None:
        found.append(install(folder, source=source, recipe=recipe, progress=builds.append))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.installed for one in found] == [True] * 4
    assert builds.count("installed") == 1
    assert leftovers(folder) == []


KILLED = """
import os, pathlib, signal, sys
from satchel.adapters.embedders.weights import install

def die(message):
    if message == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

sys.path.insert(0, sys.argv[4])
import tiny
install(pathlib.Path(sys.argv[1]), source=pathlib.Path(sys.argv[2]), progress=die, recipe=tiny.recipe(tiny.files()))
"""


@pytest.mark.parametrize("moment", ["reading source", "building the graph", "testing the model", "installed"])
def test_a_killed_install_leaves_nothing_or_a_complete_model(
    source: Path, recipe: Recipe, tmp_path: Path, moment: str
) -> None:
    folder = tmp_path / "models" / "model"
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", KILLED, str(folder), str(source), moment, here]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert status(folder).problem == ("" if moment == "installed" else "not installed")
    assert install(folder, source=source, recipe=recipe).installed
    # The next install removes the leftovers of the killed one.
    assert moment == "installed" or leftovers(folder) == []
