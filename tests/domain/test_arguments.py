"""Validation of enum words."""

from typing import Any

import pytest

from satchel.domain.arguments import one_of
from satchel.domain.record import Trust
from satchel.errors import InvalidRequest
from tests.tables import each_case


def test_a_known_word_is_returned_as_its_value() -> None:
    assert one_of(Trust, "trusted", "trust") is Trust.TRUSTED


@each_case("text", ["maybe", "", "TRUSTED", None, 7])
def test_an_unknown_word_is_rejected_with_the_known_ones(text: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        one_of(Trust, text, "trust")
    assert refused.value.code == "unknown_word"
    assert refused.value.hint == "one of: trusted, untrusted, quarantined"
