"""Overlap and freshness: how much of what was asked a memory holds, in any script, and how young it is."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.moment import HOUR_MS
from satchel.domain.record import Memory
from satchel.domain.words import telling_terms, text_terms


class Wording(Struct, frozen=True):
    """The terms of a memory, by where they stand."""

    title: frozenset[str]
    text: frozenset[str]
    keywords: frozenset[str]
    tags: frozenset[str]

    @property
    def subject(self) -> frozenset[str]:
        """What is held against the goal."""
        return self.title | self.text | self.keywords

    @property
    def matter(self) -> frozenset[str]:
        """What is held against questions and failures."""
        return self.text | self.tags

    @property
    def everything(self) -> frozenset[str]:
        """What is held against the whole request."""
        return self.subject | self.tags


def wording(memory: Memory) -> Wording:
    """Return the terms of a memory."""
    return Wording(
        text_terms(memory.title or ""),
        text_terms(memory.text),
        text_terms(" ".join(memory.keywords)),
        text_terms(" ".join(memory.tags)),
    )


class Rarity:
    """What each term of a request weighs: the fewer of the candidates hold it, the more it tells."""

    def __init__(self, terms: Iterable[str], candidates: Sequence[frozenset[str]]) -> None:
        wanted = frozenset(terms)
        held = Counter(term for candidate in candidates for term in candidate & wanted)
        self._weights: Mapping[str, float] = {
            term: math.log(1 + (len(candidates) + 1) / (held[term] + 1)) for term in sorted(wanted)
        }

    def coverage(self, asked: Sequence[str], held: frozenset[str]) -> float:
        """Return which share of the asked terms is held, from 0 to 1, each by its weight."""
        whole = math.fsum(self._weights[term] for term in asked)
        return math.fsum(self._weights[term] for term in asked if term in held) / whole if whole else 0.0


def asked_terms(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the telling terms of some texts, each once."""
    return tuple(dict.fromkeys(term for text in texts for term in telling_terms(text)))


def freshness(happened_at: int, now: int, hours: float, least: float) -> float:
    """Return how fresh a memory is: 1 now or in time to come, 37 % after so many hours, never less than the least."""
    age = max(0, now - happened_at) / HOUR_MS
    return max(least, math.exp(-age / hours))
