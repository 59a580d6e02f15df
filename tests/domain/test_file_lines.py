"""Which line of a file took the place of which."""

from collections.abc import Sequence

from satchel.domain.file_lines import FileLine, match_lines
from tests.tables import each_case


def _lines(texts: Sequence[str]) -> list[FileLine]:
    """Return lines; the part before ' > ' is the title."""
    return [FileLine(one, one.rpartition(" > ")[2], one.rpartition(" > ")[0]) for one in texts]


CASES = [
    ("unchanged", ["a b", "c d"], ["a b", "c d"], {}),
    ("reworded", ["we ship on Thursdays"], ["we ship on Fridays"], {"we ship on Thursdays": "we ship on Fridays"}),
    ("moved and reworded", ["x y z", "a b c"], ["a b q", "x y z"], {"a b c": "a b q"}),
    ("another heading", ["one > a b c"], ["two > a b d"], {}),
    ("same place", ["p", "old", "q"], ["p", "new", "q"], {"old": "new"}),
    ("last in a list", ["p", "old"], ["p", "new"], {"old": "new"}),
    ("no neighbour left", ["old"], ["new"], {}),
    ("more came than went", ["p", "old", "q"], ["p", "new", "newer", "q"], {}),
    ("gone", ["p", "old", "q"], ["p", "q"], {}),
    ("added", ["p", "q"], ["p", "new", "q"], {}),
    ("the most alike", ["a b c d", "a b x y"], ["a b x z", "a b c e"], {"a b c d": "a b c e", "a b x y": "a b x z"}),
    ("Chinese", ["我们每周四发布新版本"], ["我们每周五发布新版本"], {"我们每周四发布新版本": "我们每周五发布新版本"}),
]


@each_case("name, before, now, expected", CASES)
def test_a_line_replaces_the_one_it_rewords_or_that_stood_in_its_place(
    name: str, before: list[str], now: list[str], expected: dict[str, str]
) -> None:
    assert match_lines(_lines(before), _lines(now)) == expected, name
