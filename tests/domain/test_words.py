"""How text becomes search terms."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.words import (
    MAX_QUESTION_CHARS,
    MAX_TERM_CHARS,
    MAX_TERMS,
    STOP_WORDS,
    question_terms,
    segmented,
)

steady = settings(max_examples=150, deadline=None, derandomize=True)

# One stretch each of Han, Kana, Hangul, Thai and a Han plane beyond the first; NFKC leaves them as they are.
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain words stay", "plain words stay"),
        ("记", " 记 "),
        ("记忆", " 记 忆 记忆 "),
        ("用记忆库", " 用 记 忆 库 用记 记忆 忆库 "),
        ("the 记忆 store", "the  记 忆 记忆  store"),
        ("用SQLite", " 用 SQLite"),
        ("東京タワー", " 東 京 タ ワ ー 東京 京タ タワ ワー "),
        ("서울", " 서 울 서울 "),
        ("ＡＢＣ　１２", "ABC 12"),
        ("ｶﾞ", " ガ "),
        ("ﬁle", "file"),
        ("😀🎉", "😀🎉"),
    ],
)
def test_runs_without_spaces_are_cut_into_characters_and_pairs(text: str, expected: str) -> None:
    assert segmented(text) == expected


@pytest.mark.parametrize(
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
    ],
)
def test_a_question_asks_for_its_telling_terms_in_order(question: str, terms: tuple[str, ...]) -> None:
    assert question_terms(question) == terms


def test_a_question_has_at_most_so_many_terms_and_the_first_ones_count() -> None:
    words = [f"word{number}" for number in range(2 * MAX_TERMS)]
    assert question_terms(" ".join(words)) == tuple(words[:MAX_TERMS])


def test_stop_words_take_no_place_among_the_terms() -> None:
    words = [f"word{number}" for number in range(MAX_TERMS)]
    assert question_terms("the and of " + " is ".join(words)) == tuple(words)


def test_a_question_is_read_only_so_far() -> None:
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
def test_ascii_text_is_segmented_into_itself(text: str) -> None:
    assert segmented(text) == text


@steady
@given(any_text | any_string)
def test_segmenting_only_adds_to_the_normalised_text(text: str) -> None:
    kept = iter(segmented(text))
    assert all(char in kept for char in unicodedata.normalize("NFKC", text))


@steady
@given(any_text, runs, any_text)
@example("用", "记忆", "库")
@example("ascii", "記憶體", "ＡＢＣ")
def test_every_pair_asked_for_is_in_a_text_that_contains_the_run(before: str, run: str, after: str) -> None:
    tokens = set(segmented(f"{before} {run} {after}").split())
    assert set(question_terms(run)) | set(run) | pairs(run) <= tokens


@steady
@given(runs, runs, runs)
def test_a_run_in_the_midst_of_a_longer_run_is_found_by_its_pairs(before: str, run: str, after: str) -> None:
    assert set(question_terms(run)) <= set(segmented(before + run + after).split())


@steady
@given(runs, st.sampled_from(["SQLite", "v2", "Ünïcode"]), runs)
def test_scripts_that_touch_are_told_apart(before: str, word: str, after: str) -> None:
    tokens = segmented(before + word + after).split()
    assert word in tokens
    assert pairs(before) | pairs(after) <= set(tokens)
    assert not {before[-1] + word[0], word[-1] + after[0]} & set(tokens)


@steady
@given(any_text)
def test_asking_in_capitals_of_ascii_or_in_full_width_asks_the_same(question: str) -> None:
    ascii_only = "".join(char for char in question if " " <= char <= "~")
    full_width = "".join(chr(ord(char) + 0xFEE0) if char != " " else "\u3000" for char in ascii_only)
    assert question_terms(full_width) == question_terms(ascii_only.upper()) == question_terms(ascii_only)
