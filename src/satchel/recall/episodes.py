"""What is known of a turn before a question is compared with it: who said it, when, in what company. Named contributions."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from heapq import nsmallest

from satchel.domain.passage import Passage, PassageId
from satchel.domain.periods import mentions_time
from satchel.domain.ranking import Contribution
from satchel.domain.text import normalised
from satchel.domain.wishes import is_lasting_wish
from satchel.recall.passages import Prior, Weighed, Weights
from satchel.recall.prepare import Prepared

# In parts of the best score that words and meaning can give together, which is 1.
SPEAKER = 0.3
# "I" and "you" say less than a name: what was answered is about the one who asked as well.
PERSON = 0.25
TIME = 0.08
PERIOD = 0.12
PHRASE = 0.25
QUESTION = -0.05
SESSION = 0.15
WISH = 0.15
# What each hit costs those behind it of the same session, where several things are asked for.
SPREAD = 0.03
# So many of the best candidates are read for a time, or for a wish: the others could not come far enough.
READ = 100
# A session is judged by so many of its best turns.
BEST_OF_SESSION = 3
# A longer turn that ends with a question has said something before it.
MAX_QUESTION_CHARS = 200
ASSISTANT = "conversation.assistant"
USER = "conversation.user"

_ENDS = re.compile(r"\s*\[[^\[\]]*\]\s*$")
_ASKING = ("?", "？")


class EpisodeWeights(Weights, frozen=True):
    """How much each ingredient of a search of episodes counts."""

    speaker: float = SPEAKER
    person: float = PERSON
    time: float = TIME
    period: float = PERIOD
    phrase: float = PHRASE
    question: float = QUESTION
    session: float = SESSION
    wish: float = WISH
    spread: float = SPREAD
    stop_phrases: bool = True
    """Whether how one asks is told from what one asks about."""


EPISODE_WEIGHTS = EpisodeWeights()


def priors(asked: Prepared, count: EpisodeWeights = EPISODE_WEIGHTS) -> tuple[Prior, ...]:
    """Return what counts for this question. The session comes first: it is judged by words and meaning alone."""
    chosen: list[Prior] = [partial(_session, count.session), _each("question", count.question, _is_question)]
    if asked.names:
        chosen.append(_each("speaker", count.speaker, lambda passage: passage.speaker in asked.names))
    elif asked.of_assistant or (asked.of_asker and not asked.seeks_summary):
        kind = ASSISTANT if asked.of_assistant else USER
        chosen.append(_each("person", count.person, lambda passage: passage.kind == kind))
    if asked.seeks_time:
        chosen.append(_among_best("time", count.time, lambda passage: mentions_time(passage.text)))
    if asked.seeks_help and not asked.names:
        # Help is wanted the way it was asked for once.
        chosen.append(_among_best("wish", count.wish, lambda one: one.kind == USER and is_lasting_wish(one.text)))
    if asked.periods:
        chosen.append(
            _each("period", count.period, lambda passage: any(one.holds(passage.at) for one in asked.periods))
        )
    if asked.phrases:
        wanted = [normalised(phrase) for phrase in asked.phrases]
        chosen.append(
            _each("phrase", count.phrase, lambda passage: any(one in normalised(passage.text) for one in wanted))
        )
    return tuple(chosen)


def _each(name: str, value: float, holds: Callable[[Passage], bool]) -> Prior:
    def prior(weighed: Sequence[Weighed]) -> Mapping[PassageId, Contribution]:
        return {one.passage.id: Contribution(name, None, 1.0, value) for one in weighed if holds(one.passage)}

    return prior


def _among_best(name: str, value: float, holds: Callable[[Passage], bool]) -> Prior:
    each = _each(name, value, holds)
    return lambda weighed: each(nsmallest(READ, weighed, key=lambda one: (-one.score, one.passage.id)))


def _session(most_gained: float, weighed: Sequence[Weighed]) -> Mapping[PassageId, Contribution]:
    """Let a turn gain by the company it keeps: the mean of its session's best turns, the best session in full."""
    scores: dict[tuple[str, str], list[float]] = {}
    for one in weighed:
        scores.setdefault(_session_of(one.passage), []).append(one.score)
    means = {key: math.fsum(sorted(found)[-BEST_OF_SESSION:]) / BEST_OF_SESSION for key, found in scores.items()}
    most = max(means.values(), default=0.0)
    if most <= 0:
        return {}
    return {
        one.passage.id: Contribution("session", None, mean, most_gained * mean / most)
        for one in weighed
        if (mean := means[_session_of(one.passage)]) > 0
    }


def _session_of(passage: Passage) -> tuple[str, str]:
    return passage.scope, passage.group


def _is_question(passage: Passage) -> bool:
    if len(passage.text) > MAX_QUESTION_CHARS:
        return False
    # A picture or another remark in brackets may follow.
    text = _ENDS.sub("", passage.text) if passage.text.rstrip().endswith("]") else passage.text
    return text.rstrip("'\"”)] \n").endswith(_ASKING)
