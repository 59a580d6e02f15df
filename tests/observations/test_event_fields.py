"""Reading the fields of events."""

from satchel.observations.event_fields import read_importance
from tests.tables import each_case


@each_case(
    ("given", "expected"),
    [
        (0, 0.0), (1, 1.0), (0.86, 0.86), (86, 0.86), (100, 1.0), ("0.86", 0.86), ("86%", 0.86), ("86 %", 0.86),
        ("86/100", 0.86), ("8/10", 0.8), ("８６％", 0.86), ("86", 0.86), ({"score": 0.5}, 0.5), ("１", 1.0),
        (None, None), (True, None), ("high", None), (-1, None), (101, None), (1.5, None), ("150%", None), ("5/0", None),
        ("7/5", None), ([], None), ({}, None), ("", None), ("9" * 500, None),
    ],
)  # fmt: skip
def test_importance_is_read_in_every_notation(given: object, expected: float | None) -> None:
    assert read_importance(given) == expected
