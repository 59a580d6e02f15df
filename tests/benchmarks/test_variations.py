"""Vectors that are those of other texts, moved a little."""

from bench.speed.neighbours import ExactScan
from bench.speed.variations import BorrowedEmbedder, VariedEmbedder

from satchel.adapters.embedders.hashing import Hashing
from satchel.domain.embedding import Vector


def cosine(one: Vector, other: Vector) -> float:
    return ExactScan([one]).cosines(other)[0]


def test_a_variation_is_near_its_text_and_always_the_same() -> None:
    varied = VariedEmbedder(Hashing(), " See also ")
    text, moved, again = varied.embed(["a kettle", "a kettle See also Nor-1.", "a kettle See also Nor-1."])

    assert moved == again
    assert 0.9 < cosine(text, moved) < 0.97


def test_any_text_gets_the_vector_of_a_lender_moved_a_little() -> None:
    lenders = ["a kettle", "the harbour"]
    borrowed, real = BorrowedEmbedder(Hashing(), lenders), Hashing().embed(lenders)
    made = borrowed.embed(["one", "two", "three", "\ud800", ""])

    assert borrowed.embed(["two"])[0] == made[1]
    assert len({one.tobytes() for one in made}) == len(made)
    assert all(max(cosine(one, lender) for lender in real) > 0.9 for one in made)
    assert (borrowed.name, borrowed.dimensions) == (Hashing().name, Hashing().dimensions)


def test_an_exact_scan_compares_every_vector() -> None:
    first, second = Hashing().embed(["a kettle", "the harbour"])

    assert ExactScan([first, second]).cosines(first)[0] > ExactScan([first, second]).cosines(first)[1]
