"""References: short names for records, to be cited in a bundle where every token counts."""

import re

from satchel.domain.canonical import digest

# As many hexadecimal digits as tell the records of one pack apart, and nearly always those of one store.
DIGITS = 8
MAX_PLAIN_CHARS = 24

_UUID = re.compile(r"([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PLAIN = re.compile(rf"[0-9A-Za-z_.#/:-]{{1,{MAX_PLAIN_CHARS}}}")


def reference(prefix: str, id: str) -> str:
    """Return the short name of a record: a readable id as it is, of any other its first digits."""
    if found := _UUID.fullmatch(id):
        return f"{prefix}:{found.group(1)}"
    own = id.removeprefix(f"{prefix}:").removeprefix(f"{prefix}_")
    if _PLAIN.fullmatch(own):
        return f"{prefix}:{own}"
    return f"{prefix}:{digest(id).removeprefix('sha256:')[:DIGITS]}"
