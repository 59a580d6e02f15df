"""PrecisionMemBench as an operation, on a small folder of its own making."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench.precision import CASES, SEED, SESSIONS, PrecisionResult, Score, figures, run_precision, score
from msgspec.structs import replace

from satchel.config import Settings
from satchel.errors import InvalidRequest
from tests.tables import each_case

CODE = ["domain:code"]
CURRENT = {
    "_id": "b-new",
    "type": "decision",
    "canonical_name": "test_runner",
    "scope": CODE,
    "content": "We run pytest",
}


def quiet(done: int, total: int, what: str) -> None:
    """Report to nobody."""


def belief(id: str, name: str, content: str, **more: Any) -> dict[str, Any]:
    return {"_id": id, "type": "entity", "canonical_name": name, "content": content, "scope": CODE} | more


BELIEFS = [
    belief("b-old", "old_test_runner", "We run nosetests", superseded_by="b-new"),
    CURRENT,
    belief("b-cache", "page_cache", "Varnish stands before the shop", aliases=["varnish"]),
    belief("b-pinned", "pinned_rule", "Varnish is never restarted by hand", pinned=True),
    belief("b-other", "page_cache", "Varnish is a wood finish", scope=["domain:carpentry"]),
    belief("b-theirs", "page_cache", "Varnish of somebody else", user_id="other-user"),
]


def case(id: str, query: str, *expected: str, **more: Any) -> dict[str, Any]:
    return {"caseId": id, "scope": CODE, "query": query, "expect": _expect(*expected)} | more


def _expect(*expected: str) -> dict[str, Any]:
    return {"relevantBeliefs": {"shouldOnlyInclude": list(expected)}}


def folder(path: Path, cases: list[Any], turns: list[Any] | None = None) -> str:
    path.mkdir()
    (path / SEED).write_text(json.dumps(BELIEFS), encoding="utf-8")
    (path / CASES).write_text(json.dumps(cases), encoding="utf-8")
    if turns is not None:
        (path / SESSIONS).write_text(json.dumps([{"caseId": "s", "turns": turns}]), encoding="utf-8")
    return str(path)


def measure(settings: Settings, data: str) -> PrecisionResult:
    return run_precision(settings, quiet, data=data, mode="lexical", min_relevance=0.05)


@each_case(
    ("returned", "expected", "wanted"),
    [
        (["a", "b"], ["a"], Score(0.5, 1.0, True)),
        (["a"], ["a", "b"], Score(1.0, 0.5, True)),
        ([], ["a"], Score(0.0, 0.0, True)),
        ([], [], Score(1.0, 1.0, False)),
        (["a"], [], Score(0.0, 1.0, False)),
    ],
)
def test_what_came_back_against_what_should_have(returned: list[str], expected: list[str], wanted: Score) -> None:
    assert score(returned, expected) == wanted


def test_the_minimum_relevance_is_that_of_a_recall(settings: Settings, tmp_path: Path) -> None:
    data = folder(tmp_path / "set", [case("c", "where does varnish stand?", "b-cache")])
    strict = replace(settings, recall=replace(settings.recall, min_relevance=0.99))

    for used, recalled in ((settings, 1.0), (strict, 0.0)):
        found = run_precision(used, quiet, data=data, mode="lexical")
        assert found.min_relevance == used.recall.min_relevance
        assert found.groups["all"].recall == recalled


def test_figures_are_means_over_questions() -> None:
    found = figures([score(["a", "b"], ["a"]), score(["a"], ["a"])])

    assert (found.n, found.precision, found.recall, found.exact) == (2, 0.75, 1.0, 0.5)


def test_only_the_scope_and_the_user_asked_come_back(settings: Settings, tmp_path: Path) -> None:
    found = measure(settings, folder(tmp_path / "set", [case("c", "where does varnish stand?", "b-cache")]))

    assert (found.groups["all"].precision, found.groups["all"].recall) == (1.0, 1.0)


def test_what_was_superseded_stays_away(settings: Settings, tmp_path: Path) -> None:
    found = measure(settings, folder(tmp_path / "set", [case("c", "nosetests?"), case("d", "pytest?", "b-new")]))

    assert found.groups["all"].exact == 1.0


def test_a_budget_that_the_pinned_fill_leaves_no_room(settings: Settings, tmp_path: Path) -> None:
    cases = [case("c", "varnish", budget={"maxBeliefs": 1}), case("d", "varnish", "b-cache", budget={"maxBeliefs": 2})]

    assert measure(settings, folder(tmp_path / "set", cases)).groups["all"].exact == 1.0


def test_a_session_learns_after_the_turn_that_says_so(settings: Settings, tmp_path: Path) -> None:
    turns = [
        {
            "scope": CODE,
            "userMessage": "which linter?",
            "expect": _expect(),
            "createBeliefAtTurn": belief("b-lint", "linter", "The linter is ruff"),
        },
        {
            "scope": CODE,
            "userMessage": "which linter?",
            "expect": _expect("b-lint"),
            "updateBeliefAtTurn": {"beliefId": "b-lint", "addAliases": ["formatter"]},
        },
        {"scope": CODE, "userMessage": "which formatter?", "expect": _expect("b-lint")},
    ]
    found = measure(settings, folder(tmp_path / "set", [case("c", "pytest?", "b-new")], turns))

    assert found.groups["turns of a session"].n == 3
    assert found.groups["turns of a session"].exact == 1.0


def test_a_folder_without_the_files_is_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        measure(settings, str(tmp_path))
    with pytest.raises(InvalidRequest):
        measure(settings, folder(tmp_path / "set", []))


def test_cases_that_expect_nothing_either_way_measure_nothing(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as caught:
        measure(settings, folder(tmp_path / "set", [case("c", "pytest?") | {"expect": {}}]))

    assert caught.value.code == "missing_gold"


def test_a_turn_that_renames_a_belief_nobody_knows_is_refused(settings: Settings, tmp_path: Path) -> None:
    turn = {"scope": CODE, "userMessage": "so?", "expect": {}, "updateBeliefAtTurn": {"beliefId": "b-nobody"}}
    with pytest.raises(InvalidRequest) as caught:
        measure(settings, folder(tmp_path / "set", [case("c", "pytest?", "b-new")], [turn]))

    assert caught.value.code == "bad_format"


@pytest.mark.parametrize("budget", [{"maxBeliefs": "many"}, {"maxBeliefs": 1.5}, [3]])
def test_a_budget_that_is_no_number_is_refused(settings: Settings, tmp_path: Path, budget: Any) -> None:
    with pytest.raises(InvalidRequest) as caught:
        measure(settings, folder(tmp_path / "set", [case("c", "pytest?", "b-new", budget=budget)]))

    assert caught.value.code == "bad_format"
