"""BEAM: long chats with an assistant, and questions answered by one message or many. One corpus per chat."""

from collections.abc import Iterator

from msgspec import Struct

from bench.datasets.dataset import Corpus, Dataset, Lane, Level, Question, Unit
from bench.datasets.reading import corpus, moment, only_turns, shaped

NAME = "beam"
# Questions without an answer: asked, not scored.
UNANSWERABLE = "abstention"
_DATES = ("%B-%d-%Y", "%B %d, %Y", "%Y-%m-%d")


class BeamMessage(Struct):
    """The fields of a message that are used. A time anchor applies until the next one."""

    id: int | str
    role: str
    content: str
    time_anchor: str | None = None


class BeamQuestion(Struct):
    """The fields of a question that are used."""

    type: str
    question: str
    source_chat_ids: list[int | str]


class Chat(Struct):
    """The fields of a chat that are used."""

    chat_id: int | str
    messages: list[BeamMessage]
    probing_questions: list[BeamQuestion]


def read(data: bytes, level: Level) -> Dataset:
    """Return the chats of a file, one corpus each."""
    only_turns(level, NAME)
    chats = shaped(data, list[Chat], NAME)
    return Dataset(NAME, level, Lane.EPISODES, tuple(_corpus(one) for one in chats))


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


def _gold(one: BeamQuestion, held: set[str]) -> tuple[str, ...]:
    if one.type == UNANSWERABLE:
        return ()
    return tuple(id for id in dict.fromkeys(map(str, one.source_chat_ids)) if id in held)
