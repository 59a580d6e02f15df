"""Shortening of long texts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.shorten import shorten
from tests.tables import each_case


@each_case(
    ("text", "limit", "expected"),
    [
        ("short enough", 40, "short enough"),
        ("One sentence ends. Another one is too long to fit", 30, "One sentence ends. …"),
        ("Short. Another one that is much too long to fit", 30, "Short. Another one that is…"),
        ("no sentence ends in these words at all", 20, "no sentence ends…"),
        ("第一句话已经说完了。第二句话还没有说完所以要切掉", 14, "第一句话已经说完了。 …"),
        ("没有空格也没有标点的一长串文字", 8, "没有空格也没…"),
        ("  padded  ", 40, "padded"),
    ],
)
def test_a_text_is_cut_at_a_sentence_a_word_or_the_limit(text: str, limit: int, expected: str) -> None:
    assert shorten(text, limit) == expected


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=st.text(max_size=200), limit=st.integers(2, 100))
def test_a_shortened_text_fits_the_limit_and_is_marked(text: str, limit: int) -> None:
    cut = shorten(text, limit)

    assert len(cut) <= limit
    assert cut == text.strip() or cut.endswith("…")
