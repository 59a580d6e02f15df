"""Generated texts: sentences from a seeded grammar with a realistic word frequency distribution."""

import itertools
import random
from collections.abc import Iterator, Sequence

from msgspec import Struct

from bench.speed import vocabulary as words

SCOPES = tuple(f"project/{name}" for name in words.SCOPE_NAMES)
# Most memories of these scopes are ungraded and some untrusted: a recall there searches each tier.
MIXED_SCOPES = SCOPES[-2:]
SEED = 20_261_115
# Texts beyond these are variations of the first, so that a million memories do not need a million embeddings.
EMBEDDED = 100_000
# One variation in so many is in a small scope of its own: 100 of a million.
SMALL_SCOPE = "project/small"
ONE_IN = 9_000
VARIATION = " See also "
"""Separates a text from what its variation adds."""

_KINDS = ("fact", "fact", "decision", "preference", "procedure", "reflection", "todo", "summary", "other")
_TEMPLATES = (
    "{person} {action} the {quality} {thing} of {name} {when} because {reason}.",
    "The {quality} {thing} for {name} lives in {place}, and {person} has the key.",
    "{name}: the {thing} must be {action} {when}; ask {person} first.",
    "We decided to keep the {quality} {thing} in {place} because {reason}.",
    "{person} prefers a {quality} {thing} to the one from {name}.",
    "To get the {thing} {action}, call {person} in {place} and mention {name}.",
    "Never touch the {quality} {thing} {when}: {reason}.",
    "The {thing} of {name} costs {number} a year and is {action} {when}.",
    "Lesson learned: a {quality} {thing} was {action} without {person}, and {reason}.",
    "{person} moves to {place} {when} and takes the {thing} along.",
    "Ticket {name}-{number}: {quality} {thing} was {action} in {place} by {person}.",
    "Remind {person} that the {thing} has to be {action} {when}.",
)
_QUESTIONS = (
    "Why was the {quality} {thing} of {name} {action}?",
    "Where is the {quality} {thing} for {name}?",
    "What does {person} think about the {thing}?",
    "{thing} {name} {person}",
    "When will the {quality} {thing} be {action}?",
    "What should I know about the {thing} in {place}?",
)

_CHINESE_TEMPLATES = (
    "{person}{action}了{name}的{thing}，因为{reason}。",
    "我们{action}{thing}，原因是{reason}，请先问{person}。",
    "{thing}放在{name}那里，{person}有钥匙，{when}需要{action}。",
)
_CHINESE_QUESTIONS = ("{thing}为什么要{action}？", "{person}的{thing}在哪里？", "{name} {thing}")
_CHINESE_SHARE = 0.08
# Zipf-Mandelbrot offset: without it the first word of a short list would be in every fifth text.
_FLATTENING = 10


class Text(Struct, frozen=True):
    """A text to store, its scope and kind, and a question that should find it."""

    text: str
    scope: str
    kind: str
    question: str


def corpus(count: int) -> list[Text]:
    """Return `count` different texts; those beyond EMBEDDED are variations of the first ones in turn."""
    first = texts(min(count, EMBEDDED))
    return [*first, *_variations(first, count - len(first))]


def _variations(first: Sequence[Text], count: int) -> Iterator[Text]:
    chance = random.Random(SEED + 2)
    for number in range(count):
        one = first[number % len(first)]
        name = "".join(chance.choices(words.SYLLABLES, k=4)).capitalize()
        scope = SMALL_SCOPE if number % ONE_IN == 0 else chance.choice(SCOPES)
        yield Text(f"{one.text}{VARIATION}{name}-{number}.", scope, one.kind, one.question)


def texts(count: int, seed: int = SEED) -> list[Text]:
    """Return `count` different texts. A longer list starts with the shorter one."""
    made, source = dict[str, Text](), _endless(random.Random(seed))
    while len(made) < count:
        one = next(source)
        made.setdefault(one.text, one)
    return list(made.values())


def asked(corpus: Sequence[Text], count: int, seed: int = SEED) -> list[Text]:
    """Return a sample of a corpus, whose questions are asked."""
    return random.Random(seed + 1).choices(corpus, k=count)


def _endless(chance: random.Random) -> Iterator[Text]:
    draw = _Draw(chance, _names(chance, 2_000))
    while True:
        chinese = chance.random() < _CHINESE_SHARE
        slots = draw.chinese_slots() if chinese else draw.slots()
        templates = _CHINESE_TEMPLATES if chinese else _TEMPLATES
        text = chance.choice(templates).format_map(slots)
        if chance.random() < 0.4:
            # A second sentence about the same thing.
            more = slots | (draw.chinese_slots() if chinese else draw.slots()) | {"thing": slots["thing"]}
            text = f"{text} {chance.choice(templates).format_map(more)}"
        question = chance.choice(_CHINESE_QUESTIONS if chinese else _QUESTIONS).format_map(slots)
        yield Text(text, chance.choice(SCOPES), chance.choice(_KINDS), question)


class _Draw:
    """Draws words with Zipf-Mandelbrot frequencies: the n-th of a list with weight 1 / (n + 10)."""

    def __init__(self, chance: random.Random, names: Sequence[str]) -> None:
        self._chance = chance
        self._names = names
        self._weights: dict[int, list[float]] = {}

    def slots(self) -> dict[str, str]:
        """Return one word for each slot of an English template."""
        lists = {
            "person": words.PEOPLE,
            "thing": words.THINGS,
            "quality": words.QUALITIES,
            "action": words.ACTIONS,
            "place": words.PLACES,
            "reason": words.REASONS,
            "when": words.WHEN,
            "name": self._names,
        }
        return {slot: self._draw(choices) for slot, choices in lists.items()} | {
            "number": str(self._chance.randint(2, 9999))
        }

    def chinese_slots(self) -> dict[str, str]:
        """Return one word for each slot of a Chinese template."""
        lists = {"thing": words.CHINESE_THINGS, "action": words.CHINESE_ACTIONS, "reason": words.CHINESE_REASONS}
        return self.slots() | {slot: self._draw(choices) for slot, choices in lists.items()} | {"when": "下周"}

    def _draw(self, choices: Sequence[str]) -> str:
        count = len(choices)
        if count not in self._weights:
            self._weights[count] = list(itertools.accumulate(1 / (rank + _FLATTENING) for rank in range(1, count + 1)))
        return self._chance.choices(choices, cum_weights=self._weights[count])[0]


def _names(chance: random.Random, count: int) -> list[str]:
    """Invent names of companies and projects: the long tail of the vocabulary."""
    made: dict[str, None] = {}
    while len(made) < count:
        made["".join(chance.choices(words.SYLLABLES, k=chance.randint(2, 3))).capitalize()] = None
    return list(made)
