"""What a benchmark set is, whatever file it came from: texts to keep, questions about them, and what answers those."""

from enum import StrEnum

from msgspec import Struct


class Level(StrEnum):
    """What is to be found: single turns, or the sessions they belong to."""

    TURN = "turn"
    SESSION = "session"


class Lane(StrEnum):
    """Which of the product's operations the texts go through."""

    EPISODES = "episodes"
    DOCUMENTS = "documents"


class Unit(Struct, frozen=True):
    """One text to keep. Its id, and that of its session, are names for the score: neither is ever indexed."""

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
    """One question, and the ids of the units (or sessions) that answer it; none where it is asked but not scored."""

    id: str
    text: str
    category: str
    gold: tuple[str, ...]
    at: int | None = None
    """When it was asked, where the file says so."""


class Corpus(Struct, frozen=True):
    """One index: the units of a conversation, or of a whole pool, and the questions asked of them."""

    name: str
    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


class BenchmarkSet(Struct, frozen=True):
    """A set as it was read."""

    name: str
    level: Level
    lane: Lane
    corpora: tuple[Corpus, ...]
    apart: tuple[str, ...] = ()
    """Categories that the headline leaves out."""
