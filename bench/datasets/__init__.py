"""Readers of datasets: one module per format, all returning a Dataset."""

from collections.abc import Callable
from pathlib import Path

from bench.datasets import beam, chats, cosqa, locomo, longmemeval
from bench.datasets.dataset import Dataset, Level
from bench.datasets.reading import read_input, unpacked
from satchel.config import Settings
from satchel.errors import InvalidRequest

READERS: dict[str, Callable[[bytes, Level], Dataset]] = {
    one.NAME: one.read for one in (locomo, longmemeval, beam, cosqa, chats)
}


def read_dataset(name: str, data: bytes, level: Level) -> Dataset:
    """Return the dataset in a file of this format, which may be gzipped. At least one question must be scored."""
    found = READERS[name](unpacked(data), level)
    if not found.corpora:
        raise InvalidRequest(f"the {name} file has no conversation", code="empty_conversation")
    if not any(question.gold for corpus in found.corpora for question in corpus.questions):
        raise InvalidRequest(f"no question of the {name} file has a gold {level}", code="missing_gold")
    return found


def load_dataset(settings: Settings, format: str, data: str, level: Level, *, pipes: bool) -> Dataset:
    """Return the dataset in a file named by a user; with `pipes`, '-' is standard input."""
    return read_dataset(format, read_input(settings, data, pipes=pipes), level)


def load_turns(format: str, file: Path) -> Dataset:
    """Return the dataset in a file, with turns as units."""
    return read_dataset(format, file.read_bytes(), Level.TURN)
