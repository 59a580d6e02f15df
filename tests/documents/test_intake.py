"""Documents are ingested once, follow their files, and skip what cannot be read."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters import tree as tree_module
from satchel.app import Satchel
from satchel.documents.values import DocsIngested
from satchel.errors import SatchelError

KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dE6"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    return folder


def write(root: Path, path: str, text: str | bytes, at: int = 1_700_000_000) -> Path:
    """Write a file with an old modification time, which is reliable."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(file, (at, at))
    return file


def ingest(memory: Satchel, root: Path, **more: Any) -> DocsIngested:
    return memory.documents.ingest(str(root), **more).result


def paths(memory: Satchel, **more: Any) -> list[str]:
    return [one.path for one in memory.documents.list(**more).result.documents]


def found(memory: Satchel, query: str, **more: Any) -> list[str]:
    """Return the paths found by a lexical search, best first."""
    hits = memory.documents.search(query, mode="search", **more).result.hits
    return list(dict.fromkeys(hit.path for hit in hits))


def counts(done: DocsIngested) -> tuple[int, int, int, int]:
    return done.added, done.changed, done.unchanged, done.removed


class TestFollowing:
    def test_a_second_run_changes_nothing(self, memory: Satchel, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(root, "a.md", "# Tea\n\nGreen tea at four.\n")
        write(root, "b.py", "def pour_tea():\n    pass\n")
        first = ingest(memory, root)
        receipts = len(memory.maintenance.receipts_list().result)

        def nothing_is_read(*_: Any, **__: Any) -> None:
            raise AssertionError("a file was read that has not changed")

        monkeypatch.setattr(tree_module, "_read", nothing_is_read)
        again = ingest(memory, root)

        assert counts(first) == (2, 0, 0, 0)
        assert counts(again) == (0, 0, 2, 0)
        assert (again.batches, again.chunks_inserted, again.chunks_updated) == (0, 0, 0)
        assert len(memory.maintenance.receipts_list().result) == receipts

    def test_a_changed_file_is_found_by_its_new_words_only(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "# Tea\n\nGreen tea at four.\n\n# Coffee\n\nNever.\n")
        ingest(memory, root)
        write(root, "a.md", "# Tea\n\nOolong at five.\n\n# Coffee\n\nNever.\n", at=1_700_000_100)

        done = ingest(memory, root)

        assert counts(done) == (0, 1, 0, 0)
        assert (done.chunks_inserted, done.chunks_updated, done.chunks_deleted, done.chunks_unchanged) == (0, 1, 0, 1)
        assert found(memory, "oolong") == ["a.md"]
        assert found(memory, "green") == []

    def test_a_moved_chunk_keeps_its_citation_and_gets_new_lines(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "# Tea\n\nGreen tea at four.\n")
        ingest(memory, root)
        [before] = memory.documents.search("green tea", mode="search").result.hits
        write(root, "a.md", "# New\n\nAbove.\n\n# Tea\n\nGreen tea at four.\n", at=1_700_000_100)

        ingest(memory, root)

        [after] = [
            hit for hit in memory.documents.search("green tea", mode="search").result.hits if "Green" in hit.text
        ]
        assert after.citation == before.citation
        assert (before.first_line, after.first_line) == (1, 5)

    def test_a_touched_file_is_read_and_unchanged(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "tea\n")
        ingest(memory, root)
        write(root, "a.md", "tea\n", at=1_700_000_100)

        assert counts(ingest(memory, root)) == (0, 0, 1, 0)
        assert counts(ingest(memory, root)) == (0, 0, 1, 0)

    def test_a_recently_changed_file_is_checked_again(self, memory: Satchel, root: Path) -> None:
        file = write(root, "a.md", "tea one\n")
        now = memory.parts.clock.now() / 1000
        os.utime(file, (now, now))
        ingest(memory, root)
        file.write_text("tea two\n", encoding="utf-8")
        # The same size and the same tick: only its content tells.
        os.utime(file, (now, now))

        assert counts(ingest(memory, root)) == (0, 1, 0, 0)
        assert found(memory, "two") == ["a.md"]

    def test_deleted_files_are_removed_and_renames_counted(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "tea in the morning\n")
        write(root, "b.md", "coffee at night\n")
        ingest(memory, root)
        (root / "a.md").rename(root / "c.md")
        (root / "b.md").unlink()

        done = ingest(memory, root)

        assert (counts(done), done.renamed) == ((1, 0, 0, 2), 1)
        assert paths(memory) == ["c.md"]
        assert (found(memory, "tea"), found(memory, "coffee")) == (["c.md"], [])

    def test_newly_ignored_files_are_removed(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "tea\n")
        ingest(memory, root)
        write(root, ".gitignore", "a.md\n")

        assert counts(ingest(memory, root)) == (0, 0, 0, 1)

    def test_other_patterns_do_not_remove_uncovered_documents(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "tea\n")
        write(root, "b.py", "def tea(): pass\n")
        ingest(memory, root)

        done = ingest(memory, root, globs=("*.py",))

        assert (counts(done), paths(memory)) == ((0, 0, 1, 0), ["a.md", "b.py"])

    def test_another_chunk_size_chunks_everything_again(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "\n\n".join(f"paragraph {number} " + "word " * 20 for number in range(10)))
        first = ingest(memory, root)

        smaller = ingest(memory, root, max_chunk_chars=200)

        assert (first.chunks_inserted, smaller.changed, smaller.chunks_inserted > 1) == (1, 1, True)

    def test_an_inaccessible_folder_loses_nothing(
        self, memory: Satchel, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(root, "closed/a.md", "tea\n")
        write(root, "b.md", "coffee\n")
        ingest(memory, root)
        opened = tree_module._open_folder

        def refusing(name: str, above: int | None = None) -> int:
            if name == "closed":
                raise PermissionError(13, "Permission denied")
            return opened(name, above)

        monkeypatch.setattr(tree_module, "_open_folder", refusing)
        done = ingest(memory, root)

        assert (counts(done), dict(done.skipped_for)) == ((0, 0, 1, 0), {"not_permitted": 1})
        assert paths(memory) == ["b.md", "closed/a.md"]

    def test_a_file_that_becomes_binary_is_removed(self, memory: Satchel, root: Path) -> None:
        write(root, "a.md", "tea\n")
        ingest(memory, root)
        write(root, "a.md", b"tea\0", at=1_700_000_100)

        done = ingest(memory, root)

        assert (counts(done), dict(done.skipped_for)) == ((0, 0, 0, 1), {"binary": 1})
        assert found(memory, "tea") == []


class TestHostile:
    def test_unreadable_files_are_reported_and_the_rest_ingested(
        self, memory: Satchel, root: Path, tmp_path: Path
    ) -> None:
        write(tmp_path, "outside.md", "out of reach\n")
        (root / "link.md").symlink_to(tmp_path / "outside.md")
        os.mkfifo(root / "pipe.md")
        with (root / "huge.md").open("wb") as file:
            file.truncate(100_000_000)
        write(root, "binary.md", b"\x00\x01\x02")
        write(root, "invalid.md", b"caf\xe9 \xff")
        write(root, "deep.md", ">" * 5_000 + " deep\n")
        write(root, "deep.py", "(" * 50_000)
        write(root, "good.md", "tea\n")

        done = ingest(memory, root)

        assert {one.path: one.reason for one in done.skipped} == {
            "binary.md": "binary",
            "huge.md": "too_large",
            "invalid.md": "not_utf8",
            "link.md": "symlink",
            "pipe.md": "not_a_file",
        }
        assert paths(memory) == ["deep.md", "deep.py", "good.md"]
        assert found(memory, "reach") == []

    def test_secrets_are_masked_before_anything_is_stored(self, memory: Satchel, root: Path) -> None:
        key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEAx1y2z3\n" * 6 + "-----END RSA PRIVATE KEY-----\n"
        write(root, "a.md", f"# Token\n\ntoken: {KEY}\n\n{key}\n# After\n\nthe end\n")

        done = ingest(memory, root)

        assert done.secrets_masked >= 2
        assert not memory.parts.files.search([KEY.encode(), b"MIIEpAIBAAKCAQEAx1y2z3"]).holding
        [after] = [hit for hit in memory.documents.search("the end", mode="search").result.hits if hit.title == "After"]
        lines = (root / "a.md").read_text(encoding="utf-8").splitlines()
        assert lines[after.first_line - 1] == "# After"

    def test_no_absolute_path_is_stored(self, memory: Satchel, root: Path) -> None:
        write(root, "sub/a.md", "tea\n")

        ingest(memory, root)

        assert not memory.parts.files.search([str(root).encode()]).holding
        [hit] = memory.documents.search("tea", mode="search").result.hits
        assert hit.citation.startswith("doc:handbook:sub/a.md#")

    @pytest.mark.parametrize("name", ["", "../x", "a b", "x" * 65, "a:b", ".hidden"])
    def test_an_invalid_collection_name_is_rejected(self, memory: Satchel, root: Path, name: str) -> None:
        with pytest.raises(SatchelError) as refused:
            ingest(memory, root, collection=name)

        assert refused.value.code == "invalid_collection"

    def test_another_folder_of_the_same_name_is_a_conflict(self, memory: Satchel, root: Path, tmp_path: Path) -> None:
        write(root, "a.md", "tea\n")
        ingest(memory, root)
        other = tmp_path / "elsewhere" / "handbook"
        write(other, "b.md", "coffee\n")

        with pytest.raises(SatchelError) as refused:
            ingest(memory, other)
        ingest(memory, other, collection="other")

        assert refused.value.code == "collection_taken"
        assert paths(memory) == ["a.md", "b.md"]


class TestTexts:
    def test_texts_are_ingested_once_without_files(self, memory: Satchel) -> None:
        texts = [
            {"ref": "one", "text": "def pour_tea():\n    return 1\n", "language": "python"},
            {"ref": "two", "text": "# Coffee\n\nNever.\n", "path": "two.md"},
        ]

        first = memory.documents.add(texts, collection="given").result
        again = memory.documents.add(texts, collection="given").result
        changed = memory.documents.add([{"ref": "one", "text": "oolong"}], collection="given").result

        assert [counts(one) for one in (first, again, changed)] == [(2, 0, 0, 0), (0, 0, 2, 0), (0, 1, 0, 0)]
        assert [hit.ref for hit in memory.documents.search("oolong", mode="search").result.hits] == ["one"]
        assert [hit.heading for hit in memory.documents.search("coffee", mode="search").result.hits] == [("Coffee",)]

    @pytest.mark.parametrize(
        "texts",
        [
            [{}],
            [{"ref": "", "text": "x"}],
            [{"ref": "a"}],
            [{"ref": 1, "text": "x"}],
            ["text"],
            [{"ref": "a", "text": "x\0"}],
            [{"ref": "a", "text": "\ud800"}],
            [{"ref": "a", "text": "x", "language": "klingon"}],
            [{"ref": "a", "text": "x" * 2_000_001}],
        ],
    )
    def test_invalid_texts_are_rejected_and_nothing_is_ingested(self, memory: Satchel, texts: list[Any]) -> None:
        with pytest.raises(SatchelError):
            memory.documents.add([{"ref": "good", "text": "good"}, *texts], collection="given")

        assert paths(memory) == []


def test_watching_follows_a_folder_until_stopped(memory: Satchel, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, "a.md", "tea\n")
    happenings: list[Callable[[], Any]] = [
        lambda: write(root, "b.md", "coffee\n"),
        lambda: (root / "a.md").unlink(),
    ]
    seen: list[list[str]] = []

    def something_happens(_: float) -> None:
        seen.append(paths(memory))
        if not happenings:
            raise KeyboardInterrupt
        happenings.pop(0)()

    monkeypatch.setattr(memory.parts.tree(), "wait", something_happens)
    with pytest.raises(KeyboardInterrupt):
        ingest(memory, root, watch=True)

    assert seen == [["a.md"], ["a.md", "b.md"], ["b.md"]]


def test_an_interrupted_run_is_finished_by_the_next(
    memory: Satchel, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        write(root, f"{number}.md", f"tea number {number}\n")
    noted = memory.parts.ledger.documents.update

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(memory.parts.ledger.documents, "update", killed)
    with pytest.raises(KeyboardInterrupt):
        ingest(memory, root)
    monkeypatch.setattr(memory.parts.ledger.documents, "update", noted)

    assert ingest(memory, root).added == 5
    assert len(found(memory, "tea", limit=50)) == 5
    assert memory.maintenance.doctor().result.healthy


def test_a_read_only_store_ingests_nothing(memory: Satchel, root: Path) -> None:
    from msgspec.structs import replace

    closed = Satchel(replace(memory.parts, read_only=True))
    for attempt in (
        lambda: closed.documents.ingest(str(root)),
        lambda: closed.documents.add([], collection="x"),
        lambda: closed.documents.forget(collection="x"),
    ):
        with pytest.raises(SatchelError) as refused:
            attempt()
        assert refused.value.code == "readonly_mode"
