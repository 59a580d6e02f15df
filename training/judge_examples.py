"""Examples for the judge: a prompt, memories that could go in front of it, and which of them a careful person would put there.

They are varied each time they are used: in which order and with how many neighbours a memory is read, without the memories
that are wanted, and with the memories of another store, where none is wanted.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from satchel.adapters.reader.layout import GROUP, Layout, grouped, lay_out_prompt

Row = Mapping[str, Any]
T = TypeVar("T")
# Prompts that ask for something that only one store knows. Rules for a task may hold in another store too.
ASKING = frozenset({"direct", "paraphrase", "changed", "question"})
# As many memories are read with a prompt, of as many that were found nearest to it.
MOST = GROUP + 1
NEAREST = 10


@dataclass(frozen=True)
class Example:
    """A prompt with memories. `wanted` and `fine` are places of memories; of those that are fine nothing is learnt."""

    prompt: Sequence[int]
    memories: tuple[Sequence[int], ...]
    wanted: frozenset[int] = frozenset()
    fine: frozenset[int] = frozenset()

    def layout(self, begin: int, end: int) -> Layout:
        """Return it as one sequence of tokens."""
        return lay_out_prompt(self.prompt, self.memories, begin, end)

    @property
    def length(self) -> int:
        """The number of tokens before any is cut."""
        return len(self.prompt) + sum(map(len, self.memories))


@dataclass(frozen=True)
class Variation:
    """How often examples are varied in a way."""

    without_wanted: float = 0.2
    """Read without the memories that are wanted."""
    elsewhere: float = 0.4
    """A question also asked of another store."""
    general: float = 1.0
    """General prompts used, each with the nearest memories of all stores."""
    questions: float = 0.5
    """Questions about other notes used."""


@dataclass
class Examples:
    """Makes examples of stores; the same seed gives the same ones."""

    stores: Sequence[Row]
    questions: Sequence[Row]
    """Other notes with questions, in the form of stores."""
    general: Sequence[Row]
    """Prompts that need no memory, with the memories nearest to them."""
    variation: Variation
    seed: int = 0
    chosen: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chosen = random.Random(self.seed)

    def epoch(self) -> list[Example]:
        """Return the examples of one pass over the data."""
        return [one for one in self._all() if one.memories]

    def _all(self) -> Iterator[Example]:
        for store in self.stores:
            for asked in store["prompts"]:
                yield self._own(store, asked)
                if asked["family"] in ASKING and self._is(self.variation.elsewhere):
                    yield self._elsewhere(store, asked)
        for store in self.questions:
            yield from (self._own(store, asked) for asked in store["prompts"] if self._is(self.variation.questions))
        for one in self.general:
            if self._is(self.variation.general):
                yield Example(one["prompt"], tuple(self._some(one["near"])))

    def _is(self, share: float) -> bool:
        return self.chosen.random() < share

    def _some(self, several: Sequence[T], most: int | None = None) -> list[T]:
        return self.chosen.sample(several, min(len(several), self._count() if most is None else most))

    def _count(self) -> int:
        """Return how many memories are read, which must not depend on whether one is wanted."""
        return self.chosen.randint(1, MOST)

    def _own(self, store: Row, asked: Row) -> Example:
        count = self._count()
        wanted = [] if self._is(self.variation.without_wanted) else self._some(asked["wanted"], count)
        near = [place for place in asked["found"][:NEAREST] if place not in asked["wanted"]]
        kept = [*wanted, *self._some(near, count - len(wanted))]
        self.chosen.shuffle(kept)
        return of_places(store, asked, kept)

    def _elsewhere(self, store: Row, asked: Row) -> Example:
        other = self.chosen.choice(self.stores)
        if other is store:
            return self._own(store, asked)
        return Example(asked["prompt"], tuple(self._some(other["memories"])))


def of_places(store: Row, asked: Row, places: Sequence[int]) -> Example:
    """Return a prompt with some memories of its store."""
    return Example(
        asked["prompt"],
        tuple(store["memories"][place] for place in places),
        frozenset(new for new, place in enumerate(places) if place in asked["wanted"]),
        frozenset(new for new, place in enumerate(places) if place in asked["fine"]),
    )


def as_read(store: Row, asked: Row, most: int) -> list[Example]:
    """Return a prompt with the memories that were found for it, in the groups that the product reads."""
    found = asked["found"][:most]
    return [of_places(store, asked, [found[place] for place in group]) for group in grouped(len(found))]
