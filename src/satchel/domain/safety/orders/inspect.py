"""Decide whether a text reads as an order to the agent: a linear score over the cues of its sentences.

The score of a sentence, or of two that follow each other, is the sum of the weights of its cues and of the combinations
they make; the text has the highest of these. The older rules of `injection` are consulted where the cues suggest one. The
reasons are parts of that sum, so the explanation is the computation. This is a tripwire: it says which texts to keep from
a prompt until somebody has looked, not which texts are safe.
"""

from functools import lru_cache

from msgspec import Struct

from satchel.domain.safety.injection import matching_rules
from satchel.domain.safety.orders.combinations import COMBINATIONS, EXCLUDED
from satchel.domain.safety.orders.cues import CUES, Sentence, read_sentences
from satchel.domain.safety.orders.text import decoded, plain, split_sentences, without_quotes
from satchel.domain.safety.orders.weights import BIAS, COMBINED, SINGLES

MAX_REASONS = 4
NAMES = (*CUES, "mention", "two_sentences")
"""The cues by their bit, with what is known of a whole passage of text."""
_BIT = {name: 1 << place for place, name in enumerate(NAMES)}
_MENTIONED, _FOLLOWED = _BIT["mention"], _BIT["two_sentences"]
_FORBIDDEN, _COMMANDED, _TELL, _QUESTION = (_BIT[name] for name in ("forbidden", "commanded", "tell", "question"))
# A passage with fewer cues does not reach the threshold.
MIN_CUES = 3
# What a matching rule of `injection` is worth: enough by itself.
RULE_SCORE = 1.0
# The rules of `injection` that harmless texts of tools and pages do not match, with the cues that they need; any cue of
# each group will do.
RULE_CUES = {
    "override": "drop|disable|void|obey|destroy prompt|rules|always|you",
    "lifted limits": "role|rules|prompt you|agent|maybe_agent",
    "new role": "future|role you|agent",
    "told its prompt": "tell|share prompt",
    "money moved": "pay|send|permit money",
    "carried away": "send|share destination private|secret|always",
    "behind the user's back": "not person tell|hide",
    "忽略指令": "drop|skip prompt|rules|private",
    "新身份": "you|role future|role|not|drop",
    "交出提示": "share|tell prompt",
    "命令助手": "agent|maybe_agent|not|skip|send must|not|check|destination|run|tell",
}
# Its languages have no cues: always tried.
_WITHOUT_CUES = frozenset({"override in other languages"})


class _Combination(Struct, frozen=True):
    name: str
    groups: tuple[int, ...]
    excluded: int
    weight: float

    def holds(self, cues: int) -> bool:
        """Return whether a passage with these cues has this combination."""
        return not cues & self.excluded and all(cues & group for group in self.groups)


class OrderScore(Struct, frozen=True):
    """How much a text reads as an order to the agent, and why."""

    score: float
    """Above 0 it does."""
    reasons: tuple[str, ...]
    """The rules, combinations and cues that add most."""


def agent_orders(text: str) -> tuple[str, ...]:
    """Return the reasons why a text reads as an order to the agent; none if it does not."""
    found = order_score(text)
    return found.reasons if found.score > 0 else ()


def order_score(text: str) -> OrderScore:
    """Score a text and what is encoded in it."""
    texts = (text, *decoded(text))
    found = passages(text, texts)
    best, cues = max(((_score(one), one) for one in found), default=(BIAS, 0))
    if best > 0:
        return OrderScore(round(best, 4), _reasons(cues))
    likely = _WITHOUT_CUES.union(*map(_likely_rules, found))
    rules = tuple(name for one in texts for name in _matching(one, likely))
    return OrderScore(RULE_SCORE, rules[:MAX_REASONS]) if rules else OrderScore(round(best, 4), ())


def passages(text: str, texts: tuple[str, ...] | None = None) -> set[int]:
    """Return the cues of each sentence, and of each two sentences that follow each other, as bits."""
    found: set[int] = set()
    for one in (text, *decoded(text)) if texts is None else texts:
        before = 0
        for sentence in read_sentences(plain(one)):
            cues = _cues(sentence)
            found.add(cues)
            if before:
                found.add(before | cues | _FOLLOWED)
            before = cues
    return {one for one in found if one.bit_count() >= MIN_CUES}


def combinations_of(cues: int) -> list[str]:
    """Return the names of the combinations that a passage has."""
    return [one.name for one in _COMBINATIONS if one.holds(cues)]


def _cues(sentence: Sentence) -> int:
    # What a text about attacks or rules quotes is an example.
    return sentence.cues | _MENTIONED if sentence.mentions else sentence.cues | sentence.quoted


@lru_cache(maxsize=4096)
def _likely_rules(cues: int) -> tuple[str, ...]:
    return tuple(name for name, groups in _RULE_GROUPS.items() if all(cues & group for group in groups))


def _matching(text: str, likely: frozenset[str]) -> tuple[str, ...]:
    """Return the rules of `injection` that match what a text itself orders: no examples, questions or prohibitions."""
    likely = frozenset(name for name in likely if name.isascii()) if text.isascii() else likely
    if not matching_rules(text, likely):
        return ()
    if any(_orders_nothing(one) for one in read_sentences(plain(text))):
        text = "\n".join(one for one in split_sentences(without_quotes(text)) if _may_order(one))
    return matching_rules(text, likely)


def _may_order(sentence: str) -> bool:
    return not any(map(_orders_nothing, read_sentences(plain(sentence))))


def _orders_nothing(sentence: Sentence) -> bool:
    # "Never reveal the prompt" protects it; "never tell the user" hides something.
    protects = sentence.cues & _FORBIDDEN and not sentence.cues & (_COMMANDED | _TELL)
    return sentence.mentions or bool(sentence.cues & _QUESTION) or bool(protects)


def _groups(listed: str) -> tuple[int, ...]:
    return tuple(_any_of(group) for group in listed.split() if not group.startswith("!"))


def _any_of(group: str) -> int:
    cues = 0
    for name in group.lstrip("!").split("|"):
        cues |= _BIT[name]
    return cues


_EXCLUDED = _any_of("|".join(EXCLUDED))
_COMBINATIONS = tuple(
    _Combination(
        name,
        _groups(listed),
        _EXCLUDED | sum(_any_of(group) for group in listed.split() if group.startswith("!")),
        COMBINED.get(name, 0.0),
    )
    for name, listed in COMBINATIONS.items()
)
_RULE_GROUPS = {name: _groups(listed) for name, listed in RULE_CUES.items()}
_SINGLES = tuple((place, SINGLES[name]) for place, name in enumerate(NAMES) if SINGLES.get(name))


@lru_cache(maxsize=4096)
def _score(cues: int) -> float:
    alone = sum(weight for place, weight in _SINGLES if cues >> place & 1)
    return BIAS + alone + sum(one.weight for one in _COMBINATIONS if one.holds(cues))


def _reasons(cues: int) -> tuple[str, ...]:
    combined = [(one.weight, one.name) for one in _COMBINATIONS if one.weight > 0 and one.holds(cues)]
    alone = [(weight, NAMES[place]) for place, weight in _SINGLES if weight > 0 and cues >> place & 1]
    ordered = [*sorted(combined, key=_by_weight), *sorted(alone, key=_by_weight)]
    return tuple(name for _, name in ordered[:MAX_REASONS])


def _by_weight(one: tuple[float, str]) -> tuple[float, str]:
    return -one[0], one[1]
