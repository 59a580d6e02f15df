"""The benchmark of work on a whole store: every step runs, and its figures say what they claim."""

import pytest
from bench.machine import this_machine
from bench.tables import table
from bench.upkeep import LONGEST_WAIT, Reports, Step, UpkeepResult, estimate_share, run_upkeep

from satchel.config import load
from satchel.errors import InvalidRequest
from tests.tables import each_case


@each_case(
    "times, share",
    [
        ([(0.0, 0, 0, "start"), (1.0, 10, 100, "documents"), (10.0, 1, 1, "end")], 1.0),
        ([(0.0, 0, 0, "start"), (0.2, 5, 100, "documents"), (1.0, 20, 100, "documents"), (10.0, 1, 1, "end")], 0.5),
        ([(0.0, 0, 0, "start"), (10.0, 1, 1, "end")], 1.0),
    ],
)
def test_the_estimate_is_that_of_the_first_tenth(times: list[tuple[float, int, int, str]], share: float) -> None:
    assert estimate_share(Reports(times)) == pytest.approx(share)


def test_slow_and_silent_steps_are_named() -> None:
    steps = (Step("import", 3.0, 7, 50, 0.2, 0), Step("undo", 3.0, 0, 50, LONGEST_WAIT + 0.1, 0))
    result = UpkeepResult(1_000, steps, 100, 1.1, {}, this_machine())

    assert (result.slow, result.silent) == (("undo",), ("undo",))
    lines = [*table(result)]
    assert "another process waited longer than a second during: undo" in lines
    assert "without progress: undo" in lines


def test_every_step_runs_beside_another_writer() -> None:
    result = run_upkeep(load({}), lambda done, total, what: None, memories=200)

    assert [one.name for one in result.steps] == [
        "import",
        "index build",
        "export",
        "backup",
        "scopes rename",
        "undo of the rename",
        "tag restore",
        "undo of the restore",
        "receipts prune",
        "index rebuild",
        "backup restore",
        "docs ingest",
    ]
    assert sum(one.errors for one in result.steps) == 0
    assert sum(one.stores for one in result.steps) > 0


def test_a_size_out_of_range_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        run_upkeep(load({}), lambda done, total, what: None, memories=1)
