"""Text in base64 within a text."""

import binascii
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled

# Shorter text in base64 has no room for a name and a secret.
_SHORTEST = 24
_RUN = rf"[A-Za-z0-9+/_-]{{{_SHORTEST},16384}}+={{0,2}}"
_LONG_WORD = rf"\S{{{_SHORTEST}}}"
# How many runs of a text are decoded at most.
_MOST = 64
_URL_SAFE = str.maketrans("-_", "+/")


class Encoded(NamedTuple):
    """Where a text in base64 starts and ends, and what it says."""

    start: int
    end: int
    text: str


def encoded_texts(text: str) -> Iterator[Encoded]:
    """Yield the runs of base64 that decode to printable text."""
    if not compiled(_LONG_WORD).search(text):
        return
    for run in islice(compiled(_RUN).finditer(text), _MOST):
        if decoded := _decoded(run.group()):
            yield Encoded(*run.span(), decoded)


def _decoded(run: str) -> str:
    """Return what a run of base64 says, or nothing if it is no printable ASCII."""
    letters = run.rstrip("=").translate(_URL_SAFE)
    try:
        text = binascii.a2b_base64(letters + "=" * (-len(letters) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text if all(letter.isprintable() or letter in "\t\r\n" for letter in text) else ""
