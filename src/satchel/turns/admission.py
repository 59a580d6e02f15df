"""Decide which of the memories found for a prompt go in front of it.

A memory is admitted by the log-odds that it matters: its relevance, whether the prompt is about the person's own matters at
all, and, before a task, whether it is a rule that could govern it. The thresholds were chosen on the development half of the
turn benchmark (`bench turns`).
"""

import math
import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Label, Trust
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


class Admission(Struct, frozen=True):
    """The memories that deserve a place before a prompt, best first."""

    trusted: tuple[Hit, ...] = ()
    untrusted: tuple[Hit, ...] = ()


def admit(hits: Sequence[Hit], prompt: Prompt, min_relevance: float) -> Admission:
    """Return the hits that deserve a place. None does if even the best is too little related to the prompt."""
    gives_task = is_task(prompt.text)
    # Words alone have to say something: without a calibrated cosine any memory is a hit.
    least = min_relevance if prompt.is_rated else max(min_relevance, MIN_BY_WORDS)
    likely = [(likelihood(hit.relevance, rated=prompt.is_rated), hit) for hit in hits]
    weighed = sorted(
        ((_log_odds(how, hit, gives_task) + prompt.own_log_odds, hit) for how, hit in likely if how >= least),
        key=lambda one: (-one[0], one[1].rank),
    )
    needed = _logit(MIN_BEST if prompt.is_rated else MIN_BEST_BY_WORDS)
    if not weighed or weighed[0][0] < needed:
        # Then at most the one memory that words and meaning agree on.
        weighed = [one for one in weighed if _is_best_by_both(one[1]) and one[0] + AGREEMENT >= needed]
    trusted = [one for one in weighed if one[1].memory.trust is Trust.TRUSTED]
    others = [one for one in weighed if one[1].memory.trust is not Trust.TRUSTED]
    # Each compared with its own best: what agents store cannot push a rule of the operator out.
    return Admission(_near_best(trusted), _near_best(others)[:MAX_UNTRUSTED])


def is_task(prompt: str) -> bool:
    """Return whether a prompt gives a task instead of asking a question."""
    # What is asked stands at the beginning or the end; between them may be a whole file.
    if len(prompt) > 2 * MAX_READ_CHARS:
        prompt = f"{prompt[:MAX_READ_CHARS]}\n{prompt[-MAX_READ_CHARS:]}"
    return _REQUEST.search(prompt) is not None or not (is_question(prompt) or _ASKS.search(prompt))


_Weighed = tuple[float, Hit]


def _near_best(weighed: Sequence[_Weighed]) -> tuple[Hit, ...]:
    if not weighed:
        return ()
    best = weighed[0][0]
    is_weak = best < _logit(WEAK)
    near = tuple(
        hit for weight, hit in weighed if weight >= best - (MAX_BEHIND_WEAK_BEST if is_weak else MAX_BEHIND_BEST)
    )
    return near[:MAX_IF_WEAK] if is_weak else near


def _log_odds(likelihood: float, hit: Hit, gives_task: bool) -> float:
    is_governing_rule = gives_task and hit.memory.kind in RULES
    is_ignored = hit.memory.label is Label.IGNORE
    return _logit(likelihood) + RULE_BONUS * is_governing_rule - IGNORED_MALUS * is_ignored


def _is_best_by_both(hit: Hit) -> bool:
    ranks = {part.name: part.rank for part in hit.contributions}
    return ranks.get(LEXICAL) == 1 and ranks.get(VECTOR) == 1


def _logit(probability: float) -> float:
    inside = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))
