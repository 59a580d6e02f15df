"""Results of the speed benchmark."""

from collections.abc import Mapping

from msgspec import Struct

from bench.machine import Machine
from satchel.domain.canonical import Json


class Timing(Struct, frozen=True):
    """Percentiles over several runs, or one figure such as a size."""

    runs: int
    p50: float
    p95: float
    p99: float
    worst: float


class Bar(Struct, frozen=True):
    """A target that the design sets for a figure, and whether it is met."""

    asked: str
    met: bool


class Contest(Struct, frozen=True):
    """One measurement of Satchel and, in the same run and in turns with it, of its peers."""

    what: str
    unit: str
    ratios: Mapping[str, float]
    """How many times better Satchel's median is than each peer's; below 1 it is worse."""
    satchel: Timing
    peers: Mapping[str, Timing]
    note: str = ""
    bars: tuple[Bar, ...] = ()


class Sized(Struct, frozen=True):
    """Everything measured with one number of memories."""

    memories: int
    contests: tuple[Contest, ...]
    left_out: Mapping[str, str]
    """What was not measured, and why."""


class SpeedResult(Struct, frozen=True):
    """Result of a run."""

    seed: int
    """The generated texts are the same for the same seed."""
    embedding_space: str | None
    settings: Mapping[str, Json]
    sizes: tuple[Sized, ...]
    machine: Machine
