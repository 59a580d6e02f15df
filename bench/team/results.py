"""Results of the team benchmark."""

from collections.abc import Mapping

from msgspec import Struct

from bench.machine import Machine
from bench.speed.results import Timing
from satchel.domain.canonical import Json


class TeamResult(Struct, frozen=True):
    """What many agents got of one store in PostgreSQL, each in its own scope."""

    server: str
    agents: int
    memories: int
    """In all scopes together, at the start."""
    processes: int
    seconds: float
    fill_rows_a_second: float
    bytes_a_memory: float
    recalls: Timing
    """In milliseconds, with the embedding of the question."""
    stores: Timing
    plain: Timing
    """The nearest rows of a plain pgvector table of the same vectors, asked in turns with the recalls."""
    errors: Mapping[str, int]
    leaks: int
    """Hits of another agent's scope."""
    settings: Mapping[str, Json]
    machine: Machine
