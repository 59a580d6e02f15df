"""What one would pick instead: who there is, whether it is installed here, and how the benchmarks speak to it."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Vector


class Peer(Protocol):
    """A store of texts in scopes, in a folder of its own; one that is there already is opened."""

    folder: Path

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Take in many texts at once, the vector of each already made."""
        ...

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Keep one text, as durably as it does that."""
        ...

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the best."""
        ...

    def forget(self, id: str) -> None:
        """Delete one text, the way it offers that."""
        ...

    def close(self) -> None:
        """Let go of its files."""
        ...


class Rival(Struct, frozen=True):
    """A peer by name: how it is opened, what it needs, and what it can do."""

    name: str
    package: str
    """What has to be installed for it."""
    open: Callable[[Path], Peer]
    by_meaning: bool
    """Whether it asks for the vector of a question."""
    most: int
    """Beyond so many texts it takes too long to fill."""
    alone: bool = False
    """Whether only one process at a time may have it open."""
    obstacle: Callable[[], str] = lambda: ""
    """What stands in its way where it is installed; empty when nothing does."""

    @property
    def missing(self) -> str:
        """Why it cannot be measured here; empty when it can."""
        try:
            installed = find_spec(self.package) is not None
        except ModuleNotFoundError:
            installed = False
        return self.obstacle() if installed else f"{self.package} is not installed"


def _plain_fts5(folder: Path) -> Peer:
    from satchel.adapters.peers.plain_fts5 import PlainFts5

    return PlainFts5(folder)


def _plain_lance(folder: Path) -> Peer:
    from satchel.adapters.peers.plain_lance import PlainLance

    return PlainLance(folder)


def _chroma(folder: Path) -> Peer:
    from satchel.adapters.peers.chroma import Chroma

    return Chroma(folder)


def _langgraph(folder: Path) -> Peer:
    from satchel.adapters.peers.langgraph_store import LangGraphStore

    return LangGraphStore(folder)


def _mem0(folder: Path) -> Peer:
    from satchel.adapters.peers.mem0 import Mem0

    return Mem0(folder)


def _no_extensions() -> str:
    """Say whether this Python's SQLite can load the extension that searches vectors."""
    import sqlite3

    loads = hasattr(sqlite3.Connection, "enable_load_extension")
    return "" if loads else "the sqlite3 of this Python loads no extensions"


RIVALS: tuple[Rival, ...] = (
    Rival("plain FTS5", "sqlite3", _plain_fts5, by_meaning=False, most=10_000_000),
    Rival("plain Lance", "lance", _plain_lance, by_meaning=True, most=10_000_000),
    Rival("chromadb", "chromadb", _chroma, by_meaning=True, most=100_000),
    Rival(
        "langgraph SqliteStore",
        "langgraph.store.sqlite",
        _langgraph,
        by_meaning=True,
        most=100_000,
        obstacle=_no_extensions,
    ),
    Rival("mem0", "mem0", _mem0, by_meaning=True, most=1_000, alone=True),
)


def rival(name: str) -> Rival:
    """Return the peer of a name."""
    return next(one for one in RIVALS if one.name == name)
