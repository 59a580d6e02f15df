"""Labelled conversations for "why did we …": what was decided, for which reasons, and what it replaced.

The conversations are our own (`bench/data/decisions`), written without knowledge of the rules, in four parts. Limits are chosen on
`tuned`; the others are only reported. `later` and `blind` are by two authors who had seen none of the conversations that were learnt;
`blind` was written after every choice that `later` may have influenced.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

DATA = Path(__file__).parent / "data" / "decisions"
Part = Literal["tuned", "held", "later", "blind"]
PARTS: tuple[Part, ...] = ("tuned", "held", "later", "blind")
LENGTHS, QUESTIONS = range(4, 26), range(1, 5)


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message; `by` is the name of the person, agent or program, which other messages may refer to."""

    number: int
    role: Literal["user", "assistant", "tool"]
    by: str
    at: str
    content: str


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A question and the messages that a right answer rests on, by their numbers."""

    ask: str
    asks: Literal["why", "what", "why_not", "when", "before"]
    other_words: bool
    """Whether it is asked in other words than those of the conversation."""
    answerable: bool
    lacks: Literal["undecided", "unmentioned", "named", "others", "hypothetical", "rejected"] | None = None
    """Why there is no answer: `named` is an alternative that was only mentioned, `others` another team's decision."""
    decision: tuple[int, ...] = ()
    """An answer names one of these as the decision."""
    reasons: tuple[int, ...] = ()
    """Messages that count as a reason; empty where no reason is stated. A why question wants at least one of them."""
    required: tuple[int, ...] = ()
    """The reasons that an answer to a why question must not leave out."""
    replaced: tuple[int, ...] = ()
    """The messages that made the decision that held before."""
    before: str | None = None
    """What held before, also where no message decided it."""
    stale: tuple[int, ...] = ()
    """Decisions and reasons that no longer hold: an answer must not give them as current."""
    asked_after: int | None = None
    """The last message that is known when the question is asked; None for all messages."""


class Conversation(Struct, frozen=True, forbid_unknown_fields=True):
    """A conversation with its questions."""

    id: str
    language: Literal["en", "zh", "mixed"]
    kind: Literal["chat", "agent", "notes", "issue"]
    features: tuple[str, ...]
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]


class Given(Struct, frozen=True):
    """What an answer rests on, by message numbers; `before` is what it says held before."""

    decision: int | None = None
    reasons: frozenset[int] = frozenset()
    replaced: frozenset[int] = frozenset()
    before: str = ""


def read_conversations(part: Part, folder: Path = DATA) -> list[Conversation]:
    """Read the conversations of a part, one a line; raise ValueError where a label cannot be right."""
    decoder = msgspec.json.Decoder(Conversation)
    found = [decoder.decode(line) for line in (folder / f"{part}.jsonl").read_bytes().splitlines() if line.strip()]
    if wrong := [f"{one.id}: {problem}" for one in found for problem in problems(one)]:
        raise ValueError("; ".join(wrong))
    return found


def known_messages(conversation: Conversation, question: Question) -> tuple[Message, ...]:
    """Return the messages that were written when the question is asked."""
    return conversation.messages[: question.asked_after]


def problems(conversation: Conversation) -> Iterator[str]:
    """Say which labels of a conversation cannot be right."""
    messages = conversation.messages
    if [one.number for one in messages] != list(range(1, len(messages) + 1)):
        yield "messages are not numbered from 1"
    if any(later.at <= earlier.at for earlier, later in pairwise(messages)):
        yield "messages are not in the order of time"
    if len(messages) not in LENGTHS or len(conversation.questions) not in QUESTIONS:
        yield "too few or too many messages or questions"
    for question in conversation.questions:
        yield from (f"{question.ask} {problem}" for problem in _question_problems(question, len(messages)))


def _question_problems(question: Question, count: int) -> Iterator[str]:
    known = range(1, (question.asked_after or count) + 1)
    gold = {*question.decision, *question.reasons, *question.replaced, *question.stale}
    if not gold <= set(known) or known.stop > count + 1:
        yield "names a message that does not exist when it is asked"
    if not set(question.required) <= set(question.reasons):
        yield "requires a reason that is not one of its reasons"
    if set(question.stale) & {*question.decision, *question.reasons}:
        yield "calls a message both current and stale"
    if question.answerable != bool(question.decision):
        yield "is answerable without a decision, or has one without being answerable"
    if question.answerable == bool(question.lacks):
        yield "does not say why there is no answer, or says so although there is one"
    if not question.answerable and (gold or question.before):
        yield "has an answer although it is not answerable"


def fault(question: Question, given: Given) -> str | None:
    """Say what is wrong with an answer, or None."""
    return next(_faults(question, given), None)


def _faults(question: Question, given: Given) -> Iterator[str]:
    if not question.answerable:
        if given.decision is not None or given.reasons:
            yield "made up an answer"
        return
    if given.decision is None:
        yield "not found"
    elif given.decision in question.stale or given.reasons & set(question.stale):
        yield "gives as current what no longer holds"
    elif given.decision not in question.decision:
        yield "another decision"
    yield from _reason_faults(question, given)
    yield from _replacement_faults(question, given)


def _reason_faults(question: Question, given: Given) -> Iterator[str]:
    if given.reasons and not question.reasons:
        yield "made up a reason"
    if question.asks not in ("why", "why_not") or not question.reasons:
        return
    if not given.reasons & set(question.reasons):
        yield "without its reason"
    elif not given.reasons >= set(question.required):
        yield "without one of its reasons"


def _replacement_faults(question: Question, given: Given) -> Iterator[str]:
    known = {*question.replaced, *question.decision}
    said = question.before is not None and question.before.casefold() in given.before.casefold()
    if given.replaced - known and not said:
        yield "replaced something else"
    # Where no message decided what held before, only a question about it has to be told.
    elif (question.replaced or question.asks == "before") and not said and not given.replaced & set(question.replaced):
        yield "without what it replaced"
