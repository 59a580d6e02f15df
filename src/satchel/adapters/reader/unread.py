"""Reads messages that have no stored vectors, such as those of another program's database."""

from collections.abc import Callable, Sequence

from satchel.domain.embedding import Vector
from satchel.errors import Unavailable
from satchel.ports import Embedder
from satchel.ports.reading import DecisionQuestion, Discussion, DiscussionReader, Reading, UnreadDiscussion

# Characters of a message that are embedded: what the model reads at once.
MAX_CHARS = 900


def read_unread(
    question: str, unread: Sequence[UnreadDiscussion], embedder: Callable[[], Embedder | None], reader: DiscussionReader
) -> list[Reading]:
    """Embed discussions and read them for the answer to a question; nothing without a model that the reader knows."""
    texts = [one.content[:MAX_CHARS] for discussion in unread for one in discussion.messages]
    try:
        model = embedder()
        if model is None or model.name != reader.space:
            return []
        asked, *vectors = model.embed([question, *texts])
    except Unavailable:
        return []
    following = iter(vectors)
    discussions = [_with_vectors(one, [next(following) for _ in one.messages]) for one in unread]
    return reader.read(DecisionQuestion(question, asked), discussions)


def _with_vectors(unread: UnreadDiscussion, vectors: Sequence[Vector]) -> Discussion:
    return Discussion("", unread.conversation, unread.messages, tuple(vectors))
