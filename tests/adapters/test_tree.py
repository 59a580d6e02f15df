"""Walking and reading folders of documents."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters import tree as module
from satchel.adapters.tree import DocumentTree
from satchel.domain.code.kinds import kind_of
from satchel.domain.document import FileText, FoundFile, SkippedFile
from satchel.errors import SatchelError

MOST = 10_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> DocumentTree:
    return DocumentTree(tmp_path / "store", lambda path: kind_of(path) is not None)


def walked(tree: DocumentTree, root: Path, *globs: str) -> dict[str, str]:
    """Return the paths of a walk, each with its outcome."""
    found = tree.walk(str(root), globs, max_bytes=MOST)
    return {one.path: one.reason if isinstance(one, SkippedFile) else "" for one in found}


def write(root: Path, path: str, content: bytes | str = "text\n") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


class TestWalk:
    def test_files_come_by_path_with_size_and_time(self, tree: DocumentTree, root: Path) -> None:
        for path in ("b.md", "a/z.py", "a/b.txt", "a.bin", "noext"):
            write(root, path)

        found = list(tree.walk(str(root), (), max_bytes=MOST))

        assert [one.path for one in found] == ["a/b.txt", "a/z.py", "b.md"]
        about = (root / "b.md").stat()
        assert found[-1] == FoundFile("b.md", about.st_size, about.st_mtime_ns)

    def test_links_and_special_files_are_skipped_with_the_reason(
        self, tree: DocumentTree, root: Path, tmp_path: Path
    ) -> None:
        write(tmp_path, "outside/secret.md")
        (root / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
        (root / "inside.md").symlink_to(root / "good.md")
        (root / "folder").symlink_to(tmp_path / "outside")
        os.mkfifo(root / "pipe.md")
        write(root, "large.md", "x" * (MOST + 1))
        write(root, "good.md")

        assert walked(tree, root) == {
            "folder": "symlink",
            "good.md": "",
            "inside.md": "symlink",
            "large.md": "too_large",
            "link.md": "symlink",
            "pipe.md": "not_a_file",
        }

    def test_unprintable_names_are_skipped(self, tree: DocumentTree, root: Path) -> None:
        write(root, "two\nlines.md")
        (Path(os.fsdecode(os.fsencode(str(root)) + b"/\xff.md"))).write_text("x", encoding="utf-8")

        assert walked(tree, root) == {"\\udcff.md": "unreadable_name", "two\\nlines.md": "unreadable_name"}

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
    def test_an_unreadable_folder_is_reported(self, tree: DocumentTree, root: Path) -> None:
        write(root, "closed/a.md")
        (root / "closed").chmod(0)
        try:
            assert walked(tree, root) == {"closed": "not_permitted"}
        finally:
            (root / "closed").chmod(0o700)

    def test_a_walk_stops_at_the_maximum_depth(self, tree: DocumentTree, root: Path) -> None:
        write(root, "/".join(["d"] * 70) + "/deep.md")
        write(root, "here.md")

        found = walked(tree, root)

        assert found.pop("here.md") == ""
        assert list(found.values()) == ["too_deep"]

    def test_the_store_itself_is_skipped(self, root: Path) -> None:
        write(root, "store/ledger.md")
        write(root, "a.md")

        assert walked(DocumentTree(root / "store", lambda path: kind_of(path) is not None), root) == {"a.md": ""}


class TestIgnored:
    def test_ignored_files_are_skipped(self, tree: DocumentTree, root: Path) -> None:
        write(root, ".gitignore", "build/\n*.log\n!keep.log\n/only-top.md\n")
        write(root, "sub/.gitignore", "*.txt\n!*.log\n")
        for path in (
            "build/a.md",
            "x.log",
            "keep.log",
            "only-top.md",
            "sub/only-top.md",
            "sub/a.txt",
            "sub/b.log",
            "c.txt",
        ):
            write(root, path)
        write(root, ".git/notes.md")

        assert set(walked(tree, root)) == {"keep.log", "sub/only-top.md", "sub/b.log", "c.txt"}

    def test_a_folder_inside_a_repository_follows_its_ignore_rules(self, tree: DocumentTree, root: Path) -> None:
        write(root, ".git/HEAD")
        write(root, ".gitignore", "docs/drafts/\n")
        write(root, "docs/drafts/a.md")
        write(root, "docs/b.md")

        assert set(walked(tree, root / "docs")) == {"b.md"}

    @pytest.mark.parametrize(
        "content", [b"\xff\xfe\n*.md\n", b"[\n!\n*.md\n", b"*a*a*a*a*a*a*a*b\n*.md\n", b"[b-a]\n*.md\n"]
    )
    def test_invalid_ignore_lines_do_not_disable_the_others(
        self, tree: DocumentTree, root: Path, content: bytes
    ) -> None:
        write(root, ".gitignore", content)
        write(root, "a" * 200 + ".md")
        write(root, "b.txt")

        assert set(walked(tree, root)) == {"b.txt"}

    def test_a_gitignore_that_is_a_pipe_is_not_waited_for(self, tree: DocumentTree, root: Path) -> None:
        os.mkfifo(root / ".gitignore")
        write(root, "a.md")

        assert walked(tree, root) == {"a.md": ""}


class TestPatterns:
    def test_patterns_include_and_exclude(self, tree: DocumentTree, root: Path) -> None:
        for path in ("a.md", "x/b.md", "x/c.weird", "x/drafts/d.md"):
            write(root, path)

        assert set(walked(tree, root, "**/*.md")) == {"a.md", "x/b.md", "x/drafts/d.md"}
        assert set(walked(tree, root, "*.md", "!drafts/")) == {"a.md", "x/b.md"}
        assert set(walked(tree, root, "!drafts/")) == {"a.md", "x/b.md"}
        assert set(walked(tree, root, "*.weird")) == {"x/c.weird"}

    @pytest.mark.parametrize("glob", ["[<!-- x].md", "[[a].md", "[a||b].md"])
    def test_brackets_that_python_warns_of_are_patterns(self, tree: DocumentTree, root: Path, glob: str) -> None:
        write(root, "x.md")
        write(root, "sub/.gitignore", f"{glob}\n")

        assert set(walked(tree, root, "*.md")) == {"x.md"}
        assert set(walked(tree, root, glob)) <= {"x.md"}

    @pytest.mark.parametrize("glob", ["", "  ", "../*.md", "a/../../b", "*a*a*a*a*", "x\0", "[b-a].md"])
    def test_invalid_patterns_are_refused(self, tree: DocumentTree, root: Path, glob: str) -> None:
        with pytest.raises(SatchelError) as refused:
            walked(tree, root, glob)

        assert refused.value.code in {"invalid_pattern", "outside_root"}

    def test_a_place_is_a_folder_a_file_or_a_pattern(self, tree: DocumentTree, root: Path) -> None:
        write(root, "a [1].md")
        write(root, "sub/b.md")

        for place, expected in {
            str(root): {"a [1].md", "sub/b.md"},
            str(root / "a [1].md"): {"a [1].md"},
            str(root / "**" / "b.*"): {"sub/b.md"},
            str(root / "sub" / "*.md"): {"b.md"},
        }.items():
            located = tree.locate(place)
            assert set(walked(tree, Path(located.root), *located.globs)) == expected

    def test_a_pattern_enters_only_the_folders_that_it_can_match_in(
        self, tree: DocumentTree, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for path in ("x1.md", "docs1/a.md", "docs1/deep/b.md", "other/deep/c.md", "docs2/d.md"):
            write(root, path)
        entered = list[str]()
        enter = module._open_folder

        def noted(name: str, *above: int) -> int:
            entered.append(Path(name).name)
            return enter(name, *above)

        monkeypatch.setattr(module, "_open_folder", noted)

        assert set(walked(tree, root, "/x?.md")) == {"x1.md"}
        assert entered == [root.name]
        entered.clear()
        assert set(walked(tree, root, "/docs*")) == {"docs1/a.md", "docs1/deep/b.md", "docs2/d.md"}
        assert "other" not in entered
        assert set(walked(tree, root, "/docs?/*.md")) == {"docs1/a.md", "docs2/d.md"}

    @pytest.mark.parametrize("place", ["", "nowhere", "nowhere/*.md", "x\0y", "~nobody-of-that-name/x"])
    def test_invalid_places_are_refused(self, tree: DocumentTree, place: str) -> None:
        with pytest.raises(SatchelError) as refused:
            tree.locate(place)

        assert refused.value.code in {"invalid_path", "no_such_file"}

    def test_the_store_is_refused_as_a_place(self, tree: DocumentTree, tmp_path: Path) -> None:
        (tmp_path / "store" / "index").mkdir(parents=True)

        with pytest.raises(SatchelError) as refused:
            tree.locate(str(tmp_path / "store" / "index"))

        assert refused.value.code == "inside_store"


class TestRead:
    def read(self, tree: DocumentTree, root: Path, path: str) -> str:
        found = tree.read(str(root), path, max_bytes=MOST)
        return found.reason if isinstance(found, SkippedFile) else found.text

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            (b"plain", "plain"),
            ("雪\r\n".encode(), "雪\r\n"),
            (b"\xef\xbb\xbfmarked", "marked"),
            ("wide".encode("utf-16"), "wide"),
            (b"form\x0cfeed\x1b[0m", "form feed [0m"),
            (b"a\0b", "binary"),
            (b"x" * 9_000 + b"\0", "binary"),
            (b"\xc3\x28", "not_utf8"),
            (b"\xff\xfe\0", "not_utf8"),
            (b"\x7fELF\x02\x01\x01\x00", "binary"),
        ],
    )
    def test_a_file_is_read_as_text_or_skipped(
        self, tree: DocumentTree, root: Path, content: bytes, expected: str
    ) -> None:
        write(root, "a.md", content)

        assert self.read(tree, root, "a.md") == expected

    def test_links_and_pipes_are_not_read(self, tree: DocumentTree, root: Path, tmp_path: Path) -> None:
        write(tmp_path, "outside/a.md", "secret")
        (root / "link.md").symlink_to(tmp_path / "outside" / "a.md")
        (root / "folder").symlink_to(tmp_path / "outside")
        os.mkfifo(root / "pipe.md")

        assert self.read(tree, root, "link.md") == "symlink"
        assert self.read(tree, root, "folder/a.md") == "gone"
        assert self.read(tree, root, "pipe.md") == "not_a_file"
        assert self.read(tree, root, "../outside/a.md") == "unreadable"
        assert self.read(tree, root, "nothing.md") == "gone"

    def test_a_file_that_has_grown_too_large_is_skipped(self, tree: DocumentTree, root: Path) -> None:
        write(root, "a.md", "x" * (MOST + 1))

        assert self.read(tree, root, "a.md") == "too_large"

    def test_a_file_that_keeps_changing_is_skipped_for_now(
        self, tree: DocumentTree, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = write(root, "a.md", "one")
        whole = module._whole

        def read_while_it_grows(handle: int, max_bytes: int) -> bytes:
            content = whole(handle, max_bytes)
            file.write_text(file.read_text(encoding="utf-8") + "more", encoding="utf-8")
            return content

        monkeypatch.setattr(module, "_whole", read_while_it_grows)
        found = tree.read(str(root), "a.md", max_bytes=MOST)

        assert found == SkippedFile("a.md", "changed_while_read", lasting=False)

    def test_a_file_that_changes_once_is_read_again(
        self, tree: DocumentTree, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = write(root, "a.md", "one")
        whole, changes = module._whole, iter(["two"])

        def read_while_it_changes(handle: int, max_bytes: int) -> bytes:
            content = whole(handle, max_bytes)
            for change in changes:
                file.write_text(change + " and more", encoding="utf-8")
            return content

        monkeypatch.setattr(module, "_whole", read_while_it_changes)
        found = tree.read(str(root), "a.md", max_bytes=MOST)

        assert isinstance(found, FileText)
        assert found.text == "two and more"


HANDLES = Path("/proc/self/fd")


@pytest.fixture(autouse=True)
def _no_handles_left() -> Iterator[None]:
    """Every opened folder and file must be closed again."""
    before = len([*HANDLES.iterdir()]) if HANDLES.exists() else 0
    yield
    assert not HANDLES.exists() or len([*HANDLES.iterdir()]) <= before
