"""The results of operations are immutable values."""

import pytest
from msgspec import Struct

from satchel.domain import answers, embedding, erasure, history
from satchel.domain.answers import HealthFinding
from satchel.domain.erasure import Forgotten
from satchel.explaining import values as explaining
from satchel.indexing import values as indexing
from satchel.maintenance import values as maintenance
from satchel.memories import values as memories
from satchel.recall import values as recall
from tests.tables import each_case

VALUES = [
    kind
    for module in (answers, embedding, erasure, history, explaining, indexing, maintenance, memories, recall)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Struct) and kind.__module__ == module.__name__
]


@each_case("kind", VALUES, ids=lambda kind: str(kind.__name__))
def test_every_result_is_an_immutable_value(kind: type[Struct]) -> None:
    blank = kind(**dict.fromkeys(kind.__struct_fields__))
    assert blank == kind(**dict.fromkeys(kind.__struct_fields__))
    assert not hasattr(blank, "__dict__")
    with pytest.raises(AttributeError):
        setattr(blank, kind.__struct_fields__[0], "changed")


def test_a_list_of_candidates_reports_nothing_erased() -> None:
    assert Forgotten("candidates") == Forgotten(
        "candidates", id=None, erased_from=(), pending=(), candidates=(), check=None
    )


def test_a_finding_without_a_fix_has_an_empty_one() -> None:
    assert HealthFinding("index", "ok", "fine").fix == ""
