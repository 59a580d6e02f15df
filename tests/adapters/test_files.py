"""Search and checks of the files of a store."""

from pathlib import Path

import pytest

from satchel.adapters import files
from satchel.adapters.files import StoreFolder
from satchel.ports import FileSearch


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "index" / "data").mkdir(parents=True)
    for path in (home, home / "index", home / "index" / "data"):
        path.chmod(0o700)
    for name, content in {"ledger": b"a walrus here", "index/data/x": b"\0\xff" * 10, "empty": b""}.items():
        (home / name).write_bytes(content)
        (home / name).chmod(0o600)
    return home


def permissions(folder: Path, *, fix: bool = False) -> str:
    return next(one.status for one in StoreFolder(folder).check_up(fix=fix) if one.check == "permissions")


def test_a_search_returns_the_files_that_contain_a_needle(folder: Path) -> None:
    store = StoreFolder(folder)
    assert store.folder == str(folder)
    assert store.search([b"walrus", b"narwhal"]) == FileSearch(3, 33, ("ledger",))
    assert store.search([b"\xff\0"]).holding == ("index/data/x",)
    assert store.search([b"narwhal"]).holding == store.search([]).holding == ()


@pytest.mark.parametrize("at", range(-12, 3))
def test_a_needle_across_two_chunks_is_found(folder: Path, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK_BYTES", 64)
    for piece in (64, 128):
        (folder / "large").write_bytes(b"." * (piece + at) + b"walrus tusk" + b"." * 100)
        assert StoreFolder(folder).search([b"x", b"walrus tusk"]).holding == ("large",)


def test_a_needle_longer_than_a_chunk_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK_BYTES", 4)
    assert StoreFolder(folder).search([b"a walrus here"]).holding == ("ledger",)


def test_files_open_to_others_are_reported_and_fixed(folder: Path) -> None:
    assert permissions(folder) == "ok"
    (folder / "ledger").chmod(0o604)
    (folder / "index").chmod(0o750)
    assert permissions(folder) == "warning"
    assert permissions(folder, fix=True) == "ok"
    assert permissions(folder) == "ok"
    assert [(folder / name).stat().st_mode & 0o777 for name in ("ledger", "index", "index/data/x")] == [
        0o600,
        0o700,
        0o600,
    ]


def test_little_space_is_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def space() -> str:
        return next(one.status for one in StoreFolder(folder).check_up() if one.check == "disk space")

    monkeypatch.setattr(files, "LOW_SPACE_BYTES", 1)
    assert space() == "ok"
    monkeypatch.setattr(files, "LOW_SPACE_BYTES", 1 << 80)
    assert space() == "warning"


def test_a_dangling_link_is_ignored(folder: Path) -> None:
    (folder / "dangling").symlink_to(folder / "nowhere")
    assert StoreFolder(folder).search([b"walrus"]).holding == ("ledger",)
    assert permissions(folder, fix=True) == permissions(folder) == "ok"


def test_the_target_of_a_link_keeps_its_permissions(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.touch()
    outside.chmod(0o644)
    (folder / "link").symlink_to(outside)
    assert permissions(folder, fix=True) == "ok"
    assert outside.stat().st_mode & 0o777 == 0o644


def test_a_file_that_disappears_meanwhile_is_ignored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may compact the index, or remove the log when it closes the ledger."""
    listed = Path.rglob

    def and_then_one_goes(self: Path, pattern: str) -> list[Path]:
        found = [path for path in listed(self, pattern) if path.exists()]
        if (folder / "ledger").exists():
            (folder / "ledger").unlink()
        return found

    monkeypatch.setattr(Path, "rglob", and_then_one_goes)
    assert permissions(folder) == "ok"
    (folder / "ledger").write_bytes(b"a walrus again")
    monkeypatch.setattr(Path, "is_file", lambda self: self.name not in ("index", "data"))
    assert StoreFolder(folder).search([b"narwhal"]).holding == ()
