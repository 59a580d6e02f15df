"""Uploads: private files under random names, and what remains of them."""

import stat
from pathlib import Path

import pytest

from satchel.adapters.upload_files import UploadFiles
from satchel.errors import Unavailable


def test_an_upload_is_private(tmp_path: Path) -> None:
    path, file = UploadFiles(tmp_path).create()
    file.close()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_folder_goes_with_the_last_upload(tmp_path: Path) -> None:
    uploads = UploadFiles(tmp_path)
    (first, one), (second, other) = uploads.create(), uploads.create()
    one.close()
    other.close()

    uploads.remove(first)
    assert [*tmp_path.glob("uploads/*")] == [second]
    uploads.remove(second)
    uploads.remove(second)

    assert not (tmp_path / "uploads").exists()


def test_clearing_removes_what_is_left_over(tmp_path: Path) -> None:
    uploads = UploadFiles(tmp_path)
    uploads.clear()
    uploads.create()[1].close()

    uploads.clear()

    assert not (tmp_path / "uploads").exists()


def test_clearing_follows_no_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("kept", encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    (home / "uploads").symlink_to(elsewhere)

    UploadFiles(home).clear()

    assert (elsewhere / "mine").exists()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as refused:
        UploadFiles(tmp_path / "missing").create()

    assert refused.value.code == "io_error"
