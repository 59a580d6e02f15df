"""What each operation answers."""

import pytest
from msgspec import Struct

from satchel.domain import answers
from satchel.domain.answers import Finding, Forgotten

VALUES = [
    kind
    for kind in vars(answers).values()
    if isinstance(kind, type) and issubclass(kind, Struct) and kind.__module__ == answers.__name__
]


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: str(kind.__name__))
def test_every_answer_is_a_value_that_nobody_can_change(kind: type[Struct]) -> None:
    blank = kind(**dict.fromkeys(kind.__struct_fields__))
    assert blank == kind(**dict.fromkeys(kind.__struct_fields__))
    assert not hasattr(blank, "__dict__")
    with pytest.raises(AttributeError):
        setattr(blank, kind.__struct_fields__[0], "changed")


def test_an_answer_that_lists_candidates_has_erased_nothing() -> None:
    assert Forgotten("candidates") == Forgotten(
        "candidates", id=None, erased_from=(), pending=(), candidates=(), check=None
    )


def test_a_finding_without_a_fix_has_an_empty_one() -> None:
    assert Finding("index", "ok", "fine").fix == ""
