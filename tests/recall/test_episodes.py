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


def test_the_turn_after_a_question_gains_from_what_the_question_matches() -> None:
    asked, told = turn("asked", "a", 0.6, "Which spice?", 3), turn("told", "a", 0.0, "Cumin.", 4)
    others = [
        turn("later", "a", 0.0, "Or sumac.", 5),
        turn("said", "b", 0.6, "A spice.", 3),
        turn("next", "b", 0.0, "Right.", 4),
        turn("elsewhere", "c", 0.0, "Cumin.", 4),
    ]

    assert set(answers([asked, told, *others])) == {"told"}


def test_a_long_answer_gains_less() -> None:
    asked, short = turn("asked", "a", 0.6, "Which spice?", 3), turn("told", "a", 0.0, "Cumin.", 4)
    long = turn("told", "a", 0.0, "Cumin. " * 100, 4)

    assert answers([asked, long])["told"] < answers([asked, short])["told"] / 3


def answers(scored: list[ScoredPassage]) -> dict[str, float]:
    priors = episode_priors(analyze_question("which spice?", 0))
    return {id: part.value for prior in priors for id, part in prior(scored).items() if part.name == "answer"}


def turn(id: str, session: str, score: float, text: str = "text", position: int = 0) -> ScoredPassage:
    passage = Passage(PassageId(id), EvidenceLane.EPISODES, "work", session, position, text)
    return ScoredPassage(passage, (Contribution("lexical", 1, score, score),))
