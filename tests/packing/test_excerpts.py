"""Excerpts: the sentences that answer are chosen for the tokens they cost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.tokens import token_share
from satchel.packing.excerpts import Chooser
from satchel.packing.layers import ELLIPSIS

steady = settings(max_examples=150, deadline=None, derandomize=True)
FRAME = 6.0
GREETING = "Hey Ann! Good to see you again."
ANSWER = "The kiln broke while I glazed the turquoise bowl."
WORDS = ("harbour", "lantern", "orchard", "glacier", "cathedral", "tannery", "viaduct", "saltworks", "quarry", "mill")


class Purse:
    """Implements excerpts.Account with a number of tokens."""

    def __init__(self, room: float, never_whole: frozenset[int] = frozenset()) -> None:
        self.room = room
        self.never_whole = never_whole

    def frame(self, rank: int) -> float:
        return FRAME

    def may_complete(self, rank: int) -> bool:
        return rank not in self.never_whole

    def spend(self, rank: int, tokens: float) -> None:
        self.room -= tokens


def chosen(texts: list[str], room: float, *terms: str, never_whole: frozenset[int] = frozenset()) -> list[str]:
    chooser = Chooser(texts, (), terms, lambda text: token_share(f" {text}"))
    chooser.run(Purse(room, never_whole))
    return [one.text for one in chooser.excerpts]


def test_texts_that_fit_are_shown_whole_on_one_line() -> None:
    assert chosen([f"{GREETING}\n\n{ANSWER}", "It is cold."], 100) == [f"{GREETING} {ANSWER}", "It is cold."]


def test_a_text_that_does_not_fit_is_shown_by_the_sentence_that_matters() -> None:
    text = f"{GREETING} {ANSWER} How are you?"

    assert chosen([text], FRAME + token_share(ANSWER) + 2, "kiln") == [ANSWER]


def test_an_ellipsis_marks_what_is_left_out_between_sentences() -> None:
    text = f"{ANSWER} So so. The turquoise shards cut my thumb badly."
    room = FRAME + token_share(text) - 2

    [told] = chosen([text], room, "turquoise")
    assert told == f"{ANSWER}{ELLIPSIS} The turquoise shards cut my thumb badly."


def test_a_citation_is_not_spent_on_a_greeting() -> None:
    text = f"Hey! {ANSWER}"
    room = FRAME + token_share(ANSWER) + 1

    assert chosen([text], room) == [ANSWER]


def test_a_statement_comes_before_a_question_with_as_many_words() -> None:
    asks, tells = "Did lightning split the orchard wall?", "Lightning split the orchard gate."
    room = FRAME + max(token_share(asks), token_share(tells)) + 1

    assert chosen([f"{asks} {tells}"], room, "lightning") == [tells]


def test_words_chosen_before_are_worth_less() -> None:
    repeated, new = (
        "The kiln broke while I glazed the turquoise bowl, oh no.",
        "Walter the cat sleeps in the attic now.",
    )
    room = 2 * FRAME + token_share(ANSWER) + token_share(repeated) + 1

    assert chosen([ANSWER, repeated, new], room) == [ANSWER, "", new]


def test_a_long_text_does_not_take_the_place_of_short_ones() -> None:
    long = " ".join(f"Chapter {number} tells of the {word}." for number, word in enumerate(WORDS))
    told = chosen([long, "Ann moved to Lisbon.", "Ben repairs clocks."], 80)

    assert told[1:] == ["Ann moved to Lisbon.", "Ben repairs clocks."] and told[0]


def test_a_text_that_may_not_be_whole_leaves_a_sentence_out() -> None:
    [told] = chosen([f"{GREETING} {ANSWER}"], 100, never_whole=frozenset({0}))

    assert ANSWER in told and told != f"{GREETING} {ANSWER}"


def test_text_without_sentences_is_cut_between_words() -> None:
    [told] = chosen(["word " * 400 + "needle in the stack " + "word " * 400], 90, "needle")

    assert "needle" in told and "wor " not in told.replace(ELLIPSIS, " ")


def test_chinese_sentences_need_no_spaces() -> None:
    text = "我们在春天见面。港口很冷。安娜买了那条红色的船！然后我们吃饭。"

    assert "红色" in chosen([text], FRAME + 20, "红色")[0]
    assert chosen([text], 200) == [text]


@steady
@given(
    st.lists(st.text(max_size=120) | st.sampled_from([ANSWER, GREETING, "a. b. c. d."]), max_size=6),
    st.floats(0, 90),
    st.lists(st.text(max_size=5), max_size=3, unique=True),
)
def test_the_room_is_never_exceeded_and_excerpts_quote_the_text(
    texts: list[str], room: float, terms: list[str]
) -> None:
    told = chosen(texts, room, *terms)
    counted = sum(FRAME + token_share(one) for one in told if one)

    assert counted <= room + 1e-6
    for text, one in zip(texts, told, strict=True):
        whole = " ".join(text.split())
        assert all(part in whole for part in one.split(f"{ELLIPSIS} ")) or ELLIPSIS in text
