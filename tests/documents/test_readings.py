"""Code is embedded as written and with its names in words, in separate parts."""

from satchel.documents.passages import passages
from satchel.domain.document import Chunk, DocKind, Document
from satchel.domain.passage import PART_CHARS, embedding_spans


def embedded(text: str, kind: DocKind) -> list[str]:
    document = Document("global", "c", "a", kind, 0, 0, "sha256:x", "1:1400", 1, 0)
    [passage] = passages(document, [Chunk(1, text, 1, 1)], None)
    return [passage.embedded[start:end] for start, end in embedding_spans(passage)]


def test_code_is_embedded_with_its_names_in_words_too() -> None:
    assert embedded("getUserById(x)", DocKind.CODE) == ["getUserById(x)", "get user by id(x)"]


def test_equal_readings_are_embedded_once() -> None:
    assert embedded("go(x)", DocKind.CODE) == ["go(x)"]
    assert embedded("getUserById", DocKind.TEXT) == ["getUserById"]


def test_no_part_contains_both_readings() -> None:
    found = embedded("do_it(now) " * 120, DocKind.CODE)

    assert all(len(one) <= PART_CHARS for one in found)
    assert not [one for one in found if "do_it" in one and "do it" in one]
    assert "".join(found).count("do_it") == "".join(found).count("do it") == 120
