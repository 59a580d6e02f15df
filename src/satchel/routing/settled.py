"""Order what was said about a decision: the message that settled the matter first, with its reasons.

A message that is near to a question about a decision often asks the same question. Only the message that settles it answers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.conversation import Message
from satchel.domain.periods import Period
from satchel.domain.sentences import sentences
from satchel.ports.reading import Discussion, Reading
from satchel.recall.relevance import PLAUSIBLE
from satchel.routing.classify import asks_for_decision
from satchel.routing.contract import GOOD_ENOUGH
from satchel.routing.lanes import LaneHit
from satchel.routing.text_relevance import holds_all

# From this likelihood on a message may have made the decision that a question asks about; less is needed in a discussion that
# its words clearly match.
LIKELY, LIKELY_ON_TOPIC = 0.15, 0.05
# From this likelihood on it made one, whatever is asked.
PROBABLE = 0.5
# A discussion that is neither this near to a question nor plausible by its words is about something else, however much a message
# there sounds like a decision. Chosen on the half `tuned` of the route benchmark.
NEAR = 0.35
# Maximum for what was said without a decision: it helps, but does not answer.
MAX_UNSETTLED = 0.35
# What the messages after a question count that nothing was read to settle, and how many of them.
FOLLOWING, MAX_FOLLOWING = 0.3, 4


def settled_first(
    said: Sequence[LaneHit],
    readings: Sequence[Reading],
    about: Callable[[Discussion], float],
    states_it: Callable[[str], bool],
    asks: Callable[[str], bool],
) -> list[LaneHit]:
    """Return what was said about a question, the decisions that were read in front of it.

    A decision is as relevant as its discussion, or as the most relevant message there; `about` returns the former by words. What
    no discussion settles is limited, unless `states_it`: a message that states all that is asked about answers by itself, except
    in a discussion that was left open. A decision that was made before the matter was raised does not count, and one about
    something else comes last. If nothing was decided, the message that asks stands before others that are as relevant, and what
    followed it is listed, since that may have settled the matter.
    """
    relevance = {one.id: one.relevance for one in said}
    made_on_it = (one for one in readings if not one.undecided and not _precedes_question(one, relevance, asks))
    rated = [(one, _topical(one, relevance, about)) for one in made_on_it]
    likely = [(one, topical) for one, topical in rated if one.likelihood >= _least_likelihood(topical)]
    made = [_decision(one, topical) for one, topical in likely if _is_on_topic(one, topical)]
    others = [_decision(one, topical) for one, topical in likely if not _is_on_topic(one, topical)]
    others = [replace(one, relevance=min(one.relevance, MAX_UNSETTLED)) for one in others]
    settled = {message.ref for one, _ in likely for message in one.discussion.messages}
    left_open = {message.ref for one in readings if one.undecided for message in one.discussion.messages}
    best = max((one.relevance for one in (*made, *others)), default=1.0)

    def limit(one: LaneHit) -> float:
        if one.id in settled:
            return best
        return 1.0 if one.id not in left_open and states_it(one.text) else min(best, MAX_UNSETTLED)

    decided = {one.id for one in (*made, *others)}
    rest = [replace(one, relevance=min(one.relevance, limit(one))) for one in said if one.id not in decided]
    if not made:
        rest.sort(key=lambda one: (-one.relevance, not asks(one.text)))
        rest = _with_what_followed(rest, readings, asks)
    return [*made, *rest, *others]


def _with_what_followed(
    said: Sequence[LaneHit], readings: Iterable[Reading], asks: Callable[[str], bool]
) -> list[LaneHit]:
    """Return what was said with the messages after the most relevant one, if that one asks."""
    discussions = (one.discussion.messages for one in readings)
    several = next((some for some in discussions if said and said[0].id in {one.ref for one in some}), ())
    if not several or not asks(said[0].text):
        return list(said)
    place = next(place for place, one in enumerate(several) if one.ref == said[0].id)
    known, relevance = {one.id: one for one in said}, min(FOLLOWING, said[0].relevance)
    followed = [
        known.get(one.ref) or LaneHit(one.ref, one.content, relevance, one.at, expanded_from=one.ref)
        for one in several[place + 1 : place + 1 + MAX_FOLLOWING]
    ]
    listed = [said[0], *(replace(one, relevance=max(one.relevance, relevance)) for one in followed)]
    ids = {one.id for one in listed}
    return [*listed, *(one for one in said if one.id not in ids)]


def may_state(terms: Sequence[str], text: str) -> bool:
    """Return whether a text that was not read as a decision may state one: it holds every word that the question is about.

    One word says what a text is about, not that anything was decided.
    """
    return len(terms) != 1 and holds_all(terms, text)


def states_all(terms: Sequence[str], is_question: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return a function that says whether a text states all terms, rather than asks about some of them.

    What stands before the question that ends a text only says what it asks about.
    """

    def states(text: str) -> bool:
        said = list(_sentences(text))
        asks = bool(said) and is_question(said[-1])
        return not asks and may_state(terms, " ".join(one for one in said if not is_question(one)))

    return states


