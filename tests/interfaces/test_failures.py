"""Errors at the edge."""

import pytest

from satchel.errors import Corrupt, EmbeddingFailed, InvalidRequest, NewerStore, NotFound, Refused, SatchelError
from satchel.interfaces.failures import exit_code, failed


@pytest.mark.parametrize(
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
def test_the_exit_code_follows_the_tree(error: SatchelError, code: int) -> None:
    assert exit_code(error) == code


def test_a_failure_carries_code_message_hint_and_receipt() -> None:
    failure = failed("store", InvalidRequest("no", code="empty_text", hint="say more"), at=7)

    assert (failure.code, failure.message, failure.hint) == ("empty_text", "no", "say more")
    assert (failure.receipt.operation, failure.receipt.decided, failure.receipt.at) == (
        "store",
        {"error": "empty_text"},
        7,
    )
