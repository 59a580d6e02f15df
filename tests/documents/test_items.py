"""Documents that an import brings."""

import pytest

from satchel.app import Satchel
from satchel.domain.imports import DocumentItem, ImportTerms
from satchel.errors import Conflict

TERMS = ImportTerms("test", None, trusted=False, dry_run=False)


def item(path: str, text: str, root: str = "") -> DocumentItem:
    return DocumentItem(place=path, collection="own", path=path, text=text, root=root, at=1_700_000_000_000)


def test_a_document_is_stored_once_and_replaced_when_it_changes(memory: Satchel) -> None:
    write = memory.documents.item_writer(TERMS)

    assert write([item("a.md", "Tea at four"), item("b.md", "")]).refused == ((1, "empty_text"),)
    again = write([item("a.md", "Tea at four"), item("c.md", "Cake at five")])
    assert (again.new, again.known) == (1, 1)
    assert write([item("a.md", "Tea at six")]).new == 1
    assert [hit.text for hit in memory.documents.search("tea at").result.hits][:1] == ["Tea at six"]


def test_a_forgotten_document_stays_out(memory: Satchel) -> None:
    write = memory.documents.item_writer(TERMS)
    write([item("a.md", "Tea at four")])
    memory.documents.forget("doc:own:a.md")

    assert write([item("a.md", "Tea at four")]).refused == ((0, "forgotten"),)


def test_the_collection_of_another_folder_is_not_touched(memory: Satchel) -> None:
    write = memory.documents.item_writer(TERMS)
    write([item("a.md", "Tea at four", root="/one/notes")])

    with pytest.raises(Conflict) as refused:
        write([item("a.md", "Something else", root="/two/notes")])
    assert refused.value.code == "collection_taken"


def test_secrets_are_masked_and_counted(memory: Satchel) -> None:
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

    assert memory.documents.item_writer(TERMS)([item("a.md", f"the token is {secret}")]).masked == 1
    assert secret not in memory.documents.search("token").result.hits[0].text
