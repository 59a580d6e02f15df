"""Decide which of the memories found for a prompt go in front of it.

A memory is admitted by the log-odds that it matters: its relevance, whether the prompt is about the person's own matters at
all, and, before a task, whether it is a rule that could govern it. If there is a judge, it reads the likeliest of them
together with the prompt, and its judgement counts most. The thresholds were chosen on the development half of the turn
benchmark (`bench turns`).
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Label, MemoryId, Trust
from satchel.domain.statements.detect import is_question
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.relevance import MIN_BY_WORDS, likelihood

# Minimum probability that the best memory matters; below, none is admitted. Without calibrated cosines, words alone have to
# show it, and they show more than nothing for almost any memory.
MIN_BEST = 0.055
MIN_BEST_BY_WORDS = 0.1
# What a memory gains, in log-odds, that is the best both by words and by meaning, if no memory is admitted without that.
AGREEMENT = 1.5
# How far behind the best memory the others may be, in log-odds.
MAX_BEHIND_BEST = 4.0
# If even the best matters this little, the prompt may be about something else: then few memories, all near the best.
WEAK = 0.1
MAX_BEHIND_WEAK_BEST = 2.0
MAX_IF_WEAK = 3
# What a rule gains before a task, and what a memory graded unimportant loses, in log-odds.
RULE_BONUS = 2.0
IGNORED_MALUS = 0.5
RULES = (Kind.PREFERENCE, Kind.PROCEDURE)
# Memories that were not confirmed, beside the places of the trusted ones.
MAX_UNTRUSTED = 2
# A memory less likely than this, in log-odds, is not read with the prompt, and at most this many are, of each trust.
MIN_READ = -7.0
MAX_READ_TRUSTED = 6
MAX_READ_UNTRUSTED = 2
# Rules that govern a task often share nothing with its wording, so relevance finds them less well.
MAX_READ_FOR_TASK = 8
# Nor is one read that is this far behind the likeliest: on the development half none of them was wanted.
MAX_BEHIND_READ = 7.0
# Minimum log-odds, with the judgement, of a memory to be admitted, and how far behind the best the others may be. On the
# development half any minimum from -1.45 to -0.4 makes about as many errors, prompts without a wanted memory and memories off
# topic. A memory off topic costs more: on the stores `later`, -1.0 let 0.44 of them pass before such a prompt, this one 0.25.
MIN_JUDGED = -0.4
MAX_BEHIND_JUDGED = 4.0
# Likelihoods are rounded, to print the same everywhere.
DIGITS = 4
# Characters read at each end of a prompt to tell a task from a question.
MAX_READ_CHARS = 4_000

# A question without a question mark or an apostrophe.
_ASKS = re.compile(
    r"^\W*(?:(?:ok|hey|so|and)\W+)*(?:what|who|where|when|why|how|which)(?:s|re|d)?\b|"
    r"怎樣|怎样|怎麼|怎么|什麼|什么|哪|多少|誰|谁|嗎|吗",
    re.IGNORECASE,
)
# Politeness makes a question of a task: "could you commit this?" But "can you remind me" does ask.
_REQUEST = re.compile(
    r"^\W*(?:please\b|(?:can|could|would|will) you (?!(?:tell|remind|explain|say|recall|remember|show)\b))|"
    r"請|请|麻煩|麻烦|幫|帮",
    re.IGNORECASE,
)


class Prompt(Struct, frozen=True):
    """What is known of a prompt."""

    text: str
    own_log_odds: float
    """Of being about the person's own matters."""
    is_rated: bool
    """Whether the cosines of its hits are calibrated."""
    gives_task: bool
    """Instead of asking a question."""


class Signals(Struct, frozen=True):
    """What is known of a memory and a prompt before both are read together."""

    relevance: float
    """As log-odds."""
    is_governing_rule: bool
    """Whether it is a rule, before a task."""
    is_ignored: bool


class Weights(Struct, frozen=True):
    """What each signal counts towards the log-odds that a memory belongs in front of a prompt."""

    base: float
    judged: float
    """The judge's log-odds."""
    relevance: float
    own: float
    is_governing_rule: float
    is_ignored: float


# Fitted on the development half of the turn benchmark as `python -m training judge-weigh` does on stores, but for the label: it
# counts as much beside the relevance as without a judge.
JUDGED = Weights(
    base=0.66, judged=0.59, relevance=0.232, own=0.386, is_governing_rule=0.674, is_ignored=-0.232 * IGNORED_MALUS
)


class Admission(Struct, frozen=True):
    """The memories that deserve a place before a prompt, best first."""

    trusted: tuple[Hit, ...] = ()
    untrusted: tuple[Hit, ...] = ()
    likelihoods: Mapping[MemoryId, float] = {}
    """How likely each memory that a judge has read belongs there; none if there was no judge."""


Judge = Callable[[str, Sequence[Sequence[str]]], Sequence[Sequence[float]] | None]
"""Reads a prompt and sets of memories, and returns the log-odds of each memory; None if that is not possible now."""


def admit(hits: Sequence[Hit], prompt: Prompt, min_relevance: float, judge: Judge | None = None) -> Admission:
    """Return the hits that deserve a place. None does if even the best is too little related to the prompt."""
    # Words alone have to say something: without a calibrated cosine any memory is a hit.
    least = min_relevance if prompt.is_rated else max(min_relevance, MIN_BY_WORDS)
    weighed = sorted(
        (
            (prior_log_odds(hit, prompt), hit)
            for hit in hits
            if likelihood(hit.relevance, rated=prompt.is_rated) >= least
        ),
        key=_best_first,
    )
    return (_judged(weighed, prompt, judge) if judge and prompt.is_rated else None) or _by_prior(weighed, prompt)


