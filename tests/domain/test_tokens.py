"""Estimated token counts."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.tokens import _cuts, estimate_tokens
from tests.tables import each_case

steady = settings(max_examples=300, deadline=None, derandomize=True)

looks = st.one_of(
    st.sampled_from(["a", "b", "Z", "Q", "word", "Title", "CAPS", "7", "2026", "a" * 40, "X" * 40]),
    st.sampled_from([" ", "  ", "\n", "\r\n", "\t", "\u3000", "\x00", "\x1b", "\ud800", "\u200d", "\ufe0f"]),
    st.sampled_from(["-", "----", "=" * 9, "#" * 70, "!", "{", '":', "_", "─", "────", "。", "’", "→"]),
    st.sampled_from(["的", "龘", "の", "カ", "한", "뷁", "я", "é", "ệ", "α", "த", "😀", "\U00020000"]),
)
looking = st.lists(looks, max_size=30).map("".join)
any_text = st.one_of(looking, st.text(), st.text(st.characters(exclude_categories=())))


# A text of each kind, and the highest count of four tokenizers (docs/decisions/0030-tokens.md).
DEAREST = {
    "hello": 1,
    "Hello, world!": 4,
    "The cat sat on the mat.": 7,
    "We moved the database from MySQL to Postgres because of its JSON indexes.": 16,
    "def add(a, b):\n    return a + b\n": 13,
    '{"name": "kettle", "count": 3}': 13,
    "https://example.org/a/b?c=1": 13,
    "2026-11-15": 10,
    "我们今天去公园。": 8,
    "記憶": 5,
    "今日は天気がいいですね。": 13,
    "안녕하세요": 7,
    "Привет, как дела?": 9,
    "👍": 3,
    "-" * 64: 1,
    "\n\n": 1,
}
HOSTILE = [
    "a",
    "A",
    "aB",
    "7",
    " ",
    "\n",
    "\t",
    " \n",
    "-",
    "!",
    "-=",
    "─",
    "\x00",
    "的",
    "龘",
    "é",
    "\u0301",
    "😀",
    "\ud800",
]


@each_case(("text", "real"), DEAREST.items())
def test_the_estimate_is_just_above_the_highest_tokenizer(text: str, real: int) -> None:
    assert real <= estimate_tokens(text) <= 1.15 * real + 1


def test_an_empty_text_has_no_tokens_and_a_space_belongs_to_the_next_word() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 0
    assert estimate_tokens(" ".join(["word"] * 100)) == 103
    assert estimate_tokens("wordy " * 100) == 126


def test_a_space_before_a_digit_counts_separately() -> None:
    assert estimate_tokens(" 7" * 100) > estimate_tokens("7" * 100)


def test_digits_count_one_by_one() -> None:
    assert estimate_tokens("7" * 100) == 102


def test_a_character_that_tokenizers_know_takes_less_than_a_rare_one() -> None:
    assert estimate_tokens("的" * 100) == 86
    assert estimate_tokens("龘" * 100) == 235
    assert estimate_tokens("이" * 100) < estimate_tokens("뷁" * 100)


def test_a_long_unknown_word_takes_half_its_letters() -> None:
    assert 280 <= estimate_tokens("qzxvkjwpmt" * 50) <= 300
    assert 280 <= estimate_tokens("QZXVKJWPMT" * 50) <= 300


def test_a_horizontal_rule_is_cheap_and_different_marks_are_expensive() -> None:
    assert estimate_tokens("=" * 80) <= 4
    assert estimate_tokens("=+" * 40) >= 40


@each_case("piece", HOSTILE)
def test_no_piece_is_longer_than_a_rule_so_that_time_grows_with_the_text_alone(piece: str) -> None:
    # A match from one position has a bounded length, however long the text is.
    found = [match for cut in _cuts().values() for match in cut.finditer(piece * 5_000)]

    assert max((len(match.group()) for match in found), default=0) <= 64


@each_case("piece", HOSTILE)
def test_twice_the_text_takes_twice_the_tokens(piece: str) -> None:
    once = estimate_tokens(piece * 5_000)

    assert 2 * once - 4 <= estimate_tokens(piece * 10_000) <= 2 * once + 4


@given(looking, looking)
@example("a\n", "\nb")
@example("a  ", "  b")
@example("---", "---")
@steady
def test_texts_joined_by_a_line_break_take_no_more_than_they_do_apart(one: str, other: str) -> None:
    assert estimate_tokens(f"{one}\n{other}") <= estimate_tokens(one) + estimate_tokens("\n") + estimate_tokens(other)


@given(st.lists(any_text, max_size=6))
@steady
def test_a_bundle_takes_no_more_than_its_lines(lines: list[str]) -> None:
    assert estimate_tokens("\n".join(lines)) <= sum(estimate_tokens(line) + estimate_tokens("\n") for line in lines)


@given(any_text, any_text)
@example("---", "-")
@example("AB", "c")
@example("A" * 31, "b")
@example(" ", " 5")
@example("#" * 64, "#")
@example("=" * 67, "-")
@steady
def test_more_text_never_takes_less(one: str, other: str) -> None:
    assert estimate_tokens(one + other) >= max(estimate_tokens(one), estimate_tokens(other))


@given(any_text)
@steady
def test_a_text_that_is_not_blank_has_tokens(text: str) -> None:
    assert estimate_tokens(text) > 0 or not text.strip()


@given(any_text)
@steady
def test_no_text_takes_much_more_than_its_bytes(text: str) -> None:
    # The maximum for any byte-level tokenizer, plus the margin.
    assert estimate_tokens(text) <= 1.2 * len(text.encode("utf-8", "surrogatepass")) + 1
