"""Statements of lasting preferences, which episode search prefers for advice."""

from satchel.recall.episodes import MAX_PREFERENCE_CHARS, states_lasting_preference
from tests.tables import each_case


@each_case(
    "text",
    [
        "Always answer in French.",
        "One more thing: never push to main.",
        "Please always run the tests first.",
        "Use British spelling when I ask for a letter.",
        "I really prefer tabs.",
        "I'd rather walk.",
        "从现在起用中文回答",
        "我更喜欢喝茶",
    ],
)
def test_a_lasting_preference_is_recognized(text: str) -> None:
    assert states_lasting_preference(text)


@each_case(
    "text",
    [
        "It is always raining here.",
        "We never met.",
        "The tests pass.",
        "What time is it?",
        "",
        "x" * MAX_PREFERENCE_CHARS,
    ],
)
def test_a_plain_statement_is_not_a_preference(text: str) -> None:
    assert not states_lasting_preference(text)


def test_the_end_of_a_long_paste_is_skipped() -> None:
    assert not states_lasting_preference("x" * MAX_PREFERENCE_CHARS + "\nAlways answer in French.")
