"""Power cut during a run of writes: everything acknowledged is there, whatever became of unsynced writes and names."""

import pytest

from tests.faults.extent import extent
from tests.faults.warm import Warm

# A seed, or None to lose everything that was not synced; whether names need a sync of their folder.
CUTS = ((None, False), (None, True), (1, False), (2, False), (3, True), (4, True))


@pytest.mark.parametrize(("seed", "strict"), extent([(1, True)], CUTS))
def test_a_power_cut_undoes_nothing_that_was_acknowledged(laboratory: Warm, seed: int | None, strict: bool) -> None:
    (cuts,) = extent([5], [40])
    answer = laboratory.ask(seed=seed, strict=strict, cuts=cuts)
    assert answer["points"] == cuts
    assert answer["violations"] == []
