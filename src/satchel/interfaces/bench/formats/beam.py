"""BEAM: long chats with an assistant, and questions that want one message or many. One index per chat."""

from collections.abc import Iterator

from msgspec import Struct

from satchel.interfaces.bench.formats.reading import corpus, moment, only_turns, shaped
from satchel.interfaces.bench.sets import BenchmarkSet, Corpus, Lane, Level, Question, Unit

NAME = "beam"
# Questions that have no answer: asked, not scored.
UNANSWERABLE = "abstention"
_DATES = ("%B-%d-%Y", "%B %d, %Y", "%Y-%m-%d")


class Message(Struct):
    """What is read of a message. A time anchor holds until the next one."""

    id: int | str
    role: str
    content: str
    time_anchor: str | None = None


class Asked(Struct):
    """What is read of a question."""

    type: str
    question: str
    source_chat_ids: list[int | str]


class Chat(Struct):
    """What is read of a chat."""

    chat_id: int | str
    messages: list[Message]
    probing_questions: list[Asked]


def read(data: bytes, level: Level) -> BenchmarkSet:
    """Return the chats of a file, each an index of its own."""
    only_turns(level, NAME)
    chats = shaped(data, list[Chat], NAME)
    return BenchmarkSet(NAME, level, Lane.EPISODES, tuple(_corpus(one) for one in chats))


def _corpus(chat: Chat) -> Corpus:
    units = list(_units(chat))
    last = max((one.at for one in units if one.at is not None), default=None)
    held = {one.id for one in units}
    questions = [
        Question(f"{chat.chat_id}-{place}", one.question, one.type, _gold(one, held), last)
        for place, one in enumerate(chat.probing_questions)
    ]
    return corpus(f"chat {chat.chat_id}", units, questions)


def _units(chat: Chat) -> Iterator[Unit]:
    period, at = 0, None
    for message in chat.messages:
        if message.time_anchor:
            period, at = period + 1, moment(message.time_anchor, *_DATES)
        yield Unit(str(message.id), message.content, str(period), role=message.role, at=at)


def _gold(one: Asked, held: set[str]) -> tuple[str, ...]:
    if one.type == UNANSWERABLE:
        return ()
    return tuple(id for id in dict.fromkeys(map(str, one.source_chat_ids)) if id in held)
