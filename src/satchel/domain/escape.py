"""Escaping: text inside a block can neither end its line or its block, nor be there without being seen."""

import re

from satchel.domain.text import readable

NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_NAMES = {name: letter for letter, name in NAMED.items()}
# Control characters, line breaks of every sort, bidirectional controls, and what takes up no room: written as numbers.
# The ranges are fixed rather than looked up, so that the same memory gives the same bytes under any Python.
_BEYOND_ASCII = (
    "\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
UNSEEN = f"\x00-\x1f{_BEYOND_ASCII}"
# The same, but for the line feed and the tab, which a block of several lines may hold.
UNSEEN_IN_LINES = f"\x00-\x08\x0b-\x1f{_BEYOND_ASCII}"
_REFERENCE = re.compile(r"&(?:amp|lt|gt|quot|#39|#x[0-9a-f]{1,6});")


def escaped(text: str, letters: re.Pattern[str]) -> str:
    """Return a text with the letters of a pattern written as character references."""
    return letters.sub(lambda found: NAMED.get(found.group(), f"&#x{ord(found.group()):x};"), readable(text))


def unescaped(text: str) -> str:
    """Return a text with its character references read."""
    return _REFERENCE.sub(lambda found: _NAMES.get(found.group()) or _numbered(found.group()), text)


def _numbered(reference: str) -> str:
    number = int(reference[3:-1], 16)
    # A block that somebody else wrote may name what is no character.
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else reference
