"""Citations of a pack, and what a reference to a record may mean."""

from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.citations import citation, parse_reference
from tests.tables import each_case

UUID = "0123abcd-4567-4eee-8eee-0123456789ab"


@each_case("form", ["", "mem_", "obs:", "ep-", "fact_", "dec_"])
def test_a_citation_means_the_beginning_of_the_id_it_was_made_from(form: str) -> None:
    id = f"{form}{UUID}"
    for chars in (4, 6, 8):
        cited = citation("m", id, chars)
        assert len(cited.removeprefix("obs:")) == chars
        for written in (cited, f"[{cited}]", f" [{cited}] "):
            assert any(id.startswith(one) for one in parse_reference(written).prefixes), written


@each_case(
    "reference, ids, prefixes",
    [
        (UUID[:8], {UUID[:8]}, {UUID[:8]}),
        ("0123", {"0123"}, {"0123"}),
        ("012", {"012"}, set()),
        ("[0123]", {"[0123]", "0123"}, {"0123"}),
        ("m:note-7", {"m:note-7", "note-7"}, {"m:note-7"}),
        ("m:x", {"m:x", "x"}, set()),
        ("obs:", {"obs:"}, set()),
        ("obs:01", {"obs:01"}, set()),
        ("obs:0123", {"obs:0123"}, {"obs:0123"}),
        ("[]", {"[]", ""}, set()),
        ("", {""}, set()),
        ("mdbc77c", {"mdbc77c"}, {"mdbc77c", "dbc77c", "mem_dbc77c", "obs:dbc77c"}),
    ],
)
def test_what_a_reference_may_mean(reference: str, ids: set[str], prefixes: set[str]) -> None:
    meant = parse_reference(reference)

    assert set(meant.ids) == ids
    assert prefixes <= set(meant.prefixes) and bool(prefixes) == bool(meant.prefixes)


@given(st.text(max_size=40))
def test_any_text_is_a_reference(text: str) -> None:
    meant = parse_reference(text)

    assert text in meant.ids
    assert all(len(one) >= 4 for one in meant.prefixes)
