"""Results of the clients benchmark."""

from collections.abc import Mapping

from msgspec import Struct

from bench.machine import Machine
from bench.speed.results import Timing
from satchel.domain.canonical import Json


class Load(Struct, frozen=True):
    """What the clients of one run got, and what the server needed."""

    pause_ms: int
    """How long a client waits after each answer. At 0 it asks again at once, which measures how much the server can do; a
    busy agent asks about once a second."""
    clients: int
    seconds: float
    reads: Timing
    """Recalls, in milliseconds."""
    writes: Timing
    """Stores, in milliseconds."""
    errors: Mapping[str, int]
    """Failed requests by their error."""
    cpu_ms: float
    """Processor time of the server for a request, with everything that it does in the background."""
    lost: int
    """Acknowledged stores that could not be read back at the end."""
    resident_mb: tuple[float, float, float]
    """Memory of the server at the start, in the middle and at the end."""


class HeldStore(Struct, frozen=True):
    """Recalls of one client, while nobody writes and while another process holds a write transaction."""

    server: bool
    alone: Timing
    during_write: Timing


class ClientsResult(Struct, frozen=True):
    """Result of a run."""

    memories: int
    hold_seconds: float
    embedding_space: str | None
    settings: Mapping[str, Json]
    loads: tuple[Load, ...]
    held: tuple[HeldStore, ...]
    machine: Machine
