"""Comparing a folder with known documents; collection names; citations."""

from pathlib import Path

from msgspec.structs import replace

from satchel.app import Satchel
from satchel.documents.folders import compare
from satchel.documents.passages import folder_collection, parse_citation
from satchel.domain.document import DocKind, Document, FoundFile, SkippedFile

KNOWN = Document("global", "c", "a.md", DocKind.MARKDOWN, 3, 7, "sha256:x", "1:1400", 1, 0)


def planned(found: list[FoundFile], skipped: list[SkippedFile], *known: Document) -> tuple[list[str], int, list[str]]:
    plan = compare(found, skipped, {one.path: one for one in known}, lambda path: path.endswith(".md"), "1:1400")
    return [one.path for one in plan.to_read], plan.unchanged, list(plan.gone)


def test_unchanged_files_have_the_same_size_and_time() -> None:
    assert planned([FoundFile("a.md", 3, 7)], [], KNOWN) == ([], 1, [])
    assert planned([FoundFile("a.md", 4, 7)], [], KNOWN) == (["a.md"], 0, [])
    assert planned([FoundFile("a.md", 3, 8)], [], KNOWN) == (["a.md"], 0, [])
    assert planned([FoundFile("a.md", 3, 7)], [], replace(KNOWN, cut="1:200")) == (["a.md"], 0, [])


def test_an_unreliable_time_means_reading_again() -> None:
    assert planned([FoundFile("a.md", 3, 0)], [], replace(KNOWN, modified_ns=0)) == (["a.md"], 0, [])


def test_only_covered_paths_can_be_deleted() -> None:
    assert planned([], [], KNOWN) == ([], 0, ["a.md"])
    assert planned([], [], replace(KNOWN, path="a.py")) == ([], 0, [])


def test_inaccessible_paths_are_not_deleted() -> None:
    below = replace(KNOWN, path="x/a.md")
    for place in ("x", "x/", "x/a.md", "."):
        assert planned([], [SkippedFile(place, "not_permitted", lasting=False)], below) == ([], 0, [])
    assert planned([], [SkippedFile("x/a.md", "too_large")], below) == ([], 0, ["x/a.md"])
    assert planned([], [SkippedFile("xy", "not_permitted", lasting=False)], below) == ([], 0, ["x/a.md"])


def test_a_folder_gives_a_valid_collection_name() -> None:
    assert [folder_collection(root) for root in ("/a/My Docs", "/a/.hidden", "/", "/雪", "/a/" + "x" * 99)] == [
        "My-Docs",
        "hidden",
        "documents",
        "documents",
        "x" * 64,
    ]


def test_a_citation_is_parsed() -> None:
    assert parse_citation("doc:api:src/a#b.md#0123456789") == ("api", "src/a#b.md")
    assert parse_citation("doc:api:src/a.md") == ("api", "src/a.md")
    assert parse_citation("doc:api:src/a.md#0123456789-2") == ("api", "src/a.md")
    assert parse_citation("src/a.md") is None


def test_patterns_do_not_widen_a_place_that_is_a_pattern(memory: Satchel, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "deep").mkdir(parents=True)
    for name in ("plan.md", "draft-plan.md", "other.md", "deep/note.md"):
        (folder / name).write_text(f"about {name}", encoding="utf-8")

    memory.documents.ingest(str(folder / "*plan.md"), globs=["**/*.md", "!draft*"])

    assert memory.documents.list().result.collections[0].documents == 1