def prior_log_odds(hit: Hit, prompt: Prompt) -> float:
    """Return the log-odds that a memory matters, without having read it together with the prompt."""
    known = weigh(hit, prompt)
    return (
        known.relevance + RULE_BONUS * known.is_governing_rule - IGNORED_MALUS * known.is_ignored + prompt.own_log_odds
    )


def weigh(hit: Hit, prompt: Prompt) -> Signals:
    """Return what is known of a memory."""
    return Signals(
        relevance=_logit(likelihood(hit.relevance, rated=prompt.is_rated)),
        is_governing_rule=prompt.gives_task and hit.memory.kind in RULES,
        is_ignored=hit.memory.label is Label.IGNORE,
    )


def is_task(prompt: str) -> bool:
    """Return whether a prompt gives a task instead of asking a question."""
    # What is asked stands at the beginning or the end; between them may be a whole file.
    if len(prompt) > 2 * MAX_READ_CHARS:
        prompt = f"{prompt[:MAX_READ_CHARS]}\n{prompt[-MAX_READ_CHARS:]}"
    return _REQUEST.search(prompt) is not None or not (is_question(prompt) or _ASKS.search(prompt))


_Weighed = tuple[float, Hit]


def _best_first(one: _Weighed) -> tuple[float, int]:
    return -one[0], one[1].rank


def _by_trust(weighed: Sequence[_Weighed]) -> tuple[list[_Weighed], list[_Weighed]]:
    """Part trusted memories from others: what agents store cannot push a rule of the operator out."""
    trusted = [one for one in weighed if one[1].memory.trust is Trust.TRUSTED]
    return trusted, [one for one in weighed if one[1].memory.trust is not Trust.TRUSTED]


def _judged(weighed: Sequence[_Weighed], prompt: Prompt, judge: Judge) -> Admission | None:
    """Admit by what a judge reads in the prompt and the likeliest memories; None if it cannot read."""
    likely = [one for one in weighed if one[0] >= MIN_READ]
    if not likely:
        return Admission()
    most = MAX_READ_FOR_TASK if prompt.gives_task else MAX_READ_TRUSTED
    trusted, others = _by_trust(likely)
    # Read apart: what agents store cannot change how a rule of the operator is judged.
    read = [_worth_reading(trusted[:most]), _worth_reading(others[:MAX_READ_UNTRUSTED])]
    judgements = judge(prompt.text, [[hit.memory.text for hit in part] for part in read])
    if judgements is None:
        return None
    judged = [
        sorted(
            ((judged_log_odds(weigh(hit, prompt), prompt, one), hit) for hit, one in zip(part, odds, strict=True)),
            key=_best_first,
        )
        for part, odds in zip(read, judgements, strict=True)
    ]
    likelihoods = {hit.memory.id: round(_probability(one), DIGITS) for part in judged for one, hit in part}
    return Admission(_fitting(judged[0]), _fitting(judged[1]), likelihoods)


def _worth_reading(weighed: Sequence[_Weighed]) -> list[Hit]:
    return [hit for one, hit in weighed if one >= weighed[0][0] - MAX_BEHIND_READ]


def _fitting(judged: Sequence[_Weighed]) -> tuple[Hit, ...]:
    return tuple(hit for one, hit in judged if one >= max(MIN_JUDGED, judged[0][0] - MAX_BEHIND_JUDGED))


def judged_log_odds(known: Signals, prompt: Prompt, judged: float) -> float:
    """Return the log-odds that a memory belongs in front of a prompt, with what a judge read."""
    return (
        JUDGED.base
        + JUDGED.judged * judged
        + JUDGED.relevance * known.relevance
        + JUDGED.own * prompt.own_log_odds
        + JUDGED.is_governing_rule * known.is_governing_rule
        + JUDGED.is_ignored * known.is_ignored
    )


def _by_prior(weighed: Sequence[_Weighed], prompt: Prompt) -> Admission:
    needed = _logit(MIN_BEST if prompt.is_rated else MIN_BEST_BY_WORDS)
    if not weighed or weighed[0][0] < needed:
        # Then at most the one memory that words and meaning agree on.
        weighed = [one for one in weighed if _is_best_by_both(one[1]) and one[0] + AGREEMENT >= needed]
    # Each compared with its own best.
    trusted, others = _by_trust(weighed)
    return Admission(_near_best(trusted), _near_best(others)[:MAX_UNTRUSTED])


def _near_best(weighed: Sequence[_Weighed]) -> tuple[Hit, ...]:
    if not weighed:
        return ()
    best = weighed[0][0]
    is_weak = best < _logit(WEAK)
    near = tuple(
        hit for weight, hit in weighed if weight >= best - (MAX_BEHIND_WEAK_BEST if is_weak else MAX_BEHIND_BEST)
    )
    return near[:MAX_IF_WEAK] if is_weak else near


def _is_best_by_both(hit: Hit) -> bool:
    ranks = {part.name: part.rank for part in hit.contributions}
    return ranks.get(LEXICAL) == 1 and ranks.get(VECTOR) == 1


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _logit(probability: float) -> float:
    inside = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))
