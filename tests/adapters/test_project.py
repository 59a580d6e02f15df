"""The project of a folder, in every layout of git that people and attackers use."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.adapters.project import project_scope
from tests.tables import each_case, fresh_folder

CONFIG = '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://github.com/Acme/Shop.git\n\tfetch = +refs\n'


def repository(folder: Path, config: str | bytes = CONFIG) -> Path:
    own = folder / ".git"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (own / "config").write_bytes(config.encode() if isinstance(config, str) else config)
    return folder


def worktree(main: Path, folder: Path) -> Path:
    own = main / ".git" / "worktrees" / folder.name
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n", encoding="utf-8")
    folder.mkdir(parents=True)
    (folder / ".git").write_text(f"gitdir: {own}\n", encoding="utf-8")
    return folder


def submodule(main: Path, name: str, config: str) -> Path:
    own = main / ".git" / "modules" / name
    own.mkdir(parents=True)
    (own / "config").write_text(config, encoding="utf-8")
    (main / name).mkdir()
    (main / name / ".git").write_text(f"gitdir: ../.git/modules/{name}\n", encoding="utf-8")
    return main / name


def made(path: Path, *files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name in files:
        (path / name).write_text("", encoding="utf-8")
    return path


Layout = Callable[[Path], Path]
LAYOUTS: list[tuple[str, Layout, str | None]] = [
    ("a clone", lambda at: repository(at / "shop"), "project/acme/shop"),
    ("a renamed clone", lambda at: repository(at / "my copy"), "project/acme/shop"),
    ("a folder inside", lambda at: made(repository(at / "shop") / "src" / "api"), "project/acme/shop"),
    ("a package inside", lambda at: made(repository(at / "x") / "web", "package.json"), "project/acme/shop"),
    ("a worktree", lambda at: worktree(repository(at / "shop"), at / "shop-fix"), "project/acme/shop"),
    ("a worktree without a remote", lambda at: worktree(repository(at / "cart", ""), at / "fix"), "project/cart"),
    (
        "a submodule",
        lambda at: submodule(repository(at / "shop"), "lib", '[remote "origin"]\nurl = git@host:acme/lib.git\n'),
        "project/acme/lib",
    ),
    ("a submodule without a remote", lambda at: submodule(repository(at / "shop"), "lib", ""), "project/lib"),
    ("no remote", lambda at: repository(at / "My Shop", "[core]\n"), "project/my-shop"),
    ("no config", lambda at: repository(at / "shop", b""), "project/shop"),
    (
        "origin among others",
        lambda at: repository(at / "x", '[remote "a"]\nurl = host:a/a\n' + CONFIG),
        "project/acme/shop",
    ),
    (
        "without origin",
        lambda at: repository(at / "x", '[remote "z"]\nurl=h1:z/z\n[remote "b"]\nurl=h1:b/b\n'),
        "project/b/b",
    ),
    (
        "an unusable origin",
        lambda at: repository(at / "x", '[remote "origin"]\nurl=https://host\n[remote "b"]\nurl=h1:b/b\n'),
        "project/b/b",
    ),
    ("on one line", lambda at: repository(at / "x", '[REMOTE "origin"] url = "h1:a/b" ; note'), "project/a/b"),
    ("a comment after", lambda at: repository(at / "x", '[remote "origin"]\n url = h1:a/b # c/d\n'), "project/a/b"),
    ("Windows lines", lambda at: repository(at / "x", CONFIG.replace("\n", "\r\n")), "project/acme/shop"),
    ("a password", lambda at: repository(at / "x", CONFIG.replace("https://", "https://a:b/c@")), "project/acme/shop"),
    ("another section", lambda at: repository(at / "x", '[branch "m"]\nurl = h1:a/b\n'), "project/x"),
    ("a binary config", lambda at: repository(at / "x", bytes(range(256)) * 100), "project/x"),
    ("a huge config", lambda at: repository(at / "x", CONFIG.encode() + b"#" * 5_000_000), "project/acme/shop"),
    ("a huge line", lambda at: repository(at / "x", '[remote "origin"]\nurl = ' + "a/" * 100_000), "project/x"),
    ("a stray .git folder", lambda at: made(made(at / "y" / ".git").parent), "project/y"),
    ("a .git file that points nowhere", lambda at: pointing(at / "y", "gitdir: /nowhere/at/all"), "project/y"),
    ("a .git file with nonsense", lambda at: pointing(at / "y", "\0\0\0" * 9), "project/y"),
    ("a .git file that points at itself", lambda at: pointing(at / "y", "gitdir: .git"), "project/y"),
    ("a project file", lambda at: made(made(at / "api", "pyproject.toml") / "src"), "project/api"),
    ("nested project files", lambda at: made(made(at / "a", "go.mod") / "b", "package.json"), "project/b"),
    ("a plain folder", lambda at: made(at / "Notes 2026"), "project/notes-2026"),
    ("a folder that is gone", lambda at: at / "gone" / "shop", "project/shop"),
    ("a Chinese folder", lambda at: made(at / "商店"), "project/unnamed-61f96c6a"),
    ("the root folder", lambda at: Path("/"), None),
]


def pointing(folder: Path, content: str) -> Path:
    made(folder, ".git")
    (folder / ".git").write_text(content, encoding="utf-8")
    return folder


@each_case(("name", "layout", "expected"), LAYOUTS, ids=[name for name, _, _ in LAYOUTS])
def test_every_layout(tmp_path: Path, name: str, layout: Layout, expected: str | None) -> None:
    assert project_scope(str(layout(fresh_folder(tmp_path)))) == expected


def test_the_home_folder_is_no_project_and_hides_nothing_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(repository(tmp_path / "alice")))
    assert project_scope(str(tmp_path / "alice")) is None
    assert project_scope(str(made(tmp_path / "alice" / "notes"))) == "project/notes"


def test_links_pipes_and_odd_names(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    (tmp_path / "link").symlink_to(shop)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    piped = made(repository(tmp_path / "piped", ""))
    (piped / ".git" / "config").unlink()
    os.mkfifo(piped / ".git" / "config")

    assert project_scope(str(tmp_path / "link")) == "project/acme/shop"
    assert project_scope(str(tmp_path / "loop")) == "project/loop"
    assert project_scope(str(piped)) == "project/piped"
    assert project_scope("/x\0y") is None
    assert project_scope("/" + "a/" * 5_000) is not None


def test_a_path_that_no_system_opens_is_no_project() -> None:
    assert project_scope("../" * 20_000) is None
