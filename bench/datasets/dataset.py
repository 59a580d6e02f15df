"""A dataset, whatever its file format: units of text, questions about them, and the gold units that answer those."""

from enum import StrEnum

from msgspec import Struct


class Level(StrEnum):
    """What a search should find: single turns, or the sessions they belong to."""

    TURN = "turn"
    SESSION = "session"


class Lane(StrEnum):
    """Which of Satchel's operations the texts go through by default."""

    EPISODES = "episodes"
    DOCUMENTS = "documents"


class Unit(Struct, frozen=True):
    """One text to store. Its id and its session are used for scoring only and are never indexed."""

    id: str
    text: str
    session: str = ""
    speaker: str | None = None
    role: str | None = None
    at: int | None = None
    """When it was said, in milliseconds since the epoch."""
    language: str | None = None
    """The programming language of code."""


class Question(Struct, frozen=True):
    """One question and its gold: ids of the units (or sessions) that answer it; empty if it is asked but not scored."""

    id: str
    text: str
    category: str
    gold: tuple[str, ...]
    at: int | None = None
    """When it was asked, if the file says so."""
    answer: str = ""
    """The answer in words, if the file has it."""


class Corpus(Struct, frozen=True):
    """The content of one store: the units of a conversation or a pool, and the questions about them."""

    name: str
    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


class Dataset(Struct, frozen=True):
    """A dataset as it was read."""

    name: str
    level: Level
    lane: Lane
    corpora: tuple[Corpus, ...]
    apart: tuple[str, ...] = ()
    """Categories that the overall figures leave out."""
