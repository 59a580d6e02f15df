"""Character references: which characters are invisible, and the way back."""

import re
import sys

from satchel.domain.escape import INVISIBLE, INVISIBLE_IN_LINES, escape, unescape
from tests.tables import each_case

# Written out a second time on purpose: a range that is lost or shortened must not pass.
RANGES = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0D),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
UNSEEN = {number for first, last in RANGES for number in range(first, last + 1)}
MARKS = re.compile("[&<>\"'\x00]")


def matched(characters: str) -> set[int]:
    pattern = re.compile(f"[{characters}]")
    return {number for number in range(sys.maxunicode + 1) if pattern.match(chr(number))}


def test_exactly_the_invisible_characters_are_known() -> None:
    assert matched(INVISIBLE) == UNSEEN
    assert matched(INVISIBLE_IN_LINES) == UNSEEN - {ord("\t"), ord("\n")}


@each_case(
    ("text", "escaped"),
    [
        ("a&b", "a&amp;b"),
        ("<b>", "&lt;b&gt;"),
        ('"it\'s"', "&quot;it&#39;s&quot;"),
        ("\x00", "&#x0;"),
        ("plain", "plain"),
        ("a\ud800b", "a?b"),
    ],
)
def test_characters_of_a_pattern_become_references_and_come_back(text: str, escaped: str) -> None:
    assert escape(text, MARKS) == escaped
    assert unescape(escaped) == text.replace("\ud800", "?")


@each_case(
    ("reference", "character"),
    [
        ("&#xa;", "\n"),
        ("&#x0;", "\0"),
        ("&#x9;", "\t"),
        ("&#xd7ff;", "\ud7ff"),
        ("&#xe000;", "\ue000"),
        ("&#x10ffff;", "\U0010ffff"),
        ("&#xabcdef;", None),
        ("&#x110000;", None),
        ("&#xd800;", None),
        ("&#xdfff;", None),
        ("&#x0000000a;", None),
        ("&#x00000a;", "\n"),
        ("&#xA;", None),
        ("&#xg;", None),
        ("&#x;", None),
        ("&nbsp;", None),
        ("&amp", None),
    ],
)
def test_a_reference_to_no_character_stays_as_it_is(reference: str, character: str | None) -> None:
    assert unescape(f"a{reference}b") == f"a{reference if character is None else character}b"
