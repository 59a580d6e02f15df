"""A store with its lanes of knowledge, whose clock a test can set."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.sidecar.stores import SetClock, opened

from satchel.areas.conversations import ConversationOperations
from satchel.areas.facts import FactOperations
from satchel.memory import MemoryOperations


class Known:
    """A store, its clock, and what is known in it."""

    def __init__(self, memory: MemoryOperations, clock: SetClock, home: Path) -> None:
        self.memory = memory
        self.clock = clock
        self.home = home
        self.facts = FactOperations(memory._parts)
        self.conversations = ConversationOperations(memory._parts)

    def told(self, text: str, **options: Any) -> str:
        """Store a memory, and return its id."""
        return self.memory.store(text, **options).result.id


@contextmanager
def known(home: Path, **parts: Any) -> Iterator[Known]:
    """Open a store for one test."""
    with opened(home, **parts) as store:
        yield Known(store.memory, store.clock, home)
