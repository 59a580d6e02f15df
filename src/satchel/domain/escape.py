"""Escape text so that it cannot break out of its line or block, or contain invisible characters."""

import re

from satchel.domain.text import replace_undecodable

NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_NAMES = {name: letter for letter, name in NAMED.items()}
# Control characters, line breaks, bidi controls and zero-width characters are written as numeric references.
# The ranges are fixed instead of taken from unicodedata, so that the output is the same in every Python version.
_BEYOND_ASCII = (
    "\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
INVISIBLE = f"\x00-\x1f{_BEYOND_ASCII}"
# The same without line feed and tab, which a block of several lines may contain.
INVISIBLE_IN_LINES = f"\x00-\x08\x0b-\x1f{_BEYOND_ASCII}"
_REFERENCE = re.compile(r"&(?:amp|lt|gt|quot|#39|#x[0-9a-f]{1,6});")


def escape(text: str, characters: re.Pattern[str]) -> str:
    """Replace the characters that match a pattern by character references."""
    return characters.sub(
        lambda found: NAMED.get(found.group(), f"&#x{ord(found.group()):x};"), replace_undecodable(text)
    )


def unescape(text: str) -> str:
    """Replace character references by their characters."""
    return _REFERENCE.sub(lambda found: _NAMES.get(found.group()) or _numbered(found.group()), text)


def _numbered(reference: str) -> str:
    number = int(reference[3:-1], 16)
    # A block written by somebody else may contain invalid references.
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else reference
