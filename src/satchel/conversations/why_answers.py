"""The answer to a question about a decision while it is put together."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.conversations.chains import chain_of
from satchel.conversations.values import DecisionReason
from satchel.conversations.why_questions import find_decision
from satchel.domain.conversation import ClauseKind, Decision, Message
from satchel.recall import relevance


class WhyAnswer(Struct, frozen=True):
    """A decision, the chain it is part of, and where it comes from."""

    decision: Decision | None = None
    chain: tuple[Decision, ...] = ()
    causes: tuple[Decision, ...] = ()
    relevance: float = 0.0
    recorded: bool = False
    """Whether the decision was recorded, and not read from messages."""
    discussion: tuple[Message, ...] = ()
    unindexed: int = 0
    """How many messages could not be read."""

    @property
    def has_reason(self) -> bool:
        """Whether it says why."""
        return self.decision is not None and bool(self.decision.clauses_of(ClauseKind.CAUSE))

    def as_reason(self, question: str, scope: str) -> DecisionReason:
        """Return it as the result of the operation."""
        return DecisionReason(
            question=question,
            scope=scope,
            recorded=self.recorded,
            decision=self.decision,
            chain=self.chain,
            causes=self.causes,
            relevance=round(self.relevance, relevance.DIGITS),
            citations=tuple(dict.fromkeys(ref for one in (*self.chain, *self.causes) for ref in one.citations)),
            discussion=self.discussion,
            unindexed=self.unindexed,
        )


def recorded_answer(question: str, decisions: Sequence[Decision]) -> WhyAnswer:
    """Return the recorded decision that a question asks about, if there is one."""
    found = find_decision(question, decisions)
    if found is None:
        return WhyAnswer()
    chain = tuple(chain_of(found.decision, decisions))
    causes = tuple(one for one in decisions if one.id in found.decision.caused_by)
    return WhyAnswer(found.decision, chain, causes, found.share, recorded=True)
