"""References to media and their kinds."""

import pytest

from satchel.domain.media import MAX_REFS, MediaKind, bare_ref, check_media, kind_of, media_kind
from satchel.errors import InvalidRequest
from tests.tables import each_case


@each_case(
    ("ref", "kind"),
    [
        ("photos/harbour.JPG", "image"),
        ("https://example.org/a/b.png?size=2#top", "image"),
        ("C:\\scans\\map.webp", "image"),
        ("call.opus", "audio"),
        ("demo.v2.mp4", "video"),
        ("report.pdf", "document"),
        ("audio:https://example.org/stream", "audio"),
        ("document:scan.png", "document"),
        ("Image:whiteboard", "image"),
        ("https://example.org/", "other"),
        ("https://example.png/", "other"),
        ("s3://bucket/key", "other"),
        ("png", "other"),
        (".gitignore", "other"),
    ],
)
def test_the_kind_is_named_or_told_by_the_ending(ref: str, kind: str) -> None:
    assert kind_of(ref) == kind


def test_a_named_kind_is_not_part_of_the_reference() -> None:
    assert bare_ref("audio:https://example.org/stream") == "https://example.org/stream"
    assert bare_ref("https://example.org/a.png") == "https://example.org/a.png"


@each_case(
    ("refs", "code"),
    [
        (["data:image/png;base64,AAAA"], "media_inline"),
        (["image:data:image/png;base64,AAAA"], "media_inline"),
        ([" DATA:text/plain,x"], "media_inline"),
        (["image:"], "missing_text"),
        (["a.png"] * (MAX_REFS + 1), "too_many"),
        ("a.png", "wrong_type"),
    ],
)
def test_content_and_nonsense_are_refused(refs: list[str], code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_media(refs)
    assert refused.value.code == code


def test_references_are_kept_once_in_order() -> None:
    assert check_media(["b.png", "a.mp3", "b.png"]) == ("b.png", "a.mp3")


def test_the_kind_of_a_memory_is_that_of_all_its_media() -> None:
    assert media_kind([]) is None
    assert media_kind(["a.png", "b.gif"]) is MediaKind.IMAGE
    assert media_kind(["a.png", "b.mp3"]) is MediaKind.OTHER
