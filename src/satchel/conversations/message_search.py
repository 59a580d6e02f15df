"""Search the messages of conversations by words and by meaning, with their neighbours."""

from msgspec import Struct

from satchel.core.service import Service
from satchel.domain.embedding import Vector
from satchel.domain.passage import EvidenceLane, PassageView
from satchel.domain.view import View
from satchel.indexing import passage_index
from satchel.indexing.memory_index import SearchReadiness
from satchel.recall.passages import PassagesFound, PassageVectorQuery, search_passages
from satchel.recall.request import Mode, RecallQuestion


class MessagesFound(Struct, frozen=True):
    """The messages that match a question, and the question's vector if there is one."""

    found: PassagesFound
    query: PassageVectorQuery | None = None
    warning: str = ""

    @property
    def vector(self) -> Vector | None:
        """The question's vector."""
        return None if self.query is None else self.query.vector


class MessageSearch(Service):
    """Finds messages."""

    def find(self, question: RecallQuestion, view: View) -> MessagesFound:
        """Return the messages within a view that match a question, best first."""
        ready = self._ready(question)
        query = None
        if ready.vector is not None and ready.space is not None:
            query = PassageVectorQuery(ready.vector, ready.space, self._parts.passage_index())
        within = PassageView(EvidenceLane.CONVERSATIONS, view.reach, view.trusts)
        found = search_passages(question.terms, question.mode, within, question.limit, self._ledger.passages, query)
        return MessagesFound(found, query, ready.warning)

    def _ready(self, question: RecallQuestion) -> SearchReadiness:
        if question.mode is Mode.LEXICAL:
            return SearchReadiness()
        return passage_index.catch_up(self._indexed_passages, question.text, self._policies.recall.catch_up_ms / 1000)
