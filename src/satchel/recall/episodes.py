"""Priors of an episode search: speaker, time, session and other signals beside text similarity, as named contributions."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from heapq import nsmallest

from satchel.domain.passage import Passage, PassageId
from satchel.domain.periods import mentions_time
from satchel.domain.ranking import Contribution
from satchel.domain.text import normalize_text
from satchel.recall.analyze import QuestionAnalysis
from satchel.recall.fusion import LEXICAL
from satchel.recall.passages import PassageWeights, Prior, ScoredPassage

# Weights relative to 1, the best score that words and meaning can give together.
SPEAKER = 0.3
# "I" and "you" say less than a name: an answer is often about the person who asked.
PERSON = 0.25
TIME = 0.08
PERIOD = 0.2
PHRASE = 0.25
QUESTION = -0.1
# Share of a question's lexical contribution that the next turn gets, because it may be the answer.
ANSWER = 0.3
# An answer of this many characters gets half of it: a long turn has words of its own.
HALF_ANSWER_CHARS = 150
SESSION = 0.4
WISH = 0.3
# The turn before says what a turn is about, more often than the one after does.
NEIGHBOUR_COSINES = (0.4, 0.15)
# A turn of this many words keeps half of its BM25 score.
HALF_MATCH_WORDS = 1_000
# Penalty per earlier hit of the same session, for questions with several answers.
SPREAD = 0.03
# Number of best candidates that are checked for a time or a preference: the others could not rank high enough.
MAX_CHECKED = 100
# A longer turn that ends with a question also makes a statement.
MAX_QUESTION_CHARS = 200
# A preference is stated early in a turn; the rest of a long paste is skipped.
MAX_PREFERENCE_CHARS = 2_000
ASSISTANT = "conversation.assistant"
USER = "conversation.user"

_TRAILING_REMARK = re.compile(r"\s*\[[^\[\]]*\]\s*$")
_QUESTION_MARKS = ("?", "？")
_LASTING_PREFERENCE = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\bplease )(?:always|never|from now on|going forward|in (?:the )?future|whenever|every time)\b"
    r"|\b(?:when(?:ever)?|each time|every time) i ask\b"
    r"|\bi(?:['’]d| would)? (?:\w+ )?(?:prefer|rather)\b|\bmy preference\b|\bi (?:\w+ )?(?:like|hate) (?:it|my|to) "
    r"|总是|總是|永远不要|永遠不要|从现在起|從現在起|以后[请都不别]|以後[請都不別]|每次我|每当我|每當我|[请請]务必|務必"
    r"|我(?:更|比较|比較|不|很|最)?(?:喜欢|喜歡|偏好)|我(?:宁愿|寧願|习惯|習慣)",
    re.IGNORECASE,
)


class EpisodeWeights(PassageWeights, frozen=True):
    """The weight of each signal of an episode search."""

    neighbour_cosines: tuple[float, float] = NEIGHBOUR_COSINES
    half_match_words: float = HALF_MATCH_WORDS
    speaker: float = SPEAKER
    person: float = PERSON
    time: float = TIME
    period: float = PERIOD
    phrase: float = PHRASE
    question: float = QUESTION
    answer: float = ANSWER
    session: float = SESSION
    wish: float = WISH
    spread: float = SPREAD
    stop_phrases: bool = True
    """Whether stop phrases are removed from the question."""


EPISODE_WEIGHTS = EpisodeWeights()


def episode_priors(question: QuestionAnalysis, weights: EpisodeWeights = EPISODE_WEIGHTS) -> tuple[Prior, ...]:
    """Return the priors for a question. The session comes first: it is scored by words and meaning alone."""
    priors: list[Prior] = [
        partial(_session, weights.session),
        _matching("question", weights.question, _is_question),
        partial(_answer, weights.answer),
    ]
    if question.names:
        priors.append(_matching("speaker", weights.speaker, lambda one: one.speaker in question.names))
    elif question.of_assistant or (question.of_asker and not question.seeks_summary):
        kind = ASSISTANT if question.of_assistant else USER
        priors.append(_matching("person", weights.person, lambda one: one.kind == kind))
    if question.seeks_time:
        priors.append(_among_best("time", weights.time, lambda one: mentions_time(one.text)))
    if question.seeks_help and not question.names:
        # Advice should follow the preferences that the user stated before.
        priors.append(
            _among_best("wish", weights.wish, lambda one: one.kind == USER and states_lasting_preference(one.text))
        )
    if question.periods:
        priors.append(
            _matching("period", weights.period, lambda one: any(period.holds(one.at) for period in question.periods))
        )
    if question.phrases:
        phrases = [normalize_text(phrase) for phrase in question.phrases]
        priors.append(
            _matching(
                "phrase", weights.phrase, lambda one: any(phrase in normalize_text(one.text) for phrase in phrases)
            )
        )
    return tuple(priors)


def states_lasting_preference(text: str) -> bool:
    """Return whether a text states how something is wanted from now on or in general. English and Chinese."""
    return _LASTING_PREFERENCE.search(text[:MAX_PREFERENCE_CHARS]) is not None


def _matching(name: str, value: float, matches: Callable[[Passage], bool]) -> Prior:
    def prior(scored: Sequence[ScoredPassage]) -> Mapping[PassageId, Contribution]:
        return {one.passage.id: Contribution(name, None, 1.0, value) for one in scored if matches(one.passage)}

    return prior


def _among_best(name: str, value: float, matches: Callable[[Passage], bool]) -> Prior:
    prior = _matching(name, value, matches)
    return lambda scored: prior(nsmallest(MAX_CHECKED, scored, key=lambda one: (-one.score, one.passage.id)))


def _session(weight: float, scored: Sequence[ScoredPassage]) -> Mapping[PassageId, Contribution]:
    """Score each turn by the best turn of its session, scaled so that the best session gets the full weight."""
    best_turns: dict[tuple[str, str], float] = {}
    for one in scored:
        key = one.passage.group_key
        best_turns[key] = max(one.score, best_turns.get(key, 0.0))
    best = max(best_turns.values(), default=0.0)
    if best <= 0:
        return {}
    return {
        one.passage.id: Contribution("session", None, score, weight * score / best)
        for one in scored
        if (score := best_turns[one.passage.group_key]) > 0
    }


def _answer(weight: float, scored: Sequence[ScoredPassage]) -> Mapping[PassageId, Contribution]:
    """Score the turn after each question that has words of the query: a short answer repeats few of them."""
    matches = {
        (one.passage.group_key, one.passage.position + 1): part.value
        for one in scored
        for part in one.contributions
        if part.name == LEXICAL and _is_question(one.passage)
    }
    found = ((one.passage, matches.get((one.passage.group_key, one.passage.position), 0.0)) for one in scored)
    return {
        passage.id: Contribution(
            "answer", None, match, weight * match * HALF_ANSWER_CHARS / (HALF_ANSWER_CHARS + len(passage.text))
        )
        for passage, match in found
        if match
    }


def _is_question(passage: Passage) -> bool:
    if len(passage.text) > MAX_QUESTION_CHARS or not any(mark in passage.text for mark in _QUESTION_MARKS):
        return False
    # An image or another remark in brackets may follow the question.
    text = _TRAILING_REMARK.sub("", passage.text) if passage.text.rstrip().endswith("]") else passage.text
    return text.rstrip("'\"”)] \n").endswith(_QUESTION_MARKS)
