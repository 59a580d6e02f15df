"""Forgetting a document erases everything made from it, permanently."""

import os
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.domain.passage import EvidenceLane, all_passages
from satchel.domain.scope import EVERYWHERE
from satchel.errors import SatchelError

SECRET = "The marmalade treaty of the northern lighthouse was signed in vermilion ink."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    for name, text in {"secret.md": f"# Treaty\n\n{SECRET}\n", "other.md": "# Tea\n\nGreen tea at four.\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))
    return folder


@pytest.fixture
def stocked(memory: Satchel, root: Path) -> Satchel:
    memory.documents.ingest(str(root))
    memory.documents.search("treaty", mode="query")
    return memory


def paths(memory: Satchel) -> list[str]:
    return [one.path for one in memory.documents.list().result.documents]


@pytest.mark.parametrize("by", ["citation", "document", "path"])
def test_a_forgotten_document_is_erased_and_verified(stocked: Satchel, by: str) -> None:
    [hit] = stocked.documents.search("marmalade", mode="search").result.hits
    target = {"citation": hit.citation, "document": "doc:handbook:secret.md", "path": "secret.md"}[by]
    assert stocked.parts.files.search([SECRET[:30].encode()]).holding

    gone = stocked.documents.forget(target, verify=True).result

    assert (gone.documents, gone.chunks, gone.pending) == (1, 1, ())
    assert gone.check is not None and gone.check.conclusive and not gone.check.found_after
    assert not stocked.parts.files.search([SECRET[:30].encode(), b"vermilion"]).holding
    assert stocked.documents.search("marmalade", mode="search").result.hits == ()
    assert all(hit.path != "secret.md" for hit in stocked.documents.search("marmalade", mode="vsearch").result.hits)
    assert paths(stocked) == ["other.md"]
    space = stocked.parts.ledger.passages.vectors.space()
    assert space is not None and stocked.parts.ledger.passages.vectors.count(space) == 1


def test_a_forgotten_document_stays_out_until_allowed_again(stocked: Satchel, root: Path) -> None:
    stocked.documents.forget("secret.md")

    ignored = stocked.documents.ingest(str(root)).result
    assert (ignored.skipped_for, paths(stocked)) == ({"forgotten": 1}, ["other.md"])
    assert not stocked.parts.files.search([b"secret.md"]).holding

    stocked.documents.ingest(str(root), again=True)
    assert paths(stocked) == ["other.md", "secret.md"]


def test_a_collection_can_be_forgotten_and_ingested_again(stocked: Satchel, root: Path) -> None:
    gone = stocked.documents.forget(collection="handbook", verify=True).result

    assert (gone.documents, gone.chunks) == (2, 2)
    assert gone.check is not None and not gone.check.found_after
    assert stocked.documents.list().result.collections == ()
    assert stocked.parts.ledger.passages.count(all_passages(EvidenceLane.DOCUMENTS, EVERYWHERE)) == 0

    stocked.documents.ingest(str(root))
    assert paths(stocked) == ["other.md", "secret.md"]


def test_forgetting_leaves_other_scopes_alone(stocked: Satchel) -> None:
    stocked.documents.add([{"ref": "secret.md", "text": SECRET}], collection="handbook", scope="red")

    stocked.documents.forget("secret.md", scope="red")

    assert paths(stocked) == ["other.md", "secret.md"]
    with pytest.raises(SatchelError) as unknown:
        stocked.documents.forget("secret.md", scope="red")
    assert unknown.value.code == "not_found"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "missing_param"),
        ({"target": "nothing.md"}, "not_found"),
        ({"target": "doc:handbook:nothing.md#0123456789"}, "not_found"),
        ({"target": "doc:nowhere:secret.md"}, "not_found"),
        ({"target": "../secret.md"}, "not_found"),
        ({"collection": "nowhere"}, "not_found"),
        ({"collection": "no name"}, "invalid_collection"),
    ],
)
def test_forgetting_something_unknown_is_an_error(stocked: Satchel, given: dict[str, str], code: str) -> None:
    with pytest.raises(SatchelError) as refused:
        stocked.documents.forget(**given)  # type: ignore[arg-type]

    assert refused.value.code == code
    assert paths(stocked) == ["other.md", "secret.md"]


def test_an_ambiguous_path_needs_a_collection(stocked: Satchel) -> None:
    stocked.documents.add([{"ref": "secret.md", "text": "another"}], collection="more")

    with pytest.raises(SatchelError):
        stocked.documents.forget("secret.md")
    stocked.documents.forget("secret.md", collection="more")

    assert [one.collection for one in stocked.documents.list().result.documents] == ["handbook", "handbook"]


def test_text_that_a_memory_also_holds_is_not_a_trace(stocked: Satchel) -> None:
    stocked.store(SECRET)

    gone = stocked.documents.forget("secret.md", verify=True).result

    assert gone.check is not None and not gone.check.found_after


def test_what_a_changed_document_no_longer_says_leaves_the_files(stocked: Satchel, root: Path) -> None:
    (root / "secret.md").write_text("# Treaty\n\nNobody signed anything.\n", encoding="utf-8")
    stocked.documents.ingest(str(root))

    assert not stocked.parts.files.search([SECRET[:30].encode(), b"vermilion"]).holding
    assert stocked.maintenance.doctor().result.healthy
