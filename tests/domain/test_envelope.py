"""The envelope of results."""

import pytest
from msgspec.structs import fields

from satchel.domain.envelope import Failed, Ok
from satchel.domain.receipt import Receipt

RECEIPT = Receipt("get", {"id": "m1"})


def test_an_answer_has_a_result_and_its_receipt_or_an_error_and_its_receipt() -> None:
    assert [one.name for one in fields(Ok)] == ["result", "receipt"]
    assert [one.name for one in fields(Failed)] == ["code", "message", "hint", "receipt"]


def test_answers_are_values() -> None:
    assert Ok(1, RECEIPT) == Ok(1, RECEIPT) != Ok(2, RECEIPT)
    assert Failed("not_found", "no", "", RECEIPT) == Failed("not_found", "no", "", RECEIPT)
    with pytest.raises(AttributeError):
        Ok(1, RECEIPT).result = 2  # type: ignore[misc]
