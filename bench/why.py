"""The decision benchmark: does `conversation why` give the decision, its reasons and what it replaced?

All conversations of a part of `bench/data/decisions` are in one store, so the right one has to be found as well.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from bench.decisions import PARTS, Conversation, Given, Part, Question, fault, read_conversations
from bench.embedding import load_embedder
from bench.haystack import scratch
from bench.machine import Machine, changed_settings, this_machine
from satchel.app import Satchel
from satchel.config import Settings
from satchel.conversations.values import DecisionReason
from satchel.domain.canonical import Json
from satchel.domain.conversation import ClauseKind, message_ref
from satchel.ports import Embedder, Progress
from satchel.recall.request import Mode

STALE = "gives as current what no longer holds"
LIKELIHOODS = (0.7, 0.75, 0.8, 0.85, 0.9)


class WhyOutcome(Struct, frozen=True):
    """A question, and what an answer to it says."""

    question: Question
    given: Given
    likelihood: float
    shown: frozenset[int]
    """The messages that the answer shows, as its parts or as the discussion."""

    @property
    def fault(self) -> str | None:
        """What is wrong with the answer."""
        return fault(self.question, self.given)


class WhyFigures(Struct, frozen=True):
    """How many questions were answered right."""

    n: int
    """Questions with an answer."""
    answered: int
    decision: int
    """With the right decision."""
    right: int
    """With the right decision, reasons and what it replaced."""
    stale: int
    """Where something is given as current that no longer holds."""
    shown: int
    """Where the answer or the discussion beside it shows the deciding message."""
    unanswerable: int
    invented: int
    """Questions without an answer that got one."""


class WhyResult(Struct, frozen=True):
    """Result of a run: figures and faults by part, and figures by the least likelihood of an answer."""

    questions: int
    embedding_space: str | None
    settings: Mapping[str, Json]
    parts: Mapping[str, WhyFigures]
    faults: Mapping[str, Mapping[str, int]]
    by_likelihood: Mapping[str, Mapping[str, WhyFigures]]
    """As if answers below a likelihood were not given."""
    machine: Machine


def run_why(
    settings: Settings, progress: Progress, *, parts: Sequence[Part] | None = None, cache: str | None = None
) -> WhyResult:
    """Ask every question of the parts, each part in a store of its own; without `parts`, of all."""
    machine, embedder = this_machine(), load_embedder(settings, Mode.HYBRID, None, cache)
    outcomes, wanted = dict[str, list[WhyOutcome]](), parts or PARTS
    for done, part in enumerate(wanted):
        progress(done, len(wanted), f"asking {part}")
        outcomes[part] = list(_outcomes(settings, read_conversations(part), embedder))
    progress(len(wanted), len(wanted), "asking")
    return WhyResult(
        questions=sum(map(len, outcomes.values())),
        embedding_space=embedder.name if embedder else None,
        settings=changed_settings(settings),
        parts={part: why_figures(several) for part, several in outcomes.items()},
        faults={part: _faults(several) for part, several in outcomes.items()},
        by_likelihood={part: dict(_by_likelihood(several)) for part, several in outcomes.items()},
        machine=machine,
    )


def _outcomes(
    settings: Settings, conversations: Sequence[Conversation], embedder: Embedder | None
) -> Iterator[WhyOutcome]:
    with scratch(settings, embedder) as memory:
        for turn in range(max(len(_steps(one)) for one in conversations)):
            steps = {one.id: _steps(one)[turn : turn + 1] for one in conversations}
            for one in conversations:
                for step in steps[one.id]:
                    _add(memory, one, _steps(one)[turn - 1] if turn else 0, step)
            memory.maintenance.index_build()
            for one in conversations:
                for question in one.questions:
                    if (question.asked_after or len(one.messages)) in steps[one.id]:
                        yield _outcome(one, question, memory.conversations.why(question.ask).result)


def _steps(conversation: Conversation) -> list[int]:
    """Return the numbers of messages that are known when questions are asked."""
    every = len(conversation.messages)
    return sorted({every, *(one.asked_after or every for one in conversation.questions)})


def _add(memory: Satchel, conversation: Conversation, first: int, last: int) -> None:
    lines = [
        json.dumps({"role": one.role, "content": one.content, "at": one.at, **({"by": one.by} if one.by else {})})
        for one in conversation.messages[first:last]
    ]
    memory.conversations.add("\n".join(lines), jsonl=True, conversation=conversation.id)


def _outcome(conversation: Conversation, question: Question, answer: DecisionReason) -> WhyOutcome:
    numbers = {message_ref(answer.scope, conversation.id, one.number): one.number for one in conversation.messages}

    def number(ref: str | None) -> int:
        # A message of another conversation is none of those that count.
        return numbers.get(ref or "", -1)

    decision, given = answer.decision, Given()
    if decision is not None:
        earlier = answer.chain[answer.chain.index(decision) + 1 :]
        given = Given(
            number(decision.message),
            frozenset(number(one.message) for one in decision.clauses_of(ClauseKind.CAUSE)),
            frozenset(number(one.message) for one in earlier),
            " ".join(one.statement for one in earlier),
        )
    shown = frozenset(number(ref) for ref in (*answer.citations, *(one.ref for one in answer.discussion)))
    return WhyOutcome(question, given, answer.relevance, shown)


def why_figures(outcomes: Sequence[WhyOutcome], least: float = 0.0) -> WhyFigures:
    """Count what was right, as if answers below a likelihood were not given."""
    outcomes = [
        one if one.likelihood >= least else WhyOutcome(one.question, Given(), 0.0, one.shown) for one in outcomes
    ]
    answerable = [one for one in outcomes if one.question.answerable]
    others = [one for one in outcomes if not one.question.answerable]
    return WhyFigures(
        n=len(answerable),
        answered=sum(one.given.decision is not None for one in answerable),
        decision=sum(one.given.decision in one.question.decision for one in answerable),
        right=sum(one.fault is None for one in answerable),
        stale=sum(one.fault == STALE for one in answerable),
        shown=sum(not one.shown.isdisjoint(one.question.decision) for one in answerable),
        unanswerable=len(others),
        invented=sum(one.fault is not None for one in others),
    )


def _faults(outcomes: Sequence[WhyOutcome]) -> dict[str, int]:
    return dict(Counter(one.fault for one in outcomes if one.fault is not None).most_common())


def _by_likelihood(outcomes: Sequence[WhyOutcome]) -> Iterator[tuple[str, WhyFigures]]:
    for least in LIKELIHOODS:
        yield f"{least:g}", why_figures(outcomes, least)
