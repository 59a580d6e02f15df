"""The router answers more questions of a test corpus than any single backend."""

from collections.abc import Iterator

import pytest
from bench.routing import ALONE, alone, hit
from bench.routing_set import CLASSES, Case, cases, fill

from satchel.app import Satchel
from satchel.config import load

pytestmark = pytest.mark.slow

# Every fifth question: the benchmark asks them all.
SOME = cases()[::5]


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Satchel]:
    folder = tmp_path_factory.mktemp("ferry")
    settings = load(
        {}, home=str(folder / "home"), routing={"state": str(folder / "state")}, embedding={"provider": "hashing"}
    )
    with Satchel.open(settings=settings) as memory:
        fill(memory, folder / "files")
        yield memory


def test_the_set_has_two_hundred_questions_in_four_classes() -> None:
    asked = cases()

    assert len({case.query for case in asked}) == len(asked) == 200
    assert {kind: sum(case.kind == kind for case in asked) for kind in CLASSES} == dict.fromkeys(CLASSES, 50)


def test_the_router_answers_more_than_any_backend_alone(ferry: Satchel) -> None:
    def answered(case: Case, way: str | None) -> bool:
        found = ferry.routing.route(case.query).result.results if way is None else alone(ferry, way)(case.query)
        return hit(case, found)

    routed = sum(answered(case, None) for case in SOME)
    best = max(sum(answered(case, way) for case in SOME) for way in ALONE)

    assert routed > best
    by_class = {kind: [answered(case, None) for case in SOME if case.kind == kind] for kind in CLASSES}
    assert all(all(by_class[kind]) for kind in ("exact", "relation")), by_class
