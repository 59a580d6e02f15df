"""How pages write times and texts."""

from satchel.interfaces.inspector.formatting import (
    address,
    ago,
    excerpt,
    linked,
    moment,
    path_part,
    receipt_path,
    shown_text,
)
from tests.tables import each_case

NOW = 1_800_000_000_000


@each_case(
    ("seconds", "said"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7_200, "2 hours ago"),
        (86_400, "1 day ago"),
        (86_400 * 2_000, "2,000 days ago"),
    ],
)
def test_how_long_ago(seconds: int, said: str) -> None:
    assert f">{said}<" in ago(NOW - seconds * 1000, NOW)


def test_no_time_is_never() -> None:
    assert "never" in moment(None)
    assert "never" in ago(None, NOW)


def test_hidden_characters_are_shown_by_their_code_point() -> None:
    assert shown_text("a\u202eb\u200b<i>") == (
        '<bdi class="text">a<span class="hidden">U+202E</span>b<span class="hidden">U+200B</span>&lt;i&gt;</bdi>'
    )


def test_ids_of_records_in_a_text_are_links() -> None:
    id = "95275228-eda3-43a2-9682-b1b0db205ef0"
    link = f'<a href="/memories/{id}">{id}</a>'
    assert str(linked(shown_text(f"<b>{id}</b> and 95275228"))) == (
        f'<bdi class="text">&lt;b&gt;{link}&lt;/b&gt; and 95275228</bdi>'
    )


def test_an_excerpt_is_one_line_with_an_end() -> None:
    assert excerpt("a\n b", 10) == '<bdi class="text">a b</bdi>'
    assert excerpt("walrus " * 100, 10) == '<bdi class="text">walrus wal…</bdi>'
    assert "…" in excerpt("a" + " " * 10_000 + "b", 10)


def test_addresses_leave_out_what_is_empty() -> None:
    assert address("/memories", scope="", kind=None) == "/memories"
    assert address("/memories", scope="a/b", q="x&y") == "/memories?scope=a%2Fb&q=x%26y"
    assert path_part("a/b?#") == "a%2Fb%3F%23"


def test_a_receipt_is_explained_on_the_page_of_its_operation() -> None:
    assert receipt_path("turn before", "sha256:ab") == "/turns/sha256%3Aab"
    assert receipt_path("store", "sha256:ab") == "/receipts/sha256%3Aab"
