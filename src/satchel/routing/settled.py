"""Order what was said about a decision: the message that settled the matter first, with its reasons.

A message that is near to a question about a decision often asks the same question. Only the message that settles it answers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from satchel.ports.reading import Discussion, Reading
from satchel.routing.contract import GOOD_ENOUGH
from satchel.routing.lanes import LaneHit

# From this likelihood on a message may have made the decision, if its discussion is what the question is about.
LIKELY = 0.2
# Maximum for what was said without a decision: it helps, but does not answer.
MAX_UNSETTLED = 0.35


def settled_first(
    said: Sequence[LaneHit], readings: Sequence[Reading], about: Callable[[Discussion], float]
) -> list[LaneHit]:
    """Return what was said about a question, the decisions that were read in front of it.

    A decision is as relevant as its discussion, or as the most relevant message there; `about` returns the former by words. What
    no discussion settles is limited.
    """
    relevance = {one.id: one.relevance for one in said}
    likely = [one for one in readings if one.likelihood >= LIKELY and not one.undecided]
    made = [_decision(one, relevance, about(one.discussion)) for one in likely]
    places = {message.ref for one in likely for message in one.discussion.messages}
    rest = (one for one in said if one.id not in {decision.id for decision in made})
    best = max((one.relevance for one in made), default=1.0)
    return [
        *made,
        *(replace(one, relevance=min(one.relevance, best if one.id in places else MAX_UNSETTLED)) for one in rest),
    ]


def without_open_questions(said: Iterable[LaneHit], is_question: Callable[[str], bool]) -> list[LaneHit]:
    """Return what was said where nothing could be read: at least, a question settles nothing."""
    return [replace(one, relevance=min(one.relevance, MAX_UNSETTLED)) if is_question(one.text) else one for one in said]


def of_that_time(
    readings: Iterable[Reading], own: Iterable[Reading], about: Callable[[Discussion], float]
) -> list[Reading]:
    """Return readings with those of what was decided at the time that a question asks about, if they are about it.

    At a given time little was decided, so that the words of a discussion are enough to say which of it is meant.
    """
    found = [one for one in readings if one.likelihood >= LIKELY]
    known = {message.ref for one in found for message in one.discussion.messages}
    added = (
        replace(one, likelihood=max(one.likelihood, about(one.discussion)))
        for one in own
        if one.decision.ref not in known
    )
    return [*found, *(one for one in added if one.likelihood >= GOOD_ENOUGH)]


def newest_decisions(readings: Iterable[Reading], relevance: float) -> Iterator[LaneHit]:
    """Yield decisions that were read without a question."""
    return (replace(_decision(one, {}, 0.0), relevance=relevance) for one in readings)


def decision_text(statement: str, reasons: Iterable[str]) -> str:
    """Return a decision with the reasons that it does not state itself."""
    others = [one for one in reasons if one not in statement]
    return statement + (f" (because {'; '.join(others)})" if others else "")


def _decision(reading: Reading, relevance: Mapping[str, float], about: float) -> LaneHit:
    topical = max((relevance.get(one.ref, 0.0) for one in reading.discussion.messages), default=0.0)
    text = decision_text(reading.decision.content, [one.content for one in reading.reasons])
    one = reading.decision
    # Two digits: the last bits of a sum depend on the processor.
    likelihood = round(reading.likelihood, 2)
    return LaneHit(one.ref, text, max(likelihood, topical, about), one.at, expanded_from=one.ref, was_said=True)
