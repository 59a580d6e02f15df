"""The route benchmark: does the router answer a question about a project as a person would, with and without a model?

A question counts as right if its answer stands first and the status is one that a person would give. See `route_questions`.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.embedding import load_embedder
from bench.haystack import scratch
from bench.machine import Machine, changed_settings, this_machine
from bench.route_questions import (
    HALVES,
    SETS,
    Project,
    RouteQuestion,
    fill,
    read_project,
    read_questions,
    right_first,
)
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.canonical import Json
from satchel.ports import Embedder, Progress
from satchel.recall.request import Mode

WITH_MODEL, WITHOUT = "with the model", "words only"


class RouteOutcome(Struct, frozen=True):
    """A question, and what was right about its answer."""

    question: RouteQuestion
    first: bool
    status: bool

    @property
    def right(self) -> bool:
        """Whether both were."""
        return self.first and self.status


class RouteFigures(Struct, frozen=True):
    """How many questions were answered right."""

    n: int
    right: int
    first: int
    """With the right answer first, whatever the status."""
    status: int
    """With the right status, whatever came first."""


class RoutesResult(Struct, frozen=True):
    """Result of a run: figures by way of searching, half and rule."""

    questions: int
    embedding_space: str | None
    settings: Mapping[str, Json]
    ways: Mapping[str, Mapping[str, Mapping[str, RouteFigures]]]
    worse: Mapping[str, int]
    """By half, the questions that are right without the model and wrong with it."""
    machine: Machine


Outcomes = Mapping[str, Sequence[RouteOutcome]]
"""By the half of a set."""


def run_routes(settings: Settings, progress: Progress, *, cache: str | None = None) -> RoutesResult:
    """Ask every question, with the model and by words alone."""
    machine = this_machine()
    embedder = load_embedder(settings, Mode.HYBRID, None, cache)
    outcomes = dict[str, Outcomes]()
    for done, (name, used) in enumerate(((WITH_MODEL, embedder), (WITHOUT, None))):
        progress(done, 2, "asking")
        outcomes[name] = _all_outcomes(settings, used)
    progress(2, 2, "asking")
    return RoutesResult(
        questions=sum(map(len, outcomes[WITHOUT].values())),
        embedding_space=embedder.name if embedder else None,
        settings=changed_settings(settings),
        ways={
            name: {half: dict(_by_rule(several)) for half, several in halves.items()}
            for name, halves in outcomes.items()
        },
        worse={half: _worse(outcomes[WITH_MODEL][half], several) for half, several in outcomes[WITHOUT].items()},
        machine=machine,
    )


def _all_outcomes(settings: Settings, embedder: Embedder | None) -> Outcomes:
    found = dict[str, list[RouteOutcome]]()
    for name, projects in SETS.items():
        for project in projects:
            questions = [one for half in HALVES for one in read_questions(half, project)]
            for one in _asked(settings, read_project(project), questions, embedder):
                found.setdefault(f"{name} {one.question.half}", []).append(one)
    return found


def _asked(
    settings: Settings, project: Project, questions: Sequence[RouteQuestion], embedder: Embedder | None
) -> list[RouteOutcome]:
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
        own = replace(settings, routing=replace(settings.routing, state=folder))
        with scratch(own, embedder) as memory:
            dated = fill(memory, project, Path(folder) / "files")
            return [_outcome(dated, one, project) for one in questions]


def _outcome(memory: Satchel, question: RouteQuestion, project: Project) -> RouteOutcome:
    answer = memory.routing.route(question.ask).result
    return RouteOutcome(
        question, right_first(question, answer.results, project), answer.status.value in question.status
    )


def _by_rule(outcomes: Sequence[RouteOutcome]) -> Iterator[tuple[str, RouteFigures]]:
    yield "all", route_figures(outcomes)
    yield "nothing to find", route_figures([one for one in outcomes if not one.question.first])
    for rule in dict.fromkeys(one.question.rule for one in outcomes):
        yield rule, route_figures([one for one in outcomes if one.question.rule == rule])


def route_figures(outcomes: Sequence[RouteOutcome]) -> RouteFigures:
    """Count what was right."""
    return RouteFigures(
        n=len(outcomes),
        right=sum(one.right for one in outcomes),
        first=sum(one.first for one in outcomes),
        status=sum(one.status for one in outcomes),
    )


def _worse(with_model: Sequence[RouteOutcome], without: Sequence[RouteOutcome]) -> int:
    pairs = zip(with_model, without, strict=True)
    return sum(other.right and not one.right for one, other in pairs)
