"""Every side effect of every writing operation, faulted in turn: the invariants hold, and failures are reported as such."""

import pytest

from satchel.interfaces import operations
from tests.faults.cases import CASES, EXEMPT
from tests.faults.extent import extent
from tests.faults.shim import BROKEN, EIO, FULL, KILL, TEAR
from tests.faults.warm import Warm

# Of the short slice: a case, a fault, and every how many side effects.
SHORT = (
    ("store", KILL.name, 12),
    ("capture", KILL.name, 1),
    ("config set", KILL.name, 1),
    ("forget", TEAR.name, 60),
    ("store", EIO.name, 10),
    ("forget", EIO.name, 60),
    ("capture", FULL.name, 1),
)
EVERYTHING = tuple((case, fault.name, 1) for fault in (KILL, TEAR, EIO, FULL) for case in CASES)


def test_every_writing_operation_has_a_case() -> None:
    writing = {one.name for one in operations.OPERATIONS if one.writes or one.touches}
    assert writing - {name.partition(",")[0] for name in CASES} == {*EXEMPT}


@pytest.mark.parametrize(("case", "fault", "step"), extent(SHORT, EVERYTHING))
def test_a_fault_at_any_side_effect_leaves_a_sound_store(laboratory: Warm, case: str, fault: str, step: int) -> None:
    answer = laboratory.ask(case=case, fault=fault, step=step)
    assert answer["points"] > 0
    assert answer["violations"] == []


@pytest.mark.parametrize("opened", [True, False], ids=["opened before", "opened meanwhile"])
@pytest.mark.parametrize(("fault", "code"), [(FULL.name, "disk_full"), (BROKEN.name, "io_error")])
def test_an_open_store_goes_on_once_the_disk_is_well(laboratory: Warm, fault: str, code: str, opened: bool) -> None:
    answer = laboratory.ask(fault=fault, opened=opened)
    assert answer["refused"] == [code, code, code]
    assert answer["hits"] > 0
    # One event was waiting before.
    assert (answer["stored"], answer["ingested"], answer["healthy"]) == ("created", 2, True)
