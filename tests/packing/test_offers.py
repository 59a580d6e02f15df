"""Citations of offers: short, in letters, and distinct within a pack."""

from satchel.domain.citations import citation
from satchel.packing.offers import with_unique_refs
from satchel.packing.values import Offer, OfferSource
from tests.tables import each_case


def offer(id: str) -> Offer:
    return Offer(citation("m", id), id, OfferSource.MEMORIES, "memory", "text", 0.5)


@each_case(
    ("id", "ref"),
    [
        ("1999f00d-0000-4000-8000-000000000000", "yqqq"),
        ("ep-0123456789abcdef01234567", "zyxw"),
        ("kettle", "m:kettle"),
        ("obs:0123456789abcdef0123456789abcdef", "obs:0123"),
    ],
)
def test_a_citation_is_the_beginning_of_an_id_in_letters(id: str, ref: str) -> None:
    assert citation("m", id) == ref


def test_other_ids_are_cited_by_their_digest() -> None:
    ref = citation("m", "notes/a very long name of a file.md")

    assert len(ref) == 4 and set(ref) <= set("klmnopqrstuvwxyz")


def test_records_that_share_a_citation_get_longer_ones() -> None:
    ids = ["aaaa0000-1", "aaaa1111-1", "bbbb0000-1"]

    assert [one.ref for one in with_unique_refs([offer(id) for id in ids])] == ["ppppzz", "ppppyy", "oooo"]


def test_records_that_share_every_digit_are_cited_in_full() -> None:
    ids = ["aaaaaaaa-1", "aaaaaaaa-2"]

    assert [one.ref for one in with_unique_refs([offer(id) for id in ids])] == ids
