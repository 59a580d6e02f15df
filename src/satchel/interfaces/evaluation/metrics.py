"""Compute retrieval metrics from the answers to a golden set."""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if
from satchel.interfaces.evaluation.golden import Case

HYBRID = "hybrid"
# An answer below this rank counts as a miss.
HIT_DEPTH = 5


class ReturnedMemory(Struct, frozen=True):
    """A returned memory: the names a case may use for it, shortest first, and its scope."""

    names: tuple[str, ...]
    scope: str


class CaseResult(Struct, frozen=True):
    """A case and the memories that were returned."""

    case: Case
    returned: tuple[ReturnedMemory, ...]
    milliseconds: float

    @property
    def rank(self) -> int | None:
        """The rank of the first correct memory, from 1; None if there is none."""
        ranks = (rank for rank, one in enumerate(self.returned, start=1) if set(one.names) & set(self.case.expect))
        return next(ranks, None)


class Figures(Struct, frozen=True):
    """Metrics of some cases. Shares are from 0 to 1."""

    n: int
    hit_at_1: float
    hit_at_3: float
    hit_at_5: float
    """The share of cases with an answer among the first five memories."""
    mrr: float
    """The mean of 1 / rank of the first answer; 0 for a case without one."""
    returned: int
    """Number of memories returned for all cases; a recall may return fewer than its limit."""
    wrong_scope: float
    """The share of those that are in another scope than the case."""
    p50_ms: float
    p95_ms: float


class Miss(Struct, frozen=True):
    """A case without an answer among the first five."""

    id: str
    family: str
    language: str
    scope: str
    query: str
    expected: tuple[str, ...]
    returned: tuple[str, ...]


class ModeReport(Struct, frozen=True):
    """The metrics of one mode of recall, or why it was not available."""

    mode: str
    problem: str
    """Why there are no metrics; empty if there are."""
    overall: Figures | None
    families: Mapping[str, Figures]
    languages: Mapping[str, Figures]
    misses: tuple[Miss, ...]


class Evaluation(Struct, frozen=True):
    """The result of an evaluation."""

    source: str
    """The file of the cases, or 'built in'."""
    digest: str
    """The digest of the golden set."""
    own_store: bool
    """Whether the user's own store was asked, instead of the memories of the set."""
    cases: int
    memories: int
    limit: int
    """The limit of each recall."""
    embedding_space: str | None
    modes: tuple[ModeReport, ...]
    holds: bool | None
    """Whether hybrid has at least the MRR of every other mode; None if that was not measured."""

    @property
    def outcome(self) -> Outcome:
        """Failed if another mode is better than hybrid."""
        return failed_if(self.holds is False)


def mode_report(mode: str, answered: Sequence[CaseResult]) -> ModeReport:
    """Return the metrics of a mode: overall, per family and per language, in order of first appearance."""
    return ModeReport(
        mode,
        problem="",
        overall=figures(answered),
        families=_grouped(answered, lambda case: case.family),
        languages=_grouped(answered, lambda case: case.language),
        misses=tuple(_miss(one) for one in answered if not _is_hit(one, HIT_DEPTH)),
    )


def unavailable(mode: str, problem: str) -> ModeReport:
    """Return the report of an unavailable mode; it has no metrics, as zeros would mislead."""
    return ModeReport(mode, problem, overall=None, families={}, languages={}, misses=())


def figures(answered: Sequence[CaseResult]) -> Figures:
    """Return the metrics of at least one case."""
    scopes = [one.scope == case.case.scope for case in answered for one in case.returned]
    durations = [one.milliseconds for one in answered]
    return Figures(
        n=len(answered),
        hit_at_1=_hit_share(answered, 1),
        hit_at_3=_hit_share(answered, 3),
        hit_at_5=_hit_share(answered, HIT_DEPTH),
        mrr=_rounded(fmean(1 / one.rank if one.rank else 0.0 for one in answered)),
        returned=len(scopes),
        wrong_scope=_rounded(scopes.count(False) / len(scopes)) if scopes else 0.0,
        p50_ms=percentile(durations, 0.50),
        p95_ms=percentile(durations, 0.95),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def holds(modes: Sequence[ModeReport]) -> bool | None:
    """Return whether hybrid has at least the MRR of every other mode; None unless it and another mode were measured."""
    found = {one.mode: one.overall.mrr for one in modes if one.overall is not None}
    others = [share for mode, share in found.items() if mode != HYBRID]
    return found[HYBRID] >= max(others) if HYBRID in found and others else None


def _grouped(answered: Sequence[CaseResult], group: Callable[[Case], str]) -> dict[str, Figures]:
    groups: dict[str, list[CaseResult]] = {}
    for one in answered:
        groups.setdefault(group(one.case), []).append(one)
    return {name: figures(members) for name, members in groups.items()}


def _is_hit(one: CaseResult, depth: int) -> bool:
    return one.rank is not None and one.rank <= depth


def _hit_share(answered: Sequence[CaseResult], depth: int) -> float:
    return _rounded(sum(_is_hit(one, depth) for one in answered) / len(answered))


def _rounded(share: float) -> float:
    return round(share, 4)


def _miss(one: CaseResult) -> Miss:
    case = one.case
    returned = tuple(memory.names[0] for memory in one.returned)
    return Miss(case.id, case.family, case.language, case.scope, case.query, case.expect, returned)
