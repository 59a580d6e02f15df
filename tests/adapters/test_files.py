"""Search and checks of the files of a store."""

from pathlib import Path

import pytest

from satchel.adapters import files
from satchel.adapters.files import StoreFolder
from satchel.ports import FileSearch
from tests.tables import each_case


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "index" / "memories.lance").mkdir(parents=True)
    for path in (home, home / "index", home / "index" / "memories.lance"):
        path.chmod(0o700)
    contents = {"ledger.sqlite3-wal": b"a walrus here", "index/memories.lance/x": b"\0\xff" * 10, "serve.log": b""}
    for name, content in contents.items():
        (home / name).write_bytes(content)
        (home / name).chmod(0o600)
    return home


def permissions(folder: Path, *, fix: bool = False) -> str:
    return next(one.status for one in StoreFolder(folder).check_up(fix=fix) if one.check == "permissions")


def test_a_search_returns_the_files_that_contain_a_needle(folder: Path) -> None:
    store = StoreFolder(folder)
    assert store.folder == str(folder)
    assert store.search([b"walrus", b"narwhal"]) == FileSearch(3, 33, ("ledger.sqlite3-wal",))
    assert store.search([b"\xff\0"]).holding == ("index/memories.lance/x",)
    assert store.search([b"narwhal"]).holding == store.search([]).holding == ()


@pytest.mark.parametrize("at", range(-12, 3))
def test_a_needle_across_two_chunks_is_found(folder: Path, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK_BYTES", 64)
    for piece in (64, 128):
        (folder / "large").write_bytes(b"." * (piece + at) + b"walrus tusk" + b"." * 100)
        assert StoreFolder(folder).search([b"x", b"walrus tusk"]).holding == ("large",)


def test_a_needle_longer_than_a_chunk_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK_BYTES", 4)
    assert StoreFolder(folder).search([b"a walrus here"]).holding == ("ledger.sqlite3-wal",)


def test_files_open_to_others_are_reported_and_fixed(folder: Path) -> None:
    assert permissions(folder) == "ok"
    (folder / "ledger.sqlite3-wal").chmod(0o604)
    (folder / "index").chmod(0o750)
    assert permissions(folder) == "warning"
    assert permissions(folder, fix=True) == "ok"
    assert permissions(folder) == "ok"
    assert [
        (folder / name).stat().st_mode & 0o777 for name in ("ledger.sqlite3-wal", "index", "index/memories.lance/x")
    ] == [
        0o600,
        0o700,
        0o600,
    ]


def test_only_what_satchel_made_is_closed(folder: Path) -> None:
    """A store may be made in a folder that was there before, with programs and folders of the same names."""
    names = (
        "run.sh", "serve.py", "ledger.sqlite3.sh", "index/build.sh", "index/poetry.lock", "index/theirs.lance/x", "spool/print.sh",
        "spool/notes.jsonl", "artifacts/app/run.sh", "artifacts/ab/run.sh", "installs/setup.sh", "rollout/plan.sh",
    )  # fmt: skip
    theirs = [folder / name for name in names]
    for path in theirs:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
        path.chmod(0o755)
        path.parent.chmod(0o755)
    ours = folder / "index" / "memories.lance" / "x"
    ours.chmod(0o744)
    assert permissions(folder) == "warning"
    assert permissions(folder, fix=True) == permissions(folder) == "ok"
    assert {path.stat().st_mode & 0o777 for path in [*theirs, *(path.parent for path in theirs)]} == {0o755}
    # The owner's own permissions are the owner's.
    assert ours.stat().st_mode & 0o777 == 0o700


def test_the_folder_that_a_linked_ledger_is_in_stays_open(folder: Path) -> None:
    folder.chmod(0o755)
    (finding, _) = StoreFolder(folder, linked=True).check_up(fix=True)
    assert finding.status == "ok"
    assert folder.stat().st_mode & 0o777 == 0o755
    assert permissions(folder) == "warning"


def test_little_space_is_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def space() -> str:
        return next(one.status for one in StoreFolder(folder).check_up() if one.check == "disk space")

    monkeypatch.setattr(files, "LOW_SPACE_BYTES", 1)
    assert space() == "ok"
    monkeypatch.setattr(files, "LOW_SPACE_BYTES", 1 << 80)
    assert space() == "warning"


def test_a_dangling_link_is_ignored(folder: Path) -> None:
    (folder / "dangling").symlink_to(folder / "nowhere")
    assert StoreFolder(folder).search([b"walrus"]).holding == ("ledger.sqlite3-wal",)
    assert permissions(folder, fix=True) == permissions(folder) == "ok"


def test_the_target_of_a_link_keeps_its_permissions(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.touch()
    outside.chmod(0o644)
    (folder / "link").symlink_to(outside)
    assert permissions(folder, fix=True) == "ok"
    assert outside.stat().st_mode & 0o777 == 0o644


@each_case("name", ["spool", "index", "installs", "index/memories.lance"])
def test_what_is_behind_a_linked_folder_keeps_its_permissions(folder: Path, name: str) -> None:
    outside = folder.parent / name.replace("/", "-")
    theirs = [outside / below for below in ("00000001.jsonl", "writer.lock", "installs.json", "data/x")]
    for path in theirs:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
        path.chmod(0o644)
    if (folder / name).exists():
        (folder / name).rename(folder.parent / "before")
    (folder / name).symlink_to(outside)
    assert permissions(folder, fix=True) == "ok"
    assert {path.stat().st_mode & 0o777 for path in theirs} == {0o644}


def test_a_file_that_disappears_meanwhile_is_ignored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may compact the index, or remove the log when it closes the ledger."""
    listed = Path.glob

    def and_then_one_goes(self: Path, pattern: str) -> list[Path]:
        found = [path for path in listed(self, pattern) if path.exists()]
        if (folder / "ledger.sqlite3-wal").exists():
            (folder / "ledger.sqlite3-wal").unlink()
        return found

    monkeypatch.setattr(Path, "glob", and_then_one_goes)
    assert permissions(folder) == "ok"
    (folder / "ledger.sqlite3-wal").write_bytes(b"a walrus again")
    monkeypatch.setattr(Path, "is_file", lambda self: self.name not in ("index", "memories.lance"))
    assert StoreFolder(folder).search([b"narwhal"]).holding == ()


@each_case("name", [".config.toml.x1y2z3", ".serve.tokens.x1y2z3", "rollout/.state.json.x1y2z3"])
def test_files_that_a_killed_process_left_are_reported_and_removed(folder: Path, name: str) -> None:
    left = folder / name
    left.parent.mkdir(exist_ok=True)
    left.write_text('api_key = "half of a k', encoding="utf-8")

    def status(*, fix: bool) -> list[str]:
        return [one.status for one in StoreFolder(folder).check_up(fix=fix) if one.check == "unfinished files"]

    assert (status(fix=False), left.exists()) == (["warning"], True)
    assert (status(fix=True), left.exists()) == (["ok"], False)
    assert status(fix=False) == []
