"""Segmentation of text into search terms."""

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.words import (
    MAX_QUESTION_CHARS,
    MAX_TERM_CHARS,
    MAX_TERMS,
    STOP_WORDS,
    fold,
    question_terms,
    segment,
)
from tests.tables import each_case

steady = settings(max_examples=150, deadline=None, derandomize=True)

# A range each of Han, Kana, Hangul, Thai and a supplementary Han plane, which NFKC leaves unchanged.
unspaced = st.one_of(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
    st.characters(min_codepoint=0x3041, max_codepoint=0x3096),
    st.characters(min_codepoint=0x30A1, max_codepoint=0x30FA),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
    st.characters(min_codepoint=0x0E01, max_codepoint=0x0E2E),
    st.characters(min_codepoint=0x20000, max_codepoint=0x2A6DF),
)
runs = st.text(unspaced, min_size=1, max_size=20)
mixed = st.text(
    st.one_of(unspaced, st.sampled_from("abcXYZ 019_-.,?!'\n\u3000ＡｂｃｶﾞÉß😀"), st.characters(codec="utf-8")),
    max_size=60,
)
any_text = st.one_of(st.text(), mixed, st.lists(st.sampled_from(sorted(STOP_WORDS)), max_size=8).map(" ".join))
any_string = st.text(st.characters(exclude_categories=()))


def pairs(run: str) -> set[str]:
    return {run[at : at + 2] for at in range(len(run) - 1)}


@each_case(
    ("text", "expected"),
    [
        ("", ""),
        (" \n\t?!… — 😀🎉", ""),
        ("plain words stay", "plain words stay"),
        ("Words, in LOWER-case; once more: words!", "words in lower case once more words"),
        ("snake_case __init__.py", "snake case init py"),
        ("记", "记"),
        ("记忆", "记 忆 记忆"),
        ("用记忆库", "用 记 忆 库 用记 记忆 忆库"),
        ("用记，忆库。", "用 记 用记 忆 库 忆库"),
        ("the 记忆 store", "the 记 忆 记忆 store"),
        ("用SQLite", "用 sqlite"),
        ("東京タワー", "東 京 タ ワ ー 東京 京タ タワ ワー"),
        ("서울", "서 울 서울"),
        ("ＡＢＣ　１２", "abc 12"),
        ("ｶﾞ", "ガ"),
        ("ﬁle", "file"),
        ("Straße STRASSE", "strasse strasse"),
        ("ΣΊΣΥΦΟΣ Σίσυφος", "σίσυφοσ σίσυφοσ"),
        ("İstanbul ISTANBUL", "istanbul istanbul"),
        ("café CAFÉ cafe\u0301", "café café café"),
        ("ọ̀rọ̀", "ọrọ"),
        ("हिन्दी", "हनद"),
        ("ที่", "ท"),
        ("\u0301 \u200b", ""),
        ("x² ½", "x2 1 2"),
    ],
)
def test_text_is_segmented_into_lower_case_words_and_unspaced_unigrams_and_bigrams(text: str, expected: str) -> None:
    assert segment(text) == expected


@each_case(
    ("question", "terms"),
    [
        ("", ()),
        (" \n\t", ()),
        ("?!… — 😀🎉", ()),
        ("Where does the ledger live?", ("ledger", "live")),
        ("tea tea TEA Tea", ("tea",)),
        ("snake_case and kebab-case", ("snake", "case", "kebab")),
        ("the who", ("the", "who")),
        ("记忆库", ("记忆", "忆库")),
        ("茶", ("茶",)),
        ("我们用SQLite存記憶", ("们用", "sqlite", "存記", "記憶")),
        ("ＳＱＬｉｔｅ　３", ("sqlite", "3")),
        ("ｶﾀｶﾅ", ("カタ", "タカ", "カナ")),
        ("什么", ("什么",)),
        ("café CAFÉ cafe\u0301", ("café",)),
        ("東京 Tokyo 서울", ("東京", "tokyo", "서울")),
        ('"; DROP TABLE memories --', ("drop", "table", "memories")),
        ("İstanbul istanbul", ("istanbul",)),
        ("ọ̀rọ̀", ("ọrọ",)),
        ("हिन्दी", ("हनद",)),
        ("Straße strasse", ("strasse",)),
    ],
)
def test_a_question_has_its_content_terms_in_order(question: str, terms: tuple[str, ...]) -> None:
    assert question_terms(question) == terms


def test_only_the_first_terms_of_a_question_count() -> None:
    words = [f"word{number}" for number in range(2 * MAX_TERMS)]
    assert question_terms(" ".join(words)) == tuple(words[:MAX_TERMS])


def test_stop_words_do_not_count_towards_the_maximum() -> None:
    words = [f"word{number}" for number in range(MAX_TERMS)]
    assert question_terms("the and of " + " is ".join(words)) == tuple(words)


def test_the_end_of_a_very_long_question_is_skipped() -> None:
    assert question_terms(" " * MAX_QUESTION_CHARS + "late") == ()
    assert question_terms(" " * (MAX_QUESTION_CHARS - 5) + "early late") == ("early",)


