"""One run of an operation: what leaves it has no secrets, unless the operator asked for them."""

import pytest

from satchel.app import Satchel
from satchel.core.run import OperationRun
from satchel.errors import NotFound
from tests.canary import MASKED, TOKEN


def run(memory: Satchel, *, redact: bool = True) -> OperationRun:
    return OperationRun(memory.parts, "test", {"name": f"the {TOKEN}"}, redact=redact)


@pytest.mark.parametrize("redact", [True, False])
def test_the_receipt_has_no_secret_even_if_the_result_has(memory: Satchel, redact: bool) -> None:
    with run(memory, redact=redact) as one:
        one.considered = {"words": [TOKEN]}
        one.warn(f"unknown: {TOKEN}")
        answer = one.keep(f"say {TOKEN}", reason=TOKEN)
    assert (TOKEN in answer.result) is not redact
    assert TOKEN not in str(answer.receipt)
    assert answer.receipt.decided == {"reason": MASKED}
    assert memory.maintenance.receipts_show(answer.receipt.digest).result.digest == answer.receipt.digest


def test_an_error_has_no_secret(memory: Satchel) -> None:
    with pytest.raises(NotFound) as caught, run(memory):
        raise NotFound(f"no memory {TOKEN}", hint=f"use another than {TOKEN}")
    error = caught.value
    assert (error.message, error.hint) == (
        f"no memory {MASKED}",
        f"use another than {MASKED}",
    )
    assert TOKEN not in str(error)
