"""Zip archives to import: bounds, and names that are never paths."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from satchel.adapters import archives
from satchel.adapters.archives import ArchiveSource
from satchel.domain.document import SkippedFile
from satchel.errors import InvalidRequest
from satchel.ports import SourceFile
from tests.tables import each_case, fresh_folder


def write(path: Path, entries: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def skipped(source: ArchiveSource) -> dict[str, str]:
    return {one.path: one.reason for one in source.files() if isinstance(one, SkippedFile)}


def test_entries_are_read_by_name_and_in_order(tmp_path: Path) -> None:
    source = ArchiveSource(write(tmp_path / "a.zip", {"b.md": b"two", "a/c.md": b"one", "folder/": b""}))

    found = [one for one in source.files() if isinstance(one, SourceFile)]
    assert [(one.path, one.size) for one in found] == [("a/c.md", 3), ("b.md", 3)]
    assert b"".join(source.chunks("a/c.md")) == b"one"
    assert (source.tables(), list(source.rows("x", ["y"], ["y"]))) == ({}, [])
    source.close()


@each_case(
    "name, reason",
    [
        ("../out.md", "outside_root"), ("/etc/out.md", "outside_root"), ("a/../../out.md", "outside_root"),
        ("..\\out.md", "outside_root"), ("C:/out.md", "outside_root"), ("bell\x07.md", "invalid_name"), ("x" * 2_000, "invalid_name"),
    ],
)  # fmt: skip
def test_names_that_lead_out_are_skipped(tmp_path: Path, name: str, reason: str) -> None:
    path = write(fresh_folder(tmp_path) / "a.zip", {name: b"text"})

    assert list(skipped(ArchiveSource(path)).values()) == [reason]


def test_a_second_entry_of_a_name_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.md", b"first")
        archive.writestr("a.md", b"second")
    source = ArchiveSource(path)

    assert skipped(source) == {"a.md": "duplicate_name"}
    assert b"".join(source.chunks("a.md")) == b"first"


def test_a_dense_or_large_entry_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "RATIO_COUNTS_FROM", 1_000)
    monkeypatch.setattr(archives, "MAX_ENTRY_BYTES", 900_000)
    path = write(tmp_path / "a.zip", {"bomb.json": bytes(800_000), "large.json": bytes(1_000_000), "ok.json": b"[]"})

    assert skipped(ArchiveSource(path)) == {"bomb.json": "too_dense", "large.json": "too_large"}


def test_what_is_unpacked_in_all_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 10)
    source = ArchiveSource(write(tmp_path / "a.zip", {"a.md": b"x" * 8, "b.md": b"y" * 8}))
    assert b"".join(source.chunks("a.md")) == b"x" * 8

    with pytest.raises(InvalidRequest) as refused:
        list(source.chunks("b.md"))
    assert refused.value.code == "too_large"


def test_an_archive_of_too_many_entries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ENTRIES", 2)
    with pytest.raises(InvalidRequest) as refused:
        ArchiveSource(write(tmp_path / "a.zip", {f"{number}.md": b"" for number in range(3)}))
    assert refused.value.code == "too_many_entries"
