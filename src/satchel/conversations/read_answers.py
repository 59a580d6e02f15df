"""Turns what was read in a discussion into an answer that quotes its messages."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.conversations.decisions import MAX_CHOICE_CHARS, MAX_CLAUSE_CHARS
from satchel.conversations.why_answers import WhyAnswer
from satchel.domain.conversation import EXPLICIT, READ, Clause, ClauseKind, Decision, Message, decision_id
from satchel.domain.shorten import shorten
from satchel.domain.trust import lowest_trust
from satchel.ports.reading import Reading

# Below this likelihood nothing is answered: a wrong reason is worse than none. Of 167 hard questions without an answer, about
# conversations that the network had not seen, 46 still get one.
MIN_LIKELIHOOD = 0.8
# From this likelihood on an answer with a reason needs no discussion beside it.
CERTAIN = 0.9


def with_reading(answer: WhyAnswer, readings: Sequence[Reading]) -> WhyAnswer:
    """Add what was read to an answer without a reason: reasons if the reader names the recorded decision, else another decision.

    A decision that was added by hand stays.
    """
    best = readings[0] if readings else None
    if best is None or best.likelihood < MIN_LIKELIHOOD:
        return answer
    recorded = answer.decision
    if recorded is not None and recorded.message == best.decision.ref:
        return _with_reasons(answer, recorded, best)
    if recorded is not None and recorded.rule == EXPLICIT:
        return answer
    chain = as_chain(best)
    # Two digits: the last bits of a sum depend on the processor.
    return WhyAnswer(chain[0], tuple(chain), relevance=round(best.likelihood, 2))


def is_certain(answer: WhyAnswer) -> bool:
    """Return whether an answer with its reason is likely enough to stand without the discussion."""
    return answer.has_reason and (answer.recorded or answer.relevance >= CERTAIN)


def _with_reasons(answer: WhyAnswer, recorded: Decision, reading: Reading) -> WhyAnswer:
    trust = lowest_trust([recorded.trust, *(one.trust for one in reading.reasons)])
    made = replace(recorded, clauses=(*recorded.clauses, *_causes(reading)), trust=trust)
    chain = tuple(made if one.id == made.id else one for one in answer.chain)
    return replace(answer, decision=made, chain=chain)


def as_chain(reading: Reading) -> list[Decision]:
    """Return the decision that was read, and the one it replaced."""
    trust = lowest_trust(one.trust for one in (reading.decision, *reading.reasons))
    decision = replace(_decision(reading, reading.decision), clauses=_causes(reading), trust=trust)
    if reading.replaced is None:
        return [decision]
    before = _decision(reading, reading.replaced)
    return [replace(decision, replaces=before.id, reverses=True), before]


def _causes(reading: Reading) -> tuple[Clause, ...]:
    return tuple(Clause(ClauseKind.CAUSE, shorten(one.content, MAX_CLAUSE_CHARS), one.ref) for one in reading.reasons)


def _decision(reading: Reading, message: Message) -> Decision:
    scope, conversation = reading.discussion.scope, reading.discussion.conversation
    return Decision(
        id=decision_id(scope, conversation, f"read {message.seq}"),
        scope=scope,
        conversation=conversation,
        choice=shorten(message.content, MAX_CHOICE_CHARS),
        topic="",
        statement=shorten(message.content, MAX_CLAUSE_CHARS),
        message=message.ref,
        at=message.at,
        trust=message.trust,
        rule=READ,
    )
