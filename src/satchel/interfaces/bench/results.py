"""What the benchmarks come to: values that print as result files. Cheap to load, since every command knows of them."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.outcome import Outcome, failed_if


class Machine(Struct, frozen=True):
    """Where and when something was measured."""

    date: str
    cpu: str
    cores: int
    memory_gb: float
    load: float
    """How busy it was when the run began: the load average of the last minute."""
    system: str
    python: str
    libraries: Mapping[str, str]


class Figures(Struct, frozen=True):
    """How well some questions were answered."""

    n: int
    """How many questions they are the mean of."""
    metrics: Mapping[str, float]
    """R@k is the share of the gold among the first k; any@k and all@k the share of questions with some, or all, of it there."""


class Retrieval(Struct, frozen=True):
    """What a run of the retrieval benchmark came to."""

    set: str
    level: str
    mode: str
    through: str
    """The operations that the units went through."""
    file: str
    conversations: int
    """How many indexes there were, one of each conversation."""
    units: int
    questions: int
    """How many were asked; those without a scored answer are in no figure."""
    depth: int
    """How many units each question asked for."""
    embedding_space: str | None
    settings: Mapping[str, Json]
    """What was set otherwise than by default."""
    store_digest: str
    """The name of exactly what was put into the stores."""
    overall: Figures
    """All scored questions, but for the categories that stand apart."""
    categories: Mapping[str, Figures]
    apart: tuple[str, ...]
    """Categories that are no part of the whole."""
    index_seconds: float
    ask_ms_p50: float
    ask_ms_p95: float
    rankings: str | None
    """The file with the ranking of every question."""
    machine: Machine


class Timing(Struct, frozen=True):
    """What several runs of the same took, or what one thing weighs."""

    runs: int
    p50: float
    p95: float
    p99: float
    worst: float


class Bar(Struct, frozen=True):
    """What the design asks of a figure, and whether it is so."""

    asked: str
    met: bool


class Contest(Struct, frozen=True):
    """One thing measured of Satchel and, in the same run and in turns with it, of what one would pick instead."""

    what: str
    unit: str
    ratios: Mapping[str, float]
    """How many times better Satchel is in the median than each of them; below 1 it is worse."""
    satchel: Timing
    peers: Mapping[str, Timing]
    note: str = ""
    bars: tuple[Bar, ...] = ()


class Sized(Struct, frozen=True):
    """Everything measured with so many memories."""

    memories: int
    contests: tuple[Contest, ...]
    left_out: Mapping[str, str]
    """Who was not measured, and why."""


class Speed(Struct, frozen=True):
    """What a run of the speed benchmark came to."""

    seed: int
    """The generated texts are the same for the same seed."""
    embedding_space: str | None
    settings: Mapping[str, Json]
    sizes: tuple[Sized, ...]
    machine: Machine


class Rate(Struct, frozen=True):
    """How often something happened."""

    what: str
    n: int
    """How often it could have."""
    count: int
    rate: float | None
    """None where the subject offers nothing of the kind."""
    ideal: float | None
    note: str


class Governance(Struct, frozen=True):
    """What a run of the governance benchmark came to."""

    seed: int
    settings: Mapping[str, Json]
    subjects: Mapping[str, tuple[Rate, ...]]
    left_out: Mapping[str, str]
    """Who was not judged, and why."""
    machine: Machine

    @property
    def outcome(self) -> Outcome:
        """Failed where Satchel is not what it promises to be."""
        return failed_if(
            any(one.rate is not None and one.rate != one.ideal for one in self.subjects.get("satchel", ()))
        )


class Evidence(Struct, frozen=True):
    """How much of what answers some questions is in the bundles made for them."""

    n: int
    any: float
    """The share of questions with at least one gold unit in the bundle."""
    all: float
    share: float
    """The mean share of the gold units that are in it."""
    tokens: float
    """How many tokens a bundle takes in the mean."""
    over_budget: int
    """How many bundles take more than they may; it must be 0."""


class Budgeted(Struct, frozen=True):
    """One budget: the product's pack, and dumps of the best units of the same size."""

    budget: int
    pack: Evidence
    dump: Evidence
    """The best units of the product's own search, one after another."""
    words: Evidence
    """The best units of a plain full-text search."""
    plain: Evidence
    """The best units of a plain search by full text and, if there is a model, by vectors, their ranks added up."""


class Packing(Struct, frozen=True):
    """What a run of the pack benchmark came to."""

    set: str
    mode: str
    through: str
    file: str
    embedding_space: str | None
    settings: Mapping[str, Json]
    store_digest: str
    budgets: tuple[Budgeted, ...]
    machine: Machine


class PrecisionFigures(Struct, frozen=True):
    """How exactly some questions were answered."""

    n: int
    precision: float
    """The mean share of what came back that should have; where nothing should have, 1 if nothing did."""
    recall: float
    exact: float
    """The share of questions to which exactly the right beliefs came back."""


class Precision(Struct, frozen=True):
    """What a run over PrecisionMemBench came to."""

    mode: str
    min_relevance: float
    beliefs: int
    embedding_space: str | None
    settings: Mapping[str, Json]
    groups: Mapping[str, PrecisionFigures]
    machine: Machine
