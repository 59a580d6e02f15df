"""Examples for the reader: a question, the messages it is asked of, and which of them answer it.

Conversations are varied each time they are used, so that the network learns from what messages say rather than from the
1,000 conversations as they are: with and without names, within longer discussions, cut before the decision, without the
reasons, without what says nothing. Some are interrupted by a part of another one.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from satchel.adapters.reader.layout import MAX_MESSAGES, MAX_TOKENS, Layout, lay_out

ACTS = ("settles", "reason", "reverses", "proposes", "undecided", "acts_on", "asks")
LABELS: dict[str, frozenset[str]] = {
    **{act: frozenset({act}) for act in ACTS},
    "settles": frozenset({"settles", "reverses"}),
    "undecided": frozenset({"undecided", "rejects", "reports_others"}),
}
DECISION, REASONS, REPLACED, STALE = range(4)
PARTS = ("decision", "reasons", "replaced", "stale")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """A question about messages. `parts` are the places of the messages that each part of the answer rests on."""

    question: Sequence[int]
    messages: tuple[Sequence[int], ...]
    parts: tuple[frozenset[int], ...] = (frozenset(),) * len(PARTS)
    acts: tuple[frozenset[str], ...] = ()
    """What each message does; empty where that is not known."""
    knows_reasons: bool = False
    """Whether the labels say which messages give reasons."""

    def layout(self, begin: int, end: int) -> Layout:
        """Return it as one sequence of tokens."""
        return lay_out(self.question, self.messages, begin, end)


@dataclass(frozen=True)
class Variation:
    """How often conversations are varied in a way."""

    names: float = 0.5
    longer: float = 0.35
    """With a part of another conversation before, after or within it."""
    cut: float = 0.08
    without_reasons: float = 0.05
    dropped: float = 0.05
    """The share of messages left out that say nothing of the matter."""


NONE = Variation(0, 0, 0, 0, 0)


@dataclass
class Examples:
    """Makes examples of conversations; the same seed gives the same ones."""

    talks: Sequence[Row]
    variation: Variation
    seed: int = 0
    chosen: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chosen = random.Random(self.seed)

    def own(self, talk: Row, asked: Row) -> Example:
        """Ask a question of its own conversation, which is varied."""
        one = self._part(of_question(talk, asked, names=self._is(self.variation.names)))
        one = self._without_reasons(self._cut(one))
        return self._longer(self._thinned(one))

    def other(self, talk: Row, asked: Row) -> Example:
        """Ask a question of a conversation that does not answer it."""
        said = talk["messages"]
        return self._part(Example(asked["ask"], _texts(said, self._is(self.variation.names)), acts=_acts(said)))

    def topic(self, talk: Row) -> Example:
        """Ask a conversation without a question for what was decided."""
        return self._part(without_question(talk, names=self._is(self.variation.names)))

    def _part(self, one: Example) -> Example:
        """Return a part of a long conversation that can be read at once, with the decision if there is one."""
        spare = len(one.messages) - MAX_MESSAGES
        if spare <= 0:
            return one
        decision = one.parts[DECISION]
        first = max(0, max(decision, default=0) - MAX_MESSAGES + 1)
        start = self.chosen.randint(first, max(first, min(spare, min(decision, default=spare))))
        return _only(one, range(start, start + MAX_MESSAGES))

    def _is(self, share: float) -> bool:
        return self.chosen.random() < share

    def _cut(self, one: Example) -> Example:
        decision, replaced = one.parts[DECISION], one.parts[REPLACED]
        first = min(decision, default=0)
        if first < 2 or replaced or len(decision) > 1 or not self._is(self.variation.cut):
            return one
        return replace(one, messages=one.messages[:first], acts=one.acts[:first], parts=NO_PARTS, knows_reasons=False)

    def _without_reasons(self, one: Example) -> Example:
        given = one.parts[REASONS]
        if not given or given & one.parts[DECISION] or not self._is(self.variation.without_reasons):
            return one
        return _only(one, [place for place in range(len(one.messages)) if place not in given])

    def _thinned(self, one: Example) -> Example:
        labelled = frozenset().union(*one.parts)
        kept = [
            place
            for place in range(len(one.messages))
            if place in labelled or one.acts[place] or not self._is(self.variation.dropped)
        ]
        return _only(one, kept) if kept else one

    def _longer(self, one: Example) -> Example:
        if not self._is(self.variation.longer):
            return one
        said = self.chosen.choice(self.talks)["messages"]
        start = self.chosen.randrange(len(said))
        said = said[start : start + self.chosen.randint(*PART_LENGTHS)]
        added, acts = _texts(said, names=False), _acts(said)
        if len(added) + len(one.messages) > MAX_MESSAGES or sum(map(len, (*added, *one.messages))) > MAX_TOKENS - 100:
            return one
        # The added messages are about something else, so they answer nothing.
        split = self.chosen.choice((0, len(one.messages), self.chosen.randint(0, len(one.messages))))
        return replace(
            one,
            messages=(*one.messages[:split], *added, *one.messages[split:]),
            acts=(*one.acts[:split], *acts, *one.acts[split:]),
            parts=tuple(
                frozenset(place + len(added) if place >= split else place for place in part) for part in one.parts
            ),
        )


NO_PARTS = (frozenset[int](),) * len(PARTS)
# How many messages of another conversation are added.
PART_LENGTHS = 2, 12


def of_question(talk: Row, asked: Row, *, names: bool = False) -> Example:
    """Return a question with the messages of its conversation that are known when it is asked."""
    said = talk["messages"][: asked.get("asked_after")]
    parts = tuple(frozenset(number - 1 for number in asked.get(name) or ()) for name in PARTS)
    return Example(asked["ask"], _texts(said, names), parts, _acts(said), asked["answerable"])


def without_question(talk: Row, *, names: bool = False) -> Example:
    """Return a conversation without a question: what was decided in it, and still holds."""
    said, asked = talk["messages"], [one for one in talk["questions"] if one["answerable"]]
    decided = {number - 1 for one in asked for number in one["decision"]}
    old = {number - 1 for one in asked for name in ("replaced", "stale") for number in one.get(name) or ()}
    parts = (frozenset(decided - old), *NO_PARTS[1:])
    return Example((), _texts(said, names), parts, _acts(said))


def _only(one: Example, kept: Sequence[int]) -> Example:
    places = {place: new for new, place in enumerate(kept)}
    return replace(
        one,
        messages=tuple(one.messages[place] for place in kept),
        acts=tuple(one.acts[place] for place in kept),
        parts=tuple(frozenset(places[place] for place in part if place in places) for part in one.parts),
    )


def _texts(said: Sequence[Row], names: bool) -> tuple[Sequence[int], ...]:
    return tuple([*(one["name"] if names and one["name"] else one["role"]), *one["text"]] for one in said)


def _acts(said: Sequence[Row]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(one["acts"]) for one in said)
