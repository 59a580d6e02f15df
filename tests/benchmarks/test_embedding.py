"""An embedder that remembers asks the other one only for what is new."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.embedding import CachedEmbedder

from satchel.adapters.embedders.hashing import Hashing
from satchel.domain.embedding import Vector
from satchel.errors import Unavailable


class Counting(Hashing):
    """Remembers what it was asked for."""

    def __init__(self, dimensions: int = 256) -> None:
        super().__init__(dimensions)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        return super().embed(texts)


def test_vectors_are_the_same_in_order_and_made_once(tmp_path: Path) -> None:
    first, second = Counting(), Counting()

    made = CachedEmbedder(first, tmp_path).embed(["one", "two", "one"])
    again = CachedEmbedder(second, tmp_path).embed(["two", "three", "one"])

    assert made == Hashing().embed(["one", "two", "one"])
    assert again == Hashing().embed(["two", "three", "one"])
    assert (first.asked, second.asked) == (["one", "two"], ["three"])


def test_two_spaces_share_a_file_and_no_vector(tmp_path: Path) -> None:
    CachedEmbedder(Hashing(64), tmp_path).embed(["one"])
    other = Counting(128)

    assert len(CachedEmbedder(other, tmp_path).embed(["one"])[0]) == 128
    assert other.asked == ["one"]


def test_it_is_named_like_the_one_it_asks(tmp_path: Path) -> None:
    found = CachedEmbedder(Hashing(64), tmp_path / "new" / "folder")

    assert (found.name, found.dimensions) == ("hashing-64", 64)


def test_a_text_that_is_no_unicode_is_remembered_too(tmp_path: Path) -> None:
    other = Counting()
    remembering = CachedEmbedder(other, tmp_path)
    remembering._key("\ud800")  # must not raise

    assert remembering.embed([]) == []


def test_a_folder_that_cannot_be_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(Unavailable):
        CachedEmbedder(Hashing(), tmp_path / "file" / "below")
