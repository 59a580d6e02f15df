"""Priors of an episode search: sessions, and the lasting preferences that it prefers for advice."""

from satchel.domain.passage import EvidenceLane, Passage, PassageId
from satchel.domain.ranking import Contribution
from satchel.recall.analyze import analyze_question
from satchel.recall.episodes import MAX_PREFERENCE_CHARS, SESSION, episode_priors, states_lasting_preference
from satchel.recall.passages import ScoredPassage
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


def test_a_turn_gains_from_the_best_turn_of_its_session() -> None:
    scored = [turn("a1", "a", 1.0), turn("a2", "a", 0.1), turn("b1", "b", 0.5), turn("c1", "c", 0.0)]
    session = episode_priors(analyze_question("which spice?", 0))[0]

    gained = {id: part.value for id, part in session(scored).items()}

    assert gained == {"a1": SESSION, "a2": SESSION, "b1": SESSION / 2}


def turn(id: str, session: str, score: float) -> ScoredPassage:
    passage = Passage(PassageId(id), EvidenceLane.EPISODES, "work", session, 0, "text")
    return ScoredPassage(passage, (Contribution("lexical", 1, score, score),))
