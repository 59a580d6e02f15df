"""Peers: the systems that Satchel is compared with, each set up as its documentation says. A peer needs its package installed."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Vector


class Peer(Protocol):
    """A store of texts in scopes, in a folder of its own. Opening a folder again finds its texts."""

    folder: Path

    def fill(
        self, ids: Sequence[str], texts: Sequence[str], scopes: Sequence[str], vectors: Sequence[Vector | None]
    ) -> None:
        """Add many texts with their vectors."""
        ...

    def write(self, id: str, text: str, scope: str, vector: Vector | None) -> None:
        """Add one text, as durably as the system does by default."""
        ...

    def recall(self, question: str, vector: Vector | None, scope: str, limit: int) -> list[tuple[str, str]]:
        """Return id and text of the best hits."""
        ...

    def forget(self, id: str) -> None:
        """Delete one text."""
        ...

    def close(self) -> None:
        """Close its files."""
        ...


class PeerInfo(Struct, frozen=True):
    """How a peer is opened, what it needs, and what it can do."""

    name: str
    package: str
    """The package it needs."""
    open: Callable[[Path], Peer]
    by_meaning: bool
    """Whether it searches by vector."""
    most: int
    """The most texts it can be filled with in reasonable time."""
    alone: bool = False
    """Whether only one process at a time may open it."""
    obstacle: Callable[[], str] = lambda: ""
    """Why it cannot run even though it is installed; empty if it can."""

    @property
    def missing(self) -> str:
        """Why it cannot be measured here; empty if it can."""
        try:
            installed = find_spec(self.package) is not None
        except ModuleNotFoundError:
            installed = False
        return self.obstacle() if installed else f"{self.package} is not installed"


def _plain_fts5(folder: Path) -> Peer:
    from bench.peers.plain_fts5 import PlainFts5

    return PlainFts5(folder)


def _plain_lance(folder: Path) -> Peer:
    from bench.peers.plain_lance import PlainLance

    return PlainLance(folder)


def _chroma(folder: Path) -> Peer:
    from bench.peers.chroma import Chroma

    return Chroma(folder)


def _langgraph(folder: Path) -> Peer:
    from bench.peers.langgraph_store import LangGraphStore

    return LangGraphStore(folder)


def _mem0(folder: Path) -> Peer:
    from bench.peers.mem0 import Mem0

    return Mem0(folder)


def _no_extensions() -> str:
    """Return why SQLite cannot load its vector extension; empty if it can."""
    import sqlite3

    loads = hasattr(sqlite3.Connection, "enable_load_extension")
    return "" if loads else "the sqlite3 module of this Python cannot load extensions"


PEERS: tuple[PeerInfo, ...] = (
    PeerInfo("plain FTS5", "sqlite3", _plain_fts5, by_meaning=False, most=10_000_000),
    PeerInfo("plain Lance", "lance", _plain_lance, by_meaning=True, most=10_000_000),
    PeerInfo("chromadb", "chromadb", _chroma, by_meaning=True, most=100_000),
    PeerInfo(
        "langgraph SqliteStore",
        "langgraph.store.sqlite",
        _langgraph,
        by_meaning=True,
        most=100_000,
        obstacle=_no_extensions,
    ),
    PeerInfo("mem0", "mem0", _mem0, by_meaning=True, most=1_000, alone=True),
)


def peer_info(name: str) -> PeerInfo:
    """Return a peer by name."""
    return next(one for one in PEERS if one.name == name)
