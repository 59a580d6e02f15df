"""Evaluate: what answers to known questions are worth, in figures. The same answers give the same figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from msgspec import Struct

from satchel.domain.outcome import Outcome, failed_if
from satchel.interfaces.evaluation.golden import Case

HYBRID = "hybrid"
# A person looks at the first few; what stands below is as good as missed.
HIT_DEPTH = 5


class Returned(Struct, frozen=True):
    """A memory in an answer: the names a case may know it by, the shortest first, and where it lies."""

    names: tuple[str, ...]
    scope: str


class Answered(Struct, frozen=True):
    """A case, and what came back for it."""

    case: Case
    returned: tuple[Returned, ...]
    milliseconds: float

    @property
    def rank(self) -> int | None:
        """The place of the first memory that answers, from 1; None when there is none."""
        places = (place for place, one in enumerate(self.returned, start=1) if set(one.names) & set(self.case.expect))
        return next(places, None)


class Figures(Struct, frozen=True):
    """How well some cases were answered. Shares are from 0 to 1."""

    n: int
    hit_at_1: float
    hit_at_3: float
    hit_at_5: float
    """The share of cases whose first five memories hold an answer."""
    mrr: float
    """The mean of 1 / rank of the first answer; a case without one counts as nothing."""
    returned: int
    """How many memories came back, over all cases: recall may return fewer than it was asked for."""
    wrong_scope: float
    """The share of those that lie in another scope than the one asked."""
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
    """How one mode of recall did, or why it could not be asked."""

    mode: str
    problem: str
    """Why there are no figures; empty when there are."""
    overall: Figures | None
    families: Mapping[str, Figures]
    languages: Mapping[str, Figures]
    misses: tuple[Miss, ...]


class Evaluation(Struct, frozen=True):
    """What an evaluation came to."""

    source: str
    """The file the cases are from, or 'built in'."""
    digest: str
    """The name of exactly this golden set."""
    own_store: bool
    """Whether the cases were asked of the store itself, and not of memories of their own."""
    cases: int
    memories: int
    limit: int
    """How many memories each question asked for."""
    embedding_space: str | None
    modes: tuple[ModeReport, ...]
    holds: bool | None
    """Whether hybrid finds at least as much among the first five as every other mode; None when that was not measured."""

    @property
    def outcome(self) -> Outcome:
        """Failed when another mode finds more than hybrid."""
        return failed_if(self.holds is False)


def mode_report(mode: str, answered: Sequence[Answered]) -> ModeReport:
    """Return the figures of a mode: overall, for each family and for each language, in the order they first appear."""
    return ModeReport(
        mode,
        problem="",
        overall=figures(answered),
        families=_grouped(answered, lambda case: case.family),
        languages=_grouped(answered, lambda case: case.language),
        misses=tuple(_miss(one) for one in answered if not _is_hit(one, HIT_DEPTH)),
    )


def unavailable(mode: str, problem: str) -> ModeReport:
    """Return the report of a mode that could not be asked. It has no figures: noughts would be a lie."""
    return ModeReport(mode, problem, overall=None, families={}, languages={}, misses=())


def figures(answered: Sequence[Answered]) -> Figures:
    """Return the figures of some cases, at least one."""
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
    """Return the smallest of the values that at least this share of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def holds(modes: Sequence[ModeReport]) -> bool | None:
    """Say whether hybrid finds at least as much as every other mode; None unless it and another one have figures."""
    found = {one.mode: one.overall.hit_at_5 for one in modes if one.overall is not None}
    others = [share for mode, share in found.items() if mode != HYBRID]
    return found[HYBRID] >= max(others) if HYBRID in found and others else None


def _grouped(answered: Sequence[Answered], group: Callable[[Case], str]) -> dict[str, Figures]:
    groups: dict[str, list[Answered]] = {}
    for one in answered:
        groups.setdefault(group(one.case), []).append(one)
    return {name: figures(members) for name, members in groups.items()}


def _is_hit(one: Answered, depth: int) -> bool:
    return one.rank is not None and one.rank <= depth


def _hit_share(answered: Sequence[Answered], depth: int) -> float:
    return _rounded(sum(_is_hit(one, depth) for one in answered) / len(answered))


def _rounded(share: float) -> float:
    return round(share, 4)


def _miss(one: Answered) -> Miss:
    case = one.case
    returned = tuple(memory.names[0] for memory in one.returned)
    return Miss(case.id, case.family, case.language, case.scope, case.query, case.expect, returned)
