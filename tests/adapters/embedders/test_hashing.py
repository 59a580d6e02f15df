"""The model-free embedder."""

import hashlib
import math

import pytest

from satchel.adapters.embedders.hashing import Hashing
from satchel.errors import InvalidRequest


def likeness(a: str, b: str) -> float:
    x, y = Hashing().embed([a, b])
    return sum(p * q for p, q in zip(x, y, strict=True))


def test_the_name_contains_the_dimensions() -> None:
    assert (Hashing().name, Hashing().dimensions) == ("hashing-256", 256)
    assert (Hashing(32).name, Hashing(32).dimensions) == ("hashing-32", 32)


def test_a_misspelt_text_stays_near() -> None:
    assert likeness("embedding database", "embeding databse") > 0.5 > likeness("embedding database", "green tea")


def test_case_does_not_count() -> None:
    assert likeness("SQLite Ledger", "sqlite ledger") == pytest.approx(1.0)


def test_different_emoji_have_different_vectors() -> None:
    assert likeness("🚀🚀🚀", "🍵🍵🍵") < 0.9


def test_texts_without_features_share_one_vector_that_is_not_zero() -> None:
    empty, blank = Hashing().embed(["", " \n\t"])
    assert empty == blank
    assert math.hypot(*empty) == pytest.approx(1.0)


def test_one_dimension_still_gives_a_unit_vector() -> None:
    # With one dimension, features often cancel each other.
    assert {abs(v[0]) for v in Hashing(1).embed([f"text {i}" for i in range(50)])} == {1.0}


def test_vectors_are_the_same_on_every_machine() -> None:
    (vector,) = Hashing(8).embed(["The same bytes for ever."])
    rounded = ",".join(f"{x:.5f}" for x in vector)
    assert hashlib.sha256(rounded.encode()).hexdigest()[:12] == "4ff9f05357d3"


def test_no_dimensions_are_refused() -> None:
    with pytest.raises(InvalidRequest):
        Hashing(0)
