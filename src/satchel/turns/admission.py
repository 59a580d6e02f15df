"""Decide which of the memories found for a prompt go in front of it.

A prompt asks little of its memories if it is about the person's own matters ("what did we decide", "my"), and more if it
could be asked of anybody. A prompt that is no question gives a task, and rules that could govern it count for more.
The thresholds were chosen on the development half of the turn benchmark (`bench turns`).
"""

import math
import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Label, Trust
from satchel.domain.statements.detect import is_question

# Minimum relevance of the best memory, unless the question is about the person's own matters.
MIN_BEST_RELEVANCE = 0.03
# How much less relevant than the best memory the others may be, in log-odds.
MAX_BEHIND_BEST = 3.0
# If even the best is this little related, the prompt may be about something else: then few memories, all near the best.
WEAK_RELEVANCE = 0.1
MAX_BEHIND_WEAK_BEST = 2.0
MAX_IF_WEAK = 3
# What a rule gains before a task, and what a memory graded unimportant loses, in log-odds.
RULE_BONUS = 2.0
IGNORED_MALUS = 0.5
RULES = (Kind.PREFERENCE, Kind.PROCEDURE)
# Memories that were not confirmed, beside the places of the trusted ones.
MAX_UNTRUSTED = 2

_OWN = re.compile(r"\b(?:i|we|us|me|my|mine|our|ours|let's)\b|我|咱|俺", re.IGNORECASE)
# Politeness makes a question of a task: "could you commit this?" But "can you remind me" does ask.
_REQUEST = re.compile(
    r"^\W*(?:please\b|(?:can|could|would|will) you (?!(?:tell|remind|explain|say|recall|remember|show)\b))|"
    r"^\W*(?:請|请|麻煩|麻烦|幫我|帮我|幫忙|帮忙)",
    re.IGNORECASE,
)


class PromptTraits(Struct, frozen=True):
    """What a prompt wants from memory."""

    is_task: bool
    """Whether it gives a task instead of asking a question."""
    is_own: bool
    """Whether it is about matters of the person who asks."""


class Admission(Struct, frozen=True):
    """The memories that deserve a place before a prompt, best first."""

    trusted: tuple[Hit, ...] = ()
    untrusted: tuple[Hit, ...] = ()


def prompt_traits(prompt: str) -> PromptTraits:
    """Return what a prompt wants from memory."""
    is_task = not is_question(prompt) or _REQUEST.search(prompt) is not None
    return PromptTraits(is_task, _OWN.search(prompt) is not None)


def admit(hits: Sequence[Hit], prompt: str, min_relevance: float) -> Admission:
    """Return the hits that deserve a place. None does if even the best is too little related to the prompt."""
    traits = prompt_traits(prompt)
    weighed = sorted(((_log_odds(hit, traits), hit) for hit in hits), key=lambda one: (-one[0], one[1].rank))
    asks_own = traits.is_own and not traits.is_task
    needed = min_relevance if asks_own else max(min_relevance, MIN_BEST_RELEVANCE)
    # A rule alone, gaining from the task, does not make small talk a task.
    is_related = any(hit.relevance >= min_relevance for hit in hits)
    if not is_related or weighed[0][0] < _logit(needed):
        return Admission()
    trusted = [one for one in weighed if one[1].memory.trust is Trust.TRUSTED]
    others = [one for one in weighed if one[1].memory.trust is not Trust.TRUSTED]
    # Each compared with its own best: what agents store cannot push a rule of the operator out.
    return Admission(_near_best(trusted, min_relevance), _near_best(others, min_relevance)[:MAX_UNTRUSTED])


def required_relevance(min_relevance: float) -> float:
    """Return the relevance below which no hit can be admitted, whatever the prompt."""
    return _probability(_logit(min_relevance) - RULE_BONUS)


_Weighed = tuple[float, Hit]


def _near_best(weighed: Sequence[_Weighed], min_relevance: float) -> tuple[Hit, ...]:
    if not weighed:
        return ()
    best = weighed[0][0]
    is_weak = best < _logit(WEAK_RELEVANCE)
    least = max(_logit(min_relevance), best - (MAX_BEHIND_WEAK_BEST if is_weak else MAX_BEHIND_BEST))
    near = tuple(hit for weight, hit in weighed if weight >= least)
    return near[:MAX_IF_WEAK] if is_weak else near


def _log_odds(hit: Hit, traits: PromptTraits) -> float:
    is_governing_rule = traits.is_task and hit.memory.kind in RULES
    is_ignored = hit.memory.label is Label.IGNORE
    return _logit(hit.relevance) + RULE_BONUS * is_governing_rule - IGNORED_MALUS * is_ignored


def _logit(probability: float) -> float:
    inside = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
