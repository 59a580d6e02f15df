"""Finds the discussions that a question may be about, and reads them for its answer."""

from collections.abc import Iterator, Mapping, Sequence

from satchel.conversations.message_search import MessageSearch, MessagesFound
from satchel.core.service import Service
from satchel.domain.canonical import Json
from satchel.domain.conversation import Message
from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import Passage
from satchel.domain.record import MemoryId
from satchel.domain.view import View
from satchel.ports.reading import DecisionQuestion, Discussion, Reading

# How many discussions are compared with a question.
MAX_COMPARED = 8


class DiscussionSearch(Service):
    """Reads the discussions around the messages that a search has found."""

    def read(self, question: str, matches: MessagesFound, view: View) -> list[Reading]:
        """Return what the discussions say about a question, the likeliest answer first.

        Without a reader, or with vectors that it does not know, nothing is read.
        """
        reader, query = self._parts.reader(), matches.query
        if reader is None or query is None or query.space.name != reader.space:
            return []
        hits = [hit.passage for hit in matches.found.hits]
        discussions = list(self._discussions(hits, query.space, view, reader.max_messages))
        return reader.read(DecisionQuestion(question, query.vector), discussions)

    def decided(self, space: Space, said: Mapping[tuple[str, str], Sequence[Message]]) -> list[Reading]:
        """Return what was decided in messages, by scope and conversation, each read in parts of a size that the reader can take."""
        reader = self._parts.reader()
        if reader is None or space.name != reader.space:
            return []
        size = reader.max_messages
        parts = [
            (key, messages[start : start + size])
            for key, messages in said.items()
            for start in range(0, len(messages), size)
        ]
        discussions = [
            Discussion(scope, conversation, tuple(part), vectors)
            for (scope, conversation), part in parts
            if len(vectors := self._vectors(part, space)) == len(part)
        ]
        return reader.decided(discussions)

    def _discussions(self, hits: Sequence[Passage], space: Space, view: View, size: int) -> Iterator[Discussion]:
        """Yield the messages around the best hits; a hit within an earlier discussion adds none."""
        seen, found, search = set[str](), 0, MessageSearch(self._parts)
        for hit in hits:
            if hit.id in seen or found == MAX_COMPARED:
                continue
            messages = search.around(hit, view, size // 2, size)
            seen.update(one.ref for one in messages)
            vectors = self._vectors(messages, space)
            # With a message left out, a discussion could be misread.
            if messages and len(vectors) == len(messages):
                found += 1
                yield Discussion(hit.scope, hit.group, tuple(messages), vectors)

    def _vectors(self, messages: Sequence[Message], space: Space) -> tuple[Vector, ...]:
        """Return the stored vectors of messages; of a long message, that of its beginning."""
        ids = [MemoryId(f"{one.ref}#0") for one in messages]
        stored = self._ledger.passages.vectors.get(space, ids)
        return tuple(stored[id] for id in ids if id in stored)


def reading_facts(readings: Sequence[Reading]) -> list[Json]:
    """Return what a receipt says about the discussions that were read."""
    return [
        {
            "conversation": one.discussion.conversation,
            "scope": one.discussion.scope,
            "first": one.discussion.messages[0].seq,
            "last": one.discussion.messages[-1].seq,
            "decision": one.decision.ref,
            "near": round(one.near, 2),
            "likelihood": round(one.likelihood, 2),
        }
        for one in readings
    ]
