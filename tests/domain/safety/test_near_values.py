"""Where a value near a word starts and ends."""

import re

from satchel.domain.safety.near_values import VALUE, place_of
from tests.tables import each_case


@each_case(
    ("text", "expected"),
    [
        ('"two words"', "two words"),
        ("« deux mots »", "deux mots"),
        ("=gravel77.", "gravel77"),
        ("%3Dgravel77%26next", "gravel77"),
        ("wrong.&quot", "wrong"),
    ],
)
def test_signs_around_a_value_are_no_part_of_it(text: str, expected: str) -> None:
    found = re.match(VALUE, text)
    assert found
    start, end = place_of(found)

    assert text[start:end] == expected
