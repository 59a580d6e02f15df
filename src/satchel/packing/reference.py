"""References: short names for records, to be cited in a bundle where every token counts."""

import re

from satchel.domain.canonical import digest

# As many hexadecimal digits as tell the records of one pack apart, and nearly always those of one store.
DIGITS = 6
MAX_PLAIN_CHARS = 12

_HEXADECIMAL = re.compile(rf"(?:[a-z]+[-_:])?([0-9a-f]{{{DIGITS}}})[0-9a-f-]{{2,}}")
_PLAIN = re.compile(rf"[0-9A-Za-z_.#/-]{{1,{MAX_PLAIN_CHARS}}}")


def reference(letter: str, id: str) -> str:
    """Return the short name of a record: a letter for its lane, and its first digits; a short id stands as it is."""
    if found := _HEXADECIMAL.fullmatch(id):
        return letter + found.group(1)
    if _PLAIN.fullmatch(id):
        return f"{letter}:{id}"
    return letter + digest(id).removeprefix("sha256:")[:DIGITS]
