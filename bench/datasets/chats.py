"""Our own conversations: turns of speakers in sessions, with the turns that answer each question. No encoder was trained on them.

A file is a list of `{"kind", "units": ["Speaker: text", …], "sessions": [first turn of each], "qa": [{"q", "pos"}]}`.
"""

from bisect import bisect_right

from msgspec import Struct

from bench.datasets.dataset import Corpus, Dataset, Lane, Level, Question, Unit
from bench.datasets.reading import corpus, not_of_format, shaped

NAME = "chats"
ROLES = ("user", "assistant")


class Asked(Struct):
    """A question, and the places of the turns that answer it."""

    q: str
    pos: list[int]


class Chat(Struct):
    """A conversation."""

    kind: str
    units: list[str]
    sessions: list[int]
    qa: list[Asked]


def read(data: bytes, level: Level) -> Dataset:
    """Return the conversations of a file, one corpus each."""
    chats = shaped(data, list[Chat], NAME)
    return Dataset(
        NAME, level, Lane.EPISODES, tuple(_corpus(one, number, level) for number, one in enumerate(chats, 1))
    )


def _corpus(chat: Chat, number: int, level: Level) -> Corpus:
    units = [_unit(text, place, f"S{bisect_right(chat.sessions, place)}") for place, text in enumerate(chat.units)]
    questions = [
        Question(f"{number}-{place}", one.q, _category(chat, one), _gold(one, units, level))
        for place, one in enumerate(chat.qa)
    ]
    return corpus(f"conversation {number}", units, questions)


def _unit(text: str, place: int, session: str) -> Unit:
    by, separator, said = text.partition(": ")
    if not separator:
        raise not_of_format(NAME, f"a turn without a speaker: {text[:40]!r}")
    return Unit(str(place), said, session, None if by in ROLES else by, by if by in ROLES else None)


def _category(chat: Chat, one: Asked) -> str:
    return f"{chat.kind}, {'one turn' if len(one.pos) == 1 else 'several turns'}"


def _gold(one: Asked, units: list[Unit], level: Level) -> tuple[str, ...]:
    if not all(0 <= place < len(units) for place in one.pos):
        raise not_of_format(NAME, f"an answer of {one.q[:40]!r} is not among the turns")
    answering = [units[place] for place in one.pos]
    return tuple(dict.fromkeys(unit.id if level is Level.TURN else unit.session for unit in answering))
