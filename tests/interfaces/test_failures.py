"""Exit codes and envelopes of errors and results."""

import errno

from satchel.domain.envelope import outcome_of
from satchel.domain.erasure import ErasureCheck, Forgotten
from satchel.errors import (
    Conflict,
    Corrupt,
    EmbeddingFailed,
    InvalidRequest,
    NewerStore,
    NotFound,
    Refused,
    SatchelError,
    Unavailable,
)
from satchel.interfaces.failures import exit_code, failure_of, http_status, reported_error, system_error
from satchel.maintenance.values import CheckUp
from satchel.ports import ChainState
from tests.tables import each_case


@each_case(
    ("error", "code"),
    [
        (SatchelError(""), 1),
        (NotFound(""), 1),
        (Refused(""), 1),
        (EmbeddingFailed(""), 1),
        (InvalidRequest(""), 2),
        (Corrupt(""), 3),
        (NewerStore(""), 3),
    ],
)
def test_the_exit_code_follows_the_error_class(error: SatchelError, code: int) -> None:
    assert exit_code(error) == code


@each_case("kind", [SatchelError, InvalidRequest, NotFound, Refused, Conflict, Unavailable, Corrupt])
def test_an_error_that_a_server_reports_keeps_its_class(kind: type[SatchelError]) -> None:
    error = kind("no", code="own", hint="do")
    found = reported_error(http_status(error), exit_code(error), error.code, error.message, error.hint)
    assert (type(found), found.code, found.message, found.hint) == (kind, "own", "no", "do")


@each_case(
    ("result", "code"),
    [
        (CheckUp(healthy=True, damaged=False, findings=()), 0),
        (CheckUp(healthy=False, damaged=False, findings=()), 1),
        (CheckUp(healthy=False, damaged=True, findings=()), 3),
        (ChainState(receipts=3, broken_at=None), 0),
        (ChainState(receipts=3, broken_at=2), 1),
        (Forgotten("deleted"), 0),
        (Forgotten("deleted", pending=("ledger",)), 1),
        (Forgotten("deleted", check=ErasureCheck(True, 1, 1, 1, 1, ())), 0),
        (Forgotten("deleted", check=ErasureCheck(True, 1, 1, 1, 1, ("ledger",))), 1),
        (Forgotten("deleted", check=ErasureCheck(False, 0, 1, 1, 0, ())), 1),
        ("anything else", 0),
    ],
)
def test_a_result_that_reports_damage_exits_with_its_code(result: object, code: int) -> None:
    assert outcome_of(result) == code


def test_a_failure_carries_code_message_hint_and_receipt() -> None:
    failure = failure_of("store", InvalidRequest("no", code="empty_text", hint="say more"), at=7)

    assert (failure.code, failure.message, failure.hint) == ("empty_text", "no", "say more")
    assert (failure.receipt.operation, failure.receipt.decided, failure.receipt.at) == (
        "store",
        {"error": "empty_text"},
        7,
    )


def test_a_full_disk_is_named_whichever_file_was_written() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/home/ann/config.toml")
    assert system_error(full).code == "disk_full"
    assert system_error(OSError(errno.EIO, "Input/output error")).code == "io_error"


def test_only_the_operator_is_told_the_name_of_a_file() -> None:
    refused = OSError(errno.EACCES, "Permission denied", "/home/ann/notes.md")
    assert "notes.md" in system_error(refused, names_file=True).message
    assert "notes.md" not in system_error(refused).message