def contains_question(is_question: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return a function that says whether a sentence of a text is a question."""
    return lambda text: any(map(is_question, _sentences(text)))


def without_open_questions(
    said: Iterable[LaneHit], asks: Callable[[str], bool], states_it: Callable[[str], bool]
) -> list[LaneHit]:
    """Limit the relevance of messages that ask, for when no discussion could be read: a question settles nothing.

    What else such a message states may still answer.
    """
    return [
        replace(one, relevance=min(one.relevance, MAX_UNSETTLED)) if asks(one.text) and not states_it(one.text) else one
        for one in said
    ]


def _sentences(text: str) -> Iterator[str]:
    return (one for line in text.splitlines() for one in sentences(line))


def held_in(period: Period, readings: Iterable[Reading]) -> list[Reading]:
    """Return readings as of the time that a question asks about: what was replaced later counts as the decision."""
    return [
        replace(one, decision=one.replaced, reasons=(), replaced=None)
        if one.replaced is not None and period.holds(one.replaced.at) and not period.holds(one.decision.at)
        else one
        for one in readings
    ]


def of_that_time(
    readings: Iterable[Reading], own: Iterable[Reading], about: Callable[[Discussion], float]
) -> list[Reading]:
    """Return readings with those of what was decided at the time that a question asks about, if they are about it.

    Few decisions were made at one time, so the words of a discussion are enough to select the one that is meant.
    """
    found = [one for one in readings if one.likelihood >= LIKELY]
    known = {message.ref for one in found for message in one.discussion.messages}
    added = (replace(one, likelihood=about(one.discussion)) for one in own if one.decision.ref not in known)
    return [*found, *(one for one in added if one.likelihood >= GOOD_ENOUGH)]


def newest_decisions(readings: Iterable[Reading], relevance: float) -> Iterator[LaneHit]:
    """Yield decisions that were read without a question, if they are more likely than not."""
    return (replace(_decision(one, 0.0), relevance=relevance) for one in readings if one.likelihood >= PROBABLE)


def decision_text(statement: str, reasons: Iterable[str]) -> str:
    """Return a decision with the reasons that it does not state itself."""
    others = [one for one in reasons if one not in statement]
    return statement + (f" (because {'; '.join(others)})" if others else "")


def _topical(reading: Reading, relevance: Mapping[str, float], about: Callable[[Discussion], float]) -> float:
    """Return how relevant a discussion is: as a whole, or as its most relevant message."""
    discussion = reading.discussion
    return max(about(discussion), *(relevance.get(one.ref, 0.0) for one in discussion.messages))


def _precedes_question(reading: Reading, relevance: Mapping[str, float], asks: Callable[[str], bool]) -> bool:
    """Return whether the matter was raised only after the decision, which therefore settled another one.

    A question about what was decided looks back instead.
    """

    def matches(one: Message) -> bool:
        return relevance.get(one.ref, 0.0) >= PLAUSIBLE

    before = [one for one in reading.discussion.messages if one.seq <= reading.decision.seq]
    after = reading.discussion.messages[len(before) :]
    if any(map(matches, before)):
        return False
    return any(matches(one) and asks(one.content) and not asks_for_decision(one.content) for one in after)


def _is_on_topic(reading: Reading, topical: float) -> bool:
    return topical >= PLAUSIBLE or reading.near >= NEAR


def _least_likelihood(topical: float) -> float:
    return LIKELY_ON_TOPIC if topical >= GOOD_ENOUGH else LIKELY


def _decision(reading: Reading, topical: float) -> LaneHit:
    text = decision_text(reading.decision.content, [one.content for one in reading.reasons])
    one = reading.decision
    # Two digits: the last bits of a sum depend on the processor.
    likelihood = round(reading.likelihood, 2)
    return LaneHit(one.ref, text, max(likelihood, topical), one.at, expanded_from=one.ref, was_said=True)
