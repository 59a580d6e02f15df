"""What the router asks of conversations: the decision that a question is about, or the newest decisions."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.conversations.discussions import DiscussionSearch
from satchel.conversations.message_search import MessageSearch
from satchel.conversations.why_answers import WhyAnswer, recorded_answer
from satchel.conversations.why_questions import without_present
from satchel.core.service import Service
from satchel.domain.conversation import Decision
from satchel.domain.view import View
from satchel.ports.reading import Reading


class Consultation(Struct, frozen=True):
    """What is known about the decision that a question asks about."""

    recorded: WhyAnswer
    readings: tuple[Reading, ...] = ()
    """What the discussions say, the likeliest answer first; none if a reason is recorded."""
    warning: str | None = None
    """What could not be read."""


class DecisionConsulting(Service):
    """Looks decisions up without a receipt of its own."""

    def consult(self, question: str, view: View) -> Consultation:
        """Return the recorded decision that a question asks about; without a reason, also what the discussions say."""
        asked = without_present(question)
        answer = recorded_answer(asked, self._ledger.conversations.decisions(view))
        if answer.has_reason:
            return Consultation(answer)
        matches = MessageSearch(self._parts).find_for_why(asked, view)
        readings = tuple(DiscussionSearch(self._parts).read(asked, matches, view))
        return Consultation(answer, readings, matches.pending.warning if matches.pending else None)

    def newest(self, question: str, view: View, messages: int) -> tuple[Sequence[Decision], Sequence[Reading]]:
        """Return the recorded decisions, and what was decided in the discussions among the newest messages."""
        recorded = self._ledger.conversations.decisions(view)
        # What was said a moment ago has no vectors yet.
        MessageSearch(self._parts).catch_up_for_reading(question)
        space = self._ledger.passages.vectors.space()
        if space is None:
            return recorded, ()
        said = MessageSearch(self._parts).newest(view, messages)
        return recorded, DiscussionSearch(self._parts).decided(space, said)
