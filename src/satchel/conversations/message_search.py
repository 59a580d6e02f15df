"""Search the messages of conversations by words and by meaning, with their neighbours."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.service import Service
from satchel.domain.conversation import Message, passage_message
from satchel.domain.embedding import Vector
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.indexing import passage_index
from satchel.indexing.memory_index import SearchReadiness
from satchel.ports import Progress
from satchel.recall.passages import PassagesFound, PassageVectorQuery, search_passages
from satchel.recall.relevance import PLAUSIBLE, likelihood
from satchel.recall.request import Mode, RecallQuestion, parse_question


class Pending(Struct, frozen=True):
    """Messages that are not indexed yet, of all within reach."""

    messages: int
    among: int

    @property
    def warning(self) -> str:
        """What a reader of the answer must know."""
        return (
            f"index_incomplete: {self.messages:,} of {self.among:,} messages are not indexed yet; "
            "ask again or run 'satchel index build'"
        )


class MessagesFound(Struct, frozen=True):
    """The messages that match a question, and the question's vector if there is one."""

    found: PassagesFound
    query: PassageVectorQuery | None = None
    warning: str = ""
    pending: Pending | None = None
    """The messages that could not be found by meaning, nor be read; None if there are none."""

    @property
    def vector(self) -> Vector | None:
        """The question's vector."""
        return None if self.query is None else self.query.vector


# Number of messages that are found for a question about a decision, and of those from which the discussion to show is chosen.
WHY_HITS, DISCUSSION_HITS = 40, 12
# Maximum time to embed messages before discussions are read, unless a recall may take longer.
WHY_CATCH_UP_SECONDS = 5.0
# The discussions whose messages are embedded first: how many, and how many messages around the best of each.
FIRST_DISCUSSIONS, FIRST_MESSAGES = 8, 32
# How many messages it shows, and how many of them before the best.
MESSAGES_SHOWN, MESSAGES_BEFORE = 12, 4


class MessageSearch(Service):
    """Finds messages, and the discussions that they are part of."""

    def find(self, question: RecallQuestion, view: View) -> MessagesFound:
        """Return the messages within a view that match a question, best first."""
        return self._find(question, view, self._ready(question))

    def _find(self, question: RecallQuestion, view: View, ready: SearchReadiness) -> MessagesFound:
        query = None
        if ready.vector is not None and ready.space is not None:
            query = PassageVectorQuery(ready.vector, ready.space, self._parts.passage_index())
        passages = self._ledger.passages
        found = search_passages(question.terms, question.mode, _messages_of(view), question.limit, passages, query)
        return MessagesFound(found, query, ready.warning)

    def _ready(self, question: RecallQuestion) -> SearchReadiness:
        return SearchReadiness() if question.mode is Mode.LEXICAL else self.catch_up(question.text)

    def catch_up(self, question: str) -> SearchReadiness:
        """Embed a question, and the messages that were added last, within the time limit of a recall."""
        return passage_index.catch_up(self._indexed_passages, question, self._policies.recall.catch_up_ms / 1000)

    def find_for_why(self, question: str, view: View, progress: Progress | None = None) -> MessagesFound:
        """Return the messages among which the answer to a question about a decision may be.

        Only messages with vectors can be read, so this waits longer for them than a recall, and says how many have none.
        """
        asked = parse_question(question, Mode.HYBRID, WHY_HITS)
        ready = passage_index.catch_up(
            self._indexed_passages,
            asked.text,
            self._reading_seconds,
            first=lambda: self._found_by_words(asked, view),
            progress=progress,
        )
        return replace(self._find(asked, view, ready), pending=self._pending(ready, view))

    def catch_up_for_reading(self, question: str) -> None:
        """Embed messages before some are read without a search."""
        passage_index.catch_up(self._indexed_passages, question, self._reading_seconds)

    def _pending(self, ready: SearchReadiness, view: View) -> Pending | None:
        """Return the messages of a view without a vector; none if a warning says why there are no vectors."""
        if not ready.waiting or (ready.warning and ready.vector is None):
            return None
        passages, within = self._ledger.passages, _messages_of(view)
        pending = passages.vectors.pending_passages(ready.space, within)
        return Pending(pending, passages.count(within)) if pending else None

    @property
    def _reading_seconds(self) -> float:
        # With 0 the operator has said that no question waits for vectors.
        limit = self._policies.recall.catch_up_ms / 1000
        return max(limit, WHY_CATCH_UP_SECONDS) if limit else 0.0

    def _found_by_words(self, question: RecallQuestion, view: View) -> list[PassageId]:
        """Return the messages of the discussions that the words of a question find."""
        by_words = replace(question, mode=Mode.LEXICAL)
        found, discussions = dict[str, None](), 0
        for hit in self._find(by_words, view, SearchReadiness()).found.hits:
            if hit.passage.id not in found and discussions < FIRST_DISCUSSIONS:
                around = self.around(hit.passage, view, FIRST_MESSAGES // 2, FIRST_MESSAGES)
                found.update((one.ref, None) for one in around)
                discussions += 1
        return [PassageId(ref) for ref in found]

    def discussion(self, matches: MessagesFound, view: View) -> tuple[str, list[Message]]:
        """Return the messages around the best match of a question, and their conversation; none if nothing was said about it."""
        rated = matches.query is not None
        hits = matches.found.hits[:DISCUSSION_HITS]
        relevant = [hit for hit in hits if likelihood(hit.relevance, rated=rated) >= PLAUSIBLE]
        if not relevant:
            return "", []
        # The conversation that says most about it, and there the message that says most.
        about: dict[tuple[str, str], float] = {}
        for hit in relevant:
            about[hit.passage.group_key] = about.get(hit.passage.group_key, 0.0) + hit.relevance
        chosen = max(about, key=lambda key: about[key])
        best = next(hit.passage for hit in relevant if hit.passage.group_key == chosen)
        return best.group, self.around(best, view, MESSAGES_BEFORE, MESSAGES_SHOWN)

    def newest(self, view: View, limit: int) -> dict[tuple[str, str], list[Message]]:
        """Return the messages that were said last, whenever they were added, by scope and conversation, in their order there."""
        within = PassageView(EvidenceLane.CONVERSATIONS, view.reach, view.trusts)
        said: dict[tuple[str, str], list[Message]] = {}
        for one in sorted(self._ledger.passages.page(within, limit), key=lambda one: (one.group_key, one.position)):
            said.setdefault(one.group_key, []).append(passage_message(one))
        return said

    def speakers(self, refs: Sequence[str], view: View) -> dict[str, str]:
        """Return who said some messages, as far as their names are known."""
        found = self._ledger.passages.fetch([PassageId(ref) for ref in refs], _messages_of(view), verify=False)
        return {ref: speaker for ref, one in found.items() if (speaker := one.speaker)}

    def around(self, hit: Passage, view: View, before: int, count: int) -> list[Message]:
        """Return a number of messages around one, without erased ones; near the end, more of them are before it."""
        within = replace(view, reach=Reach((hit.scope,)))
        conversation = self._ledger.conversations.find(hit.group, within)
        if conversation is None:
            return []
        first = max(1, min(hit.position - before, conversation.messages - count + 1))
        several = self._ledger.conversations.messages(conversation.id, within, first, first + count - 1)
        return [one for one in several if not one.erased]


def _messages_of(view: View) -> PassageView:
    return PassageView(EvidenceLane.CONVERSATIONS, view.reach, view.trusts)
