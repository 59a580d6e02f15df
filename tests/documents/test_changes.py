"""What a folder needs done."""

from msgspec.structs import replace

from satchel.documents.changes import changes
from satchel.documents.naming import cited, name_of_folder
from satchel.domain.document import DocKind, Document, Sighted, Skipped

KNOWN = Document("global", "c", "a.md", DocKind.MARKDOWN, 3, 7, "sha256:x", "1:1400", 1, 0)


def planned(found: list[Sighted], skipped: list[Skipped], *known: Document) -> tuple[list[str], int, list[str]]:
    plan = changes(found, skipped, {one.path: one for one in known}, lambda path: path.endswith(".md"), "1:1400")
    return [one.path for one in plan.to_read], plan.unchanged, list(plan.gone)


def test_size_and_time_tell_what_is_unchanged() -> None:
    assert planned([Sighted("a.md", 3, 7)], [], KNOWN) == ([], 1, [])
    assert planned([Sighted("a.md", 4, 7)], [], KNOWN) == (["a.md"], 0, [])
    assert planned([Sighted("a.md", 3, 8)], [], KNOWN) == (["a.md"], 0, [])
    assert planned([Sighted("a.md", 3, 7)], [], replace(KNOWN, cut="1:200")) == (["a.md"], 0, [])


def test_a_time_that_proves_nothing_is_not_believed() -> None:
    assert planned([Sighted("a.md", 3, 0)], [], replace(KNOWN, modified_ns=0)) == (["a.md"], 0, [])


def test_only_what_was_looked_for_can_be_gone() -> None:
    assert planned([], [], KNOWN) == ([], 0, ["a.md"])
    assert planned([], [], replace(KNOWN, path="a.py")) == ([], 0, [])


def test_what_could_not_be_looked_at_is_not_gone() -> None:
    below = replace(KNOWN, path="x/a.md")
    for place in ("x", "x/", "x/a.md", "."):
        assert planned([], [Skipped(place, "not_permitted", lasting=False)], below) == ([], 0, [])
    assert planned([], [Skipped("x/a.md", "too_large")], below) == ([], 0, ["x/a.md"])
    assert planned([], [Skipped("xy", "not_permitted", lasting=False)], below) == ([], 0, ["x/a.md"])


def test_a_folder_gives_a_plain_name() -> None:
    assert [name_of_folder(root) for root in ("/a/My Docs", "/a/.hidden", "/", "/雪", "/a/" + "x" * 99)] == [
        "My-Docs",
        "hidden",
        "documents",
        "documents",
        "x" * 64,
    ]


def test_a_citation_names_a_document() -> None:
    assert cited("doc:api:src/a#b.md#0123456789") == ("api", "src/a#b.md")
    assert cited("doc:api:src/a.md") == ("api", "src/a.md")
    assert cited("doc:api:src/a.md#0123456789-2") == ("api", "src/a.md")
    assert cited("src/a.md") is None
