"""The answer to a question about a decision while it is put together."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

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
    discussed_in: str = ""
    unindexed: int = 0
    """How many messages could not be read."""

    @property
    def has_reason(self) -> bool:
        """Whether it says why."""
        return self.decision is not None and bool(self.decision.clauses_of(ClauseKind.CAUSE))

    def as_reason(self, question: str, scope: str) -> DecisionReason:
        """Return it as the result of the operation."""
        return self._without_repetitions()._as_reason(question, scope)

    def _without_repetitions(self) -> "WhyAnswer":
        """Return it with each reason of a decision once, and without a decision that says the same as the one it replaced."""
        if self.decision is None:
            return self
        chain, decision = list[Decision](), _without_repeated_clauses(self.decision)
        for one in map(_without_repeated_clauses, self.chain):
            if not chain or not _repeats(one, chain[-1]):
                chain.append(one)
            elif one == decision:
                chain[-1] = one
        return replace(self, decision=decision, chain=tuple(chain))

    def _as_reason(self, question: str, scope: str) -> DecisionReason:
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
            discussed_in=self.discussed_in,
            unindexed=self.unindexed,
        )


def _without_repeated_clauses(decision: Decision) -> Decision:
    clauses = {(one.kind, one.text): one for one in reversed(decision.clauses)}
    return replace(decision, clauses=tuple(one for one in decision.clauses if clauses[one.kind, one.text] is one))


def _repeats(one: Decision, later: Decision) -> bool:
    """Return whether a decision says nothing that the one that replaced it does not say."""
    return one.statement == later.statement and {part.text for part in one.clauses} <= {
        part.text for part in later.clauses
    }


def recorded_answer(question: str, decisions: Sequence[Decision]) -> WhyAnswer:
    """Return the recorded decision that a question asks about, if there is one."""
    found = find_decision(question, decisions)
    if found is None:
        return WhyAnswer()
    chain = tuple(chain_of(found.decision, decisions))
    causes = tuple(one for one in decisions if one.id in found.decision.caused_by)
    return WhyAnswer(found.decision, chain, causes, found.share, recorded=True)
