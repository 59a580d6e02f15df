"""Compound names in every spelling."""

from hypothesis import given
from hypothesis import strategies as st

from satchel.documents.identifiers import in_words, is_compound, names, parts, spelled_out, whole
from tests.tables import each_case


@each_case(
    ("name", "words"),
    [
        ("parseAuthToken", "parse auth token"),
        ("parse_auth_token", "parse auth token"),
        ("HTTPServer", "http server"),
        ("XMLHttpRequest2", "xml http request 2"),
        ("MAX_RETRIES", "max retries"),
        ("_private_name", "private name"),
        ("OAuth", "o auth"),
        ("utf8_decode", "utf 8 decode"),
    ],
)
def test_a_name_has_parts_and_one_joined_form(name: str, words: str) -> None:
    assert is_compound(name)
    assert parts(name) == words.split()
    assert whole(name) == words.replace(" ", "")
    assert spelled_out(f"call {name}(x)") == f"{whole(name)} {words}"
    assert in_words(f"call {name}(x)") == f"call {words}(x)"


@each_case("name", ["plain", "Word", "JSON", "__init__", "x", "42", "雪"])
def test_a_plain_word_is_not_compound(name: str) -> None:
    assert not is_compound(name)
    assert names(f"a {name} b") == []


def test_dots_and_paths_separate_names() -> None:
    assert names("self.user_id src/my_mod/FooBar.ts a::bigThing") == ["user_id", "my_mod", "FooBar", "bigThing"]


@given(st.text(max_size=500))
def test_names_are_found_in_any_text(text: str) -> None:
    assert all(is_compound(name) for name in names(text))
    assert len(in_words(text)) >= len(text) - text.count("_")


def test_a_very_long_name_is_handled_quickly() -> None:
    assert names("a" * 1_000_000) == []
    assert len(names("aB" * 500_000)) >= 1