@steady
@given(any_text | any_string)
def test_any_question_has_few_short_distinct_terms(question: str) -> None:
    terms = question_terms(question)
    assert len(terms) == len(set(terms)) <= MAX_TERMS
    assert all(0 < len(term) <= MAX_TERM_CHARS for term in terms)


@steady
@given(any_text)
@example("the who is it")
@example("的 是 了")
def test_no_term_is_a_stop_word_unless_all_are(question: str) -> None:
    terms = set(question_terms(question))
    assert not terms & STOP_WORDS or terms <= STOP_WORDS


@steady
@given(any_text)
def test_terms_hold_letters_and_digits_only_or_characters_of_an_unspaced_script(question: str) -> None:
    for term in question_terms(question):
        assert not any(char.isspace() or char in "_-.,?!'\"()*:^" for char in term)


@steady
@given(st.text(st.characters(codec="ascii")))
def test_ascii_text_is_segmented_into_its_letters_and_digits_in_lower_case(text: str) -> None:
    expected = "".join(char.lower() if char.isalnum() else " " for char in text).split()
    assert segment(text).split(" ") == (expected or [""])


@steady
@given(any_text | any_string)
@example("İ")
@example("ｶﾞ ọ̀ ͅ ﬀ")
def test_no_letter_or_digit_is_lost(text: str) -> None:
    # Short texts: one character may expand to eighteen, and a long word is cut.
    for piece in (text[at : at + 7] for at in range(0, len(text), 7)):
        kept = iter(segment(piece))
        assert all(char in kept for char in plain(piece) if char.isalnum())


def plain(text: str) -> str:
    """Compatibility forms, lower case, no combining marks."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in folded if not unicodedata.category(char).startswith("M"))


@steady
@given(any_text | any_string)
@example("İstanbul 的 CAFÉ")
def test_a_text_holds_all_terms_of_itself_as_a_question(text: str) -> None:
    assert set(question_terms(text)) <= set(segment(text).split())


@steady
@given(any_text | any_string)
def test_terms_are_separated_by_one_space(text: str) -> None:
    assert segment(text) == " ".join(segment(text).split())


@steady
@given(any_text | any_string)
def test_terms_are_short_and_without_marks_or_capitals(text: str) -> None:
    for token in segment(text).split():
        assert len(token) <= MAX_TERM_CHARS
        assert not any(unicodedata.category(char).startswith("M") for char in token)
        assert not any(char in "_-.,?!'\"()*:^" for char in token)
        assert not any("A" <= char <= "Z" for char in token)


@each_case("letter", ["x", "X", "ж", "é", "ß"])
def test_a_long_word_is_cut_equally_in_text_and_question(letter: str) -> None:
    word = letter * 200
    (term,) = question_terms(word)
    assert (segment(word), len(term)) == (term, MAX_TERM_CHARS)
    assert segment(f"before {word} after").split() == ["before", term, "after"]


def test_a_word_is_cut_exactly_at_the_maximum_length() -> None:
    longest = "x" * MAX_TERM_CHARS
    assert (segment(longest), question_terms(longest)) == (longest, (longest,))
    assert (segment(longest + "y"), question_terms(longest + "z")) == (longest, (longest,))


def test_a_run_without_spaces_is_never_cut_short() -> None:
    run = "记忆" * 100
    assert segment(run).split() == [*run, *(run[at : at + 2] for at in range(199))]


@each_case("mark", ["・", "゠", "๏", "๚", "฿", "၊", "។", "៕"])
def test_punctuation_of_unspaced_scripts_is_not_in_a_term(mark: str) -> None:
    assert segment(f"あ{mark}い") == "あ い"


@steady
@given(any_text, runs, any_text)
@example("用", "记忆", "库")
@example("ascii", "記憶體", "ＡＢＣ")
def test_a_text_holds_every_bigram_of_a_run_it_contains(before: str, run: str, after: str) -> None:
    tokens = set(segment(f"{before} {run} {after}").split())
    assert set(question_terms(run)) | set(run) | pairs(run) <= tokens


@steady
@given(runs, runs, runs)
def test_a_run_inside_a_longer_run_is_found_by_its_bigrams(before: str, run: str, after: str) -> None:
    assert set(question_terms(run)) <= set(segment(before + run + after).split())


@steady
@given(runs, st.sampled_from(["SQLite", "v2", "Ünïcode"]), runs)
def test_adjacent_scripts_are_separated(before: str, word: str, after: str) -> None:
    tokens = segment(before + word + after).split()
    assert word.lower() in tokens
    assert pairs(before) | pairs(after) <= set(tokens)
    assert not {before[-1] + word[0].lower(), word[-1].lower() + after[0]} & set(tokens)


@steady
@given(any_text)
def test_capitals_and_full_width_forms_give_the_same_terms(question: str) -> None:
    ascii_only = "".join(char for char in question if " " <= char <= "~")
    full_width = "".join(chr(ord(char) + 0xFEE0) if char != " " else "\u3000" for char in ascii_only)
    assert question_terms(full_width) == question_terms(ascii_only.upper()) == question_terms(ascii_only)


def test_combining_marks_are_removed_from_a_text_with_more_different_letters_than_are_remembered() -> None:
    letters = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 20_000)) + "".join(map(chr, range(0x20000, 0x28000)))
    assert fold(f"{letters}x\u0303{letters}") == f"{letters}x{letters}"
